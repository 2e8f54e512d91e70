package oaipmh_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
)

// unread are the rejects of a fetch as the next one gets them.
func (r *result) unread() (list []harvest.Unread) {
	for _, x := range r.rejects {
		list = append(list, harvest.Unread{ID: x.ID, Where: x.Where})
	}
	return list
}

func (r *result) resolved() (ids []string) {
	for _, p := range r.pages {
		ids = append(ids, p.Resolved...)
	}
	return ids
}

func TestUnreadRecordsAreAskedForAgain(t *testing.T) {
	t.Parallel()
	whole := newShelf(shelf{n: 12, size: 4, told: true, sets: []string{"a"}})
	bad := whole.with(spoiledMetadata, 1, 5)
	one, two := "oai:repo.example.org:1", "oai:repo.example.org:5"
	get := func(answer func(w http.ResponseWriter) bool) spoil {
		return func(w http.ResponseWriter, q url.Values) bool { return q.Get("verb") == "GetRecord" && answer(w) }
	}
	text := func(inner string) spoil {
		return get(func(w http.ResponseWriter) bool { return say(w, whole.frame(inner)) })
	}
	const span1 = "ListRecords from=2015-01-01T16:00:00Z until=2015-01-01T16:00:00Z"
	for name, c := range map[string]struct {
		now      *shelf
		fault    spoil
		params   string
		outcome  string
		docs     []string
		resolved []string
		asked    []string
		warning  string
	}{
		"still spoilt":            {now: bad, outcome: "partial", asked: []string{"GetRecord", "GetRecord"}},
		"mended":                  {now: whole, outcome: "done", docs: []string{one, two}, resolved: []string{one, two}, asked: []string{"GetRecord", "GetRecord"}},
		"withdrawn":               {now: whole.with(withdrawn, 1, 5), outcome: "unchanged", resolved: []string{one, two}, asked: []string{"GetRecord", "GetRecord"}},
		"deleted":                 {now: whole.with(func(s string) string { return strings.Replace(s, "<header>", `<header status="deleted">`, 1) }, 1, 5), outcome: "done", docs: []string{one, two}, resolved: []string{one, two}},
		"in another set now":      {now: whole.with(func(s string) string { return strings.ReplaceAll(s, ">a<", ">b<") }, 1, 5), params: `,"set":"a"`, outcome: "unchanged", resolved: []string{one, two}},
		"not in this format":      {now: whole, fault: text(`<error code="cannotDisseminateFormat"/>`), outcome: "unchanged", resolved: []string{one, two}},
		"no GetRecord":            {now: whole, fault: text(`<error code="badVerb"/>`), outcome: "done", docs: []string{one, two}, resolved: []string{one, two}, asked: []string{"GetRecord", span1}},
		"no such address":         {now: whole, fault: get(func(w http.ResponseWriter) bool { w.WriteHeader(http.StatusNotFound); return true }), outcome: "done", docs: []string{one, two}, resolved: []string{one, two}},
		"answered with nothing":   {now: whole, fault: text("<GetRecord></GetRecord>"), outcome: "unchanged", warning: "GetRecord brings no record"},
		"answered with a failure": {now: whole, fault: text(`<error code="InternalException"/>`), outcome: "unchanged", warning: "could not be asked for again"},
		"answered with 500":       {now: whole, fault: get(func(w http.ResponseWriter) bool { w.WriteHeader(http.StatusInternalServerError); return true }), outcome: "unchanged", warning: "500"},
		"answered with HTML":      {now: whole, fault: get(func(w http.ResponseWriter) bool { return say(w, "<html></html>") }), outcome: "unchanged", warning: "HTML"},
		"refused":                 {now: whole, fault: get(func(w http.ResponseWriter) bool { w.WriteHeader(http.StatusForbidden); return true }), outcome: "blocked", asked: []string{"GetRecord"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			on, fault := bad, spoil(nil)
			st := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if fault == nil || !fault(w, r.URL.Query()) {
					on.ServeHTTP(w, r)
				}
			}), nil)
			first := st.fetch(t, harvest.Request{Params: st.params(c.params)})
			require.Equal(t, "partial", first.outcome())
			require.Len(t, first.ids(), 10)
			on, fault = c.now, c.fault
			st.forget()
			r := st.fetch(t, harvest.Request{Params: st.params(c.params), Checkpoint: first.checkpoint(), Unread: first.unread()})
			require.Equal(t, c.outcome, r.outcome(), "%v", r.err)
			require.Equal(t, c.docs, r.ids())
			require.Equal(t, c.resolved, r.resolved())
			for i, want := range c.asked {
				require.Equal(t, want, st.requests()[i])
			}
			require.Contains(t, strings.Join(r.warnings(), "\n"), c.warning)
		})
	}
}

// TestUnreadRecordsAreAskedForBoundedly: a hundred of them, all failing, cost no
// more than a few requests; a hundred that answer, one each.
func TestUnreadRecordsAreAskedForBoundedly(t *testing.T) {
	t.Parallel()
	s := newShelf(shelf{n: 200, size: 200})
	var at []int
	for i := range harvest.MaxUnread {
		at = append(at, i)
	}
	bad := s.with(spoiledMetadata, at...)
	fails := false
	st := serve(t, bad, func(w http.ResponseWriter, q url.Values) bool {
		return fails && q.Get("verb") == "GetRecord" && status(http.StatusInternalServerError)(w, q)
	})
	first := st.fetch(t, harvest.Request{})
	req := harvest.Request{Checkpoint: first.checkpoint(), Unread: first.unread()}
	require.Len(t, req.Unread, 90, "tombstones have no metadata to spoil")
	st.forget()
	r := st.fetch(t, req)
	require.Equal(t, 90, r.tally.Quarantined)
	require.Len(t, st.requests(), 91)
	for _, p := range r.pages {
		require.LessOrEqual(t, len(p.Rejects), harvest.MaxPageRequests)
	}
	fails = true
	st.forget()
	r = st.fetch(t, req)
	require.NoError(t, r.err)
	require.Len(t, st.requests(), 4)
}
