package oaipmh_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
)

// endless answers every request with a new record and a new token.
func endless(s *shelf) spoil {
	return func(w http.ResponseWriter, q url.Values) bool {
		if q.Get("verb") != "ListRecords" {
			return false
		}
		n, _ := strconv.Atoi(q.Get("resumptionToken"))
		text := strings.ReplaceAll(s.records[0].text, s.records[0].id, fmt.Sprintf("oai:repo.example.org:new%d", n))
		return say(w, s.frame(fmt.Sprintf("<ListRecords>%s<resumptionToken>%d</resumptionToken></ListRecords>", text, n+1)))
	}
}

func TestAnEndlessListIsCutAndGoesOn(t *testing.T) {
	t.Parallel()
	s := usualShelf()
	st := serve(t, s, endless(s))
	req := harvest.Request{Params: st.params(`,"max_pages":3`)}
	for run := range 3 {
		st.forget()
		r := st.fetch(t, req)
		require.NoError(t, r.err)
		require.Equal(t, "partial", r.outcome())
		require.Equal(t, []string{
			fmt.Sprintf("oai:repo.example.org:new%d", 3*run), fmt.Sprintf("oai:repo.example.org:new%d", 3*run+1), fmt.Sprintf("oai:repo.example.org:new%d", 3*run+2),
		}, r.ids(), "it goes on where it stopped")
		require.Contains(t, strings.Join(r.warnings(), "\n"), "max_pages")
		require.NotContains(t, string(r.checkpoint()), "as_of")
		require.True(t, r.pages[len(r.pages)-1].Last)
		req.Checkpoint = r.checkpoint()
	}
}

// TestALongListOverSeveralRuns: the cap loses nothing, be the harvest cut into
// windows or one list, and its clock is that of the first response.
func TestALongListOverSeveralRuns(t *testing.T) {
	t.Parallel()
	s := newShelf(shelf{n: 200, size: 9})
	for _, more := range []string{`,"max_pages":4`, `,"max_pages":3,"window":"week"`} {
		st := serve(t, s, nil)
		req, all := harvest.Request{Params: st.params(more)}, &result{}
		for run := 0; ; run++ {
			require.Less(t, run, 50)
			r := st.fetch(t, req)
			require.NoError(t, r.err)
			all.pages = append(all.pages, r.pages...)
			if req.Checkpoint = r.checkpoint(); r.outcome() == "done" {
				break
			}
		}
		require.Equal(t, sorted(s.ids()), all.ids())
		require.Contains(t, string(req.Checkpoint), `"as_of":"2016-09-01`)
		st.forget()
		require.Equal(t, "unchanged", st.fetch(t, req).outcome())
	}
}

// TestTheCapHoldsOverHandBacks: a fetch that is cut off by its worker goes on
// counting.
func TestTheCapHoldsOverHandBacks(t *testing.T) {
	t.Parallel()
	s := usualShelf()
	st := serve(t, s, endless(s))
	first := st.fetch(t, harvest.Request{Params: st.params(`,"max_pages":3`), Limit: 2})
	r := st.fetch(t, harvest.Request{Params: st.params(`,"max_pages":3`), Checkpoint: first.pages[0].Checkpoint})
	require.Len(t, r.ids(), 2)
	require.Equal(t, "partial", r.outcome())
}

func TestEndlessSetsAreBroken(t *testing.T) {
	t.Parallel()
	s := newShelf(shelf{n: 4, size: 4, sets: []string{"a", "b"}})
	n := 0
	st := serve(t, s, func(w http.ResponseWriter, _ url.Values) bool {
		n++
		return say(w, s.frame(fmt.Sprintf("<ListSets><set><setSpec>%d</setSpec></set><resumptionToken>%d</resumptionToken></ListSets>", n, n)))
	})
	found, err := split(t, st)
	require.Equal(t, harvest.KindBroken, harvest.KindOf(err), "%v", err)
	require.ErrorContains(t, err, "does not end")
	require.LessOrEqual(t, len(found), 5000)
}
