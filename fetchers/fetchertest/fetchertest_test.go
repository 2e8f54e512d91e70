package fetchertest_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/fetchertest"
	"github.com/vendemmia/vendemmia/harvest"
)

const (
	flawVariable   = "VENDEMMIA_FETCHERTEST_FLAW"
	folderVariable = "VENDEMMIA_FETCHERTEST_FOLDER"
)

func run(t *testing.T, flaw string) {
	t.Helper()
	count := &atomic.Int64{}
	c := fetchertest.Case{
		New:    func(c *http.Client) harvest.Fetcher { return model{client: c, flaw: flaw, count: count} },
		Source: http.HandlerFunc(numbers), IDs: allIDs(), Pages: pages, Folder: cmp.Or(os.Getenv(folderVariable), "testdata/model"),
		Params: func(base string) json.RawMessage { return json.RawMessage(`{"url":` + strconv.Quote(base) + `}`) },
	}
	if flaw == "counts pages" {
		c.Growing = growing
	}
	fetchertest.Run(t, c)
}

// growing is the source with an open end; where its last page is not full, a fetcher that
// goes on with the next page loses what comes to stand on it.
func growing() (source http.Handler, grow func() (id string)) {
	var n atomic.Int64
	n.Store(perPage * pages)
	source = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, _ := strconv.Atoi(r.URL.Query().Get("page"))
		all := int(n.Load())
		list := listing{More: (page+1)*perPage < all}
		for i := page * perPage; i < min((page+1)*perPage, all); i++ {
			list.IDs = append(list.IDs, fmt.Sprintf("è %d", i))
		}
		json.NewEncoder(w).Encode(list) // the client may be gone
	})
	return source, func() string { return fmt.Sprintf("è %d", n.Add(1)-1) }
}

func TestASoundFetcherPasses(t *testing.T) {
	t.Parallel()
	run(t, "")
}

// TestFlawed is run by TestFlawsAreFound, as a process of its own.
func TestFlawed(t *testing.T) {
	flaw := os.Getenv(flawVariable)
	if flaw == "" {
		t.Skip("nothing is wrong here")
	}
	run(t, flaw)
}

// TestFlawsAreFound runs the suite over fetchers with one flaw each: it must
// fail, and name the check.
func TestFlawsAreFound(t *testing.T) {
	t.Parallel()
	for flaw, check := range map[string]string{
		"wrong identity":      "describes_itself",
		"swallows errors":     "faults",
		"panics":              "faults/HTML/after_0",
		"takes any bytes":     "faults/charset_not_the_declared/after_0",
		"takes anything":      "faults/HTML/after_0",
		"one kind for all":    "faults/status_500/after_0",
		"deaf to Retry-After": "faults/status_429_with_Retry-After/after_0",
		"loses a page":        "brings_everything",
		"doubles a page":      "brings_everything",
		"keeps state":         "serves_many_at_once",
		"restless hash":       "again_brings_everything_again",
		"again is not heard":  "again_brings_everything_again",
		"does not stop":       "stops_when_nobody_listens",
		"hears no cancel":     "stops_when_cancelled",
		"lenient params":      "bad_params",
		"counts pages":        "grows_while_it_is_read",
	} {
		t.Run(flaw, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			c := exec.CommandContext(ctx, os.Args[0], "-test.run", "^TestFlawed$/^"+top(check)+"$", "-test.v")
			c.Env = append(os.Environ(), flawVariable+"="+flaw)
			out, err := c.CombinedOutput()
			require.Error(t, err, "the suite finds nothing wrong with it:\n%s", out)
			require.Contains(t, string(out), "FAIL: TestFlawed/"+check, "%s", out)
		})
	}
}

func top(check string) string {
	for i := range check {
		if check[i] == '/' {
			return check[:i]
		}
	}
	return check
}

// TestAnotherModuleNeedsNoPapers: a folder without sample.yaml is skipped, whatever its
// README.md says.
func TestAnotherModuleNeedsNoPapers(t *testing.T) {
	t.Parallel()
	empty, other := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(other, "README.md"), []byte("# A project with other things in it\n"), 0o600))
	for _, folder := range []string{empty, other} {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestASoundFetcherPasses$/^has_its_papers$", "-test.v")
		cmd.Env = append(os.Environ(), folderVariable+"="+folder)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Contains(t, string(out), "no sample.yaml here")
	}
}
