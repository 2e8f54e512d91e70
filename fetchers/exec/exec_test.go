package exec_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/api"
	"github.com/vendemmia/vendemmia/fetchers/exec"
	"github.com/vendemmia/vendemmia/fetchers/fetchertest"
	"github.com/vendemmia/vendemmia/harvest"
	replica "github.com/vendemmia/vendemmia/internal/local/replica/api"
	"github.com/vendemmia/vendemmia/internal/polite"
	"github.com/vendemmia/vendemmia/internal/visit"
)

// asProgram makes this test binary a program of our protocol.
const asProgram = "harvest-as-a-program"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == asProgram {
		speak()
		return
	}
	os.Exit(m.Run())
}

// speak harvests an API, and says in our protocol what comes.
func speak() {
	var told struct {
		Config     json.RawMessage `json:"config"`
		Checkpoint json.RawMessage `json:"checkpoint"`
		Force      bool            `json:"force_refresh"`
	}
	line, _ := bufio.NewReader(os.Stdin).ReadBytes('\n')
	out := json.NewEncoder(os.Stdout)
	if err := json.Unmarshal(line, &told); err != nil {
		panic(err)
	}
	c := polite.New(polite.Settings{Product: "program", MaxBody: 1 << 20, Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Rules: func(string) polite.Rule { return polite.Rule{Connections: 8} }})
	client := c.HTTP(visit.Visitor{Timeout: 8 * time.Second})
	client.Transport = loopback{client.Transport}
	req := harvest.Request{Params: told.Config, Checkpoint: told.Checkpoint, ForceRefresh: told.Force, Attempt: 1}
	for p, err := range api.New(client).Fetch(context.Background(), req) {
		if err != nil {
			e := harvest.AsError(err)
			out.Encode(map[string]any{"type": "error", "error": e.Kind, "message": e.Error(), "retry_after": e.RetryAfter.Seconds()})
			os.Exit(1)
		}
		for _, d := range p.Documents {
			out.Encode(map[string]any{"type": "document", "id": d.ID, "title": d.Title, "published": d.Published.Format(time.RFC3339), "body": string(d.Body), "fields": d.Fields})
		}
		out.Encode(map[string]any{"type": "checkpoint", "value": p.Checkpoint, "same": p.Same, "not_modified": p.NotModified})
	}
}

// loopback asks this machine alone.
type loopback struct{ http.RoundTripper }

// RoundTrip is part of http.RoundTripper.
func (l loopback) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Hostname() != "127.0.0.1" {
		return nil, &net.DNSError{Err: "no such host", Name: r.URL.Host, IsNotFound: true}
	}
	return l.RoundTripper.RoundTrip(r)
}

func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	require.NoError(t, err)
	return path
}

// TestConformance: the suite runs over a program of our protocol, which harvests an API.
func TestConformance(t *testing.T) {
	t.Parallel()
	program := self(t)
	source := replica.New(replica.Config{Records: records})
	fetchertest.Run(t, fetchertest.Case{
		New: exec.Allow([]string{filepath.Dir(program)}), Source: source, Pages: 3, IDs: source.Holds(), Growing: growing,
		Params: func(base string) json.RawMessage {
			return json.RawMessage(fmt.Sprintf(`{"program":%q,"args":[%q],"batch":1,"config":{"url":%q,"query":{"per_page":25},"primary_key":"$.id",
				"fields":{"title":"$.title","published":"$.created_at","body":"$.body"},"paginator":{"type":"header_link"}}}`, program, asProgram, base+replica.Repository))
		},
	})
}

const records = 70

// growing is an API that gets another record with each call of grow.
func growing() (http.Handler, func() (id string)) {
	source, n := replica.New(replica.Config{Records: records}), records
	return source, func() string {
		rec := replica.Record{ID: 100 + n, Title: "Atto nuovo", Updated: replica.Beginning().Add(time.Duration(n) * time.Hour)}
		n++
		source.Put(rec)
		return strconv.Itoa(rec.ID)
	}
}

// script writes an executable file for a shell, which every machine has.
func script(t *testing.T, text string) (dir, name string) {
	t.Helper()
	dir = t.TempDir()
	path := filepath.Join(dir, "program")
	require.NoError(t, os.WriteFile(path+".new", []byte("#!/bin/sh\n"+text), 0o755))
	require.NoError(t, os.Rename(path+".new", path))
	return dir, "program"
}

type got struct {
	pages []harvest.Page
	ids   []string
	err   error
}

func (g got) checkpoint() json.RawMessage {
	if len(g.pages) == 0 {
		return nil
	}
	return g.pages[len(g.pages)-1].Checkpoint
}

func fetch(ctx context.Context, dir string, params string, checkpoint json.RawMessage) (g got) {
	for p, err := range exec.Allow([]string{dir})(nil).Fetch(ctx, harvest.Request{Params: []byte(params), Checkpoint: checkpoint, Attempt: 1}) {
		if err != nil {
			g.err = err
			return g
		}
		g.pages = append(g.pages, p)
		for _, d := range p.Documents {
			g.ids = append(g.ids, d.ID)
		}
	}
	return g
}

// TestBadPrograms: each ends in an error that says how, and leaves nobody behind.
func TestBadPrograms(t *testing.T) {
	t.Parallel()
	doc, cp := `echo '{"type":"document","id":"1"}'; `, `echo '{"type":"checkpoint","value":7}'; `
	for name, c := range map[string]struct {
		text, more string
		kind       harvest.Kind
		says       string
		ids        int
	}{
		"garbage":              {doc + cp + "echo 'not JSON'", "", harvest.KindBroken, `"not JSON" is not a message`, 1},
		"binary":               {`printf '\377\376\000{'`, "", harvest.KindBroken, "is not a message", 0},
		"status":               {doc + cp + `echo '{"type":"document","id":"2"}'; echo "Traceback: no route" >&2; exit 3`, "", harvest.KindServerError, "status 3; its last words: Traceback: no route", 2},
		"flood of stderr":      {`i=0; while [ $i -lt 20000 ]; do echo "line $i of a flood that nobody reads" >&2; i=$((i+1)); done; exit 1`, "", harvest.KindServerError, "line 19999", 0},
		"hangs":                {doc + cp + "sleep 600", `,"silence":"1s"`, harvest.KindTimeout, "wrote nothing for too long", 1},
		"deaf to SIGTERM":      {doc + cp + "trap '' TERM; while true; do sleep 1; done", `,"silence":"1s"`, harvest.KindTimeout, "wrote nothing", 1},
		"signal":               {"kill -9 $$", "", harvest.KindServerError, "signal", 0},
		"its own error":        {`echo '{"type":"error","error":"throttled","message":"come back","retry_after":60}'; exit 1`, "", harvest.KindThrottled, "come back", 0},
		"unknown message":      {`echo '{"type":"dokument"}'`, "", harvest.KindBroken, `"dokument" is no type`, 0},
		"no message of Singer": {"echo hello; echo world", `,"protocol":"singer"`, harvest.KindBroken, "none of its 2 lines", 0},
		"config error":         {`echo '{"type":"TRACE","trace":{"type":"ERROR","error":{"message":"the key is wrong","failure_type":"config_error"}}}'; exit 1`, `,"protocol":"airbyte","catalog":{"streams":[]}`, harvest.KindMisconfigured, "the key is wrong", 0},
		"nothing at all":       {"", "", "", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, program := script(t, c.text)
			g := fetch(t.Context(), dir, fmt.Sprintf(`{"program":%q%s}`, program, c.more), nil)
			require.Equal(t, c.kind, harvest.KindOf(g.err), "%v", g.err)
			require.Len(t, g.ids, c.ids)
			if c.says != "" {
				require.ErrorContains(t, g.err, c.says)
			}
			if e := harvest.AsError(g.err); c.kind == harvest.KindThrottled {
				require.Equal(t, time.Minute, e.RetryAfter)
			}
		})
	}
}

// TestACheckpointIsBehindItsRecords: a run that fails stores what came before its last
// checkpoint, and the next one goes on there.
func TestACheckpointIsBehindItsRecords(t *testing.T) {
	t.Parallel()
	dir, program := script(t, `read told
case "$told" in
*'"checkpoint":2'*) for i in 3 4 5; do echo "{\"type\":\"document\",\"id\":\"$i\"}"; done; echo '{"type":"checkpoint","value":5}';;
*) for i in 1 2; do echo "{\"type\":\"document\",\"id\":\"$i\"}"; done; echo '{"type":"checkpoint","value":2}'; exit 1;;
esac
`)
	params := fmt.Sprintf(`{"program":%q}`, program)
	first := fetch(t.Context(), dir, params, nil)
	require.Error(t, first.err)
	require.Equal(t, []string{"1", "2"}, first.ids)
	second := fetch(t.Context(), dir, params, first.checkpoint())
	require.NoError(t, second.err)
	require.Equal(t, []string{"3", "4", "5"}, second.ids)
}

// TestTheWholeGroupEnds: a program that forks is ended with its children, and one that
// leaves children behind is not waited for.
func TestTheWholeGroupEnds(t *testing.T) {
	t.Parallel()
	dir, program := script(t, `sleep 600 & echo "{\"type\":\"document\",\"id\":\"$!\"}"; echo '{"type":"checkpoint","value":1}'`)
	began := time.Now()
	left := fetch(t.Context(), dir, fmt.Sprintf(`{"program":%q}`, program), nil)
	require.NoError(t, left.err)
	require.Len(t, left.ids, 1)
	require.Less(t, time.Since(began), time.Minute)
	gone(t, left.ids[0])

	dir, program = script(t, `sleep 600 & echo "{\"type\":\"document\",\"id\":\"$!\"}"; echo '{"type":"checkpoint","value":1}'; wait`)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var cancelled time.Time
	ids := []string{}
	for p, err := range exec.Allow([]string{dir})(nil).Fetch(ctx, harvest.Request{Params: []byte(fmt.Sprintf(`{"program":%q,"batch":1}`, program)), Attempt: 1}) {
		if err != nil {
			require.ErrorIs(t, err, context.Canceled)
			break
		}
		ids = append(ids, p.Documents[0].ID)
		cancelled = time.Now()
		cancel()
	}
	require.Less(t, time.Since(cancelled), 30*time.Second)
	require.Len(t, ids, 1)
	gone(t, ids[0])
}

// gone waits until a process has ended; a zombie has.
func gone(t *testing.T, pid string) {
	t.Helper()
	require.Eventually(t, func() bool {
		stat, err := os.ReadFile("/proc/" + pid + "/stat")
		if err != nil {
			var n int
			fmt.Sscan(pid, &n)
			return syscall.Kill(n, 0) != nil
		}
		return strings.Contains(string(stat), ") Z ")
	}, 30*time.Second, 20*time.Millisecond, "process %s is still there", pid)
}

// TestOnlyWhatIsAllowedRuns: no folders, another folder, a link that leads out.
func TestOnlyWhatIsAllowedRuns(t *testing.T) {
	t.Parallel()
	dir, _ := script(t, `echo ran > ran`)
	require.NoError(t, os.Symlink("/bin/sh", filepath.Join(dir, "link")))
	for params, says := range map[string]string{`{"program":"/bin/sh"}`: "in no folder", `{"program":"link"}`: "in no folder", `{"program":"../program"}`: "in no folder", `{"program":"nothing"}`: "in no folder"} {
		g := fetch(t.Context(), dir, params, nil)
		require.Equal(t, harvest.KindMisconfigured, harvest.KindOf(g.err), params)
		require.ErrorContains(t, g.err, says)
	}
	for _, err := range exec.New(nil).Fetch(t.Context(), harvest.Request{Params: []byte(`{"program":"program"}`)}) {
		require.Equal(t, harvest.KindMisconfigured, harvest.KindOf(err))
		require.ErrorContains(t, err, "--exec-dir")
	}
}

// TestTheConfigIsPrivateAndReadBack: the file is for the user alone and goes with the run;
// a token that the program renews is kept in config_file.
func TestTheConfigIsPrivateAndReadBack(t *testing.T) {
	t.Parallel()
	dir, program := script(t, `while [ $# -gt 0 ]; do [ "$1" = --config ] && C=$2; shift; done
echo "{\"type\":\"RECORD\",\"stream\":\"s\",\"record\":{\"mode\":\"$(stat -c %a "$C")\",\"dir\":\"$(stat -c %a "$(dirname "$C")")\",\"path\":\"$C\",\"secret\":\"$SECRET\",\"worker\":\"$VENDEMMIA_TEST\"}}"
echo '{"token":"new"}' > "$C"
`)
	file := filepath.Join(dir, "config.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"token":"old"}`), 0o600))
	g := fetch(t.Context(), dir, fmt.Sprintf(`{"program":%q,"protocol":"singer","config_file":"config.json","env":{"SECRET":"s"}}`, program), nil)
	require.NoError(t, g.err)
	f := g.pages[0].Documents[0].Fields
	require.Equal(t, []any{"600", "700", "s", ""}, []any{f["mode"], f["dir"], f["secret"], f["worker"]})
	require.NoFileExists(t, f["path"].(string))
	now, err := os.ReadFile(file)
	require.NoError(t, err)
	require.JSONEq(t, `{"token":"new"}`, string(now))
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	lost := fetch(t.Context(), dir, fmt.Sprintf(`{"program":%q,"protocol":"singer","config":{"token":"old"}}`, program), nil)
	require.NoError(t, lost.err)
	require.Contains(t, strings.Join(lost.pages[0].Warnings, " "), "config_file")
}

// TestALongLineIsOneMessage, and one that is longer than a message may be is an error.
func TestALongLineIsOneMessage(t *testing.T) {
	t.Parallel()
	dir, program := script(t, `printf '{"type":"document","id":"1","body":"'; head -c 12000000 /dev/zero | tr '\0' x; printf '"}'`)
	g := fetch(t.Context(), dir, fmt.Sprintf(`{"program":%q}`, program), nil)
	require.NoError(t, g.err)
	require.Len(t, g.pages[0].Documents[0].Body, 12_000_000)
	dir, program = script(t, `yes xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx | tr -d '\n'`)
	g = fetch(t.Context(), dir, fmt.Sprintf(`{"program":%q}`, program), nil)
	require.Equal(t, harvest.KindBroken, harvest.KindOf(g.err))
	require.ErrorContains(t, g.err, "longer than 64 MiB")
}
