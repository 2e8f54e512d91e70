// Package fetchertest is the conformance suite that every fetcher's test calls:
// it wraps a healthy source with faults and checks that each ends as it should.
package fetchertest

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/polite"
	"github.com/vendemmia/vendemmia/internal/visit"
)

// Case is a fetcher beside a healthy source.
type Case struct {
	// New is the fetcher's constructor.
	New func(client *http.Client) harvest.Fetcher
	// Source answers as the source does on a good day, always the same: it must
	// know the validators the fetcher sends, and stand several clients at once.
	// A fetcher that pages needs at least three pages of it.
	Source http.Handler
	// Params are the params of a fetch from the source at base
	// ("http://127.0.0.1:1234", no slash at the end).
	Params func(base string) json.RawMessage
	// IDs are the ids of all documents of the source, tombstones included.
	IDs []string
	// Pages is how many pages a first fetch yields, at least; 0 is 1.
	Pages int
	// Spoiled is the source with some records in it that cannot be read, Withdrawn
	// the source without these. Where Spoiled is nil nothing is checked of them.
	Spoiled, Withdrawn http.Handler
	// Growing makes a source of its own with the same records, and what adds one more to
	// it, returning its id; a fetch may be under way. Where it is nil, growth is not checked.
	Growing func() (source http.Handler, grow func() (id string))
	// Folder holds sample.yaml and README.md; "" is the folder of the test. Without
	// sample.yaml, neither is checked.
	Folder string
}

// Run checks everything a runner relies on, as subtests of t that run side by
// side.
func Run(t *testing.T, c Case) {
	t.Helper()
	require.NotEmpty(t, c.IDs, "a case without ids proves nothing")
	for name, check := range map[string]func(*testing.T, Case){
		"describes itself":              checkDescription,
		"has its papers":                checkFolder,
		"brings everything":             checkWhole,
		"resumes from every page":       checkResume,
		"a limit moves nothing":         checkLimit,
		"stops when nobody listens":     checkBreak,
		"stops when cancelled":          checkCancel,
		"unchanged is not new":          checkUnchanged,
		"half unchanged adds up":        checkHalf,
		"again brings everything again": checkAgain,
		"serves many at once":           checkConcurrency,
		"bad params":                    checkBadParams,
		"faults":                        checkFaults,
		"asks again for the unread":     checkUnread,
		"grows while it is read":        checkGrowth,
		"hostile addresses":             checkAddresses,
		"a panic is an error":           checkPanics,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, c)
		})
	}
}

const (
	// patience bounds an exchange with a healthy source.
	patience = 20 * time.Second
	// haste bounds one with a source that never ends.
	haste = 600 * time.Millisecond
	// maxBody is far above any healthy page and far below what a fault sends.
	maxBody = 1 << 20
)

// client is a polite one that may dial this machine.
func client(t *testing.T, timeout time.Duration) *http.Client {
	t.Helper()
	return visitor(t, visit.Visitor{Contact: "ops@example.org", Timeout: timeout})
}

func visitor(t *testing.T, v visit.Visitor) *http.Client {
	t.Helper()
	c := polite.New(polite.Settings{
		Product: "fetchertest", MaxBody: maxBody,
		Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")},
		Rules: func(string) polite.Rule { return polite.Rule{Connections: 32} },
		// A test's server is in trouble on purpose, and has no time to be spared.
		Slow: func(context.Context, string, time.Duration, string) error { return nil },
	})
	t.Cleanup(c.Close)
	return c.HTTP(v)
}

// serve starts the source behind an optional fault.
func (c Case) serve(t *testing.T, f *fault) string {
	t.Helper()
	s := httptest.NewUnstartedServer(f.wrap(c.Source))
	s.Config.ErrorLog = nil
	s.Start()
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

func (c Case) request(base string, checkpoint json.RawMessage) harvest.Request {
	return harvest.Request{Item: "conformance", Params: c.Params(base), Checkpoint: checkpoint, Attempt: 1}
}
