package web_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/web"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/local/replica/site"
	"github.com/vendemmia/vendemmia/internal/polite"
	"github.com/vendemmia/vendemmia/internal/visit"
)

// lead is how many pages are asked for while others are committed.
const lead = 3

var errStore = errors.New("the store is gone")

// soon waits until something is so.
func soon(t *testing.T, so func() bool) {
	t.Helper()
	require.Eventually(t, so, 10*time.Second, time.Millisecond)
}

// committing harvests with a commit of one's own.
func (w *world) committing(ctx context.Context, commit func(n int, p harvest.Page) error) error {
	n := 0
	_, err := harvest.Pump(ctx, web.New(w.client), harvest.Request{Params: []byte(w.params), Checkpoint: w.checkpoint, Attempt: 1}, harvest.CommitFunc(
		func(_ context.Context, p harvest.Page) (harvest.Tally, error) {
			n++
			if err := commit(n, p); err != nil {
				return harvest.Tally{}, err
			}
			w.checkpoint = p.Checkpoint
			return harvest.PageTally(&p), nil
		}))
	return err
}

func TestTheNextPagesAreAskedForWhileOthersAreCommitted(t *testing.T) {
	t.Parallel()
	s := site.New(site.Config{Pages: 100, PerList: 100})
	w := newWorld(t, s, listParams)
	committed := 0
	require.NoError(t, w.committing(t.Context(), func(_ int, p harvest.Page) error {
		committed += len(p.Documents)
		ahead := min(lead, 100-committed)
		soon(t, func() bool { return s.Asked("/acts/") == committed+ahead })
		require.NotContains(t, string(p.Checkpoint), "ahead")
		return nil
	}))
	require.Equal(t, 100, s.Asked("/acts/"), "each once")
}

func TestWhatWasAskedAheadAndNotCommittedIsAskedAgain(t *testing.T) {
	t.Parallel()
	s := site.New(site.Config{Pages: 60, PerList: 60})
	w := newWorld(t, s, listParams)
	var docs []harvest.Document
	first := w.committing(t.Context(), func(n int, p harvest.Page) error {
		soon(t, func() bool { return s.Asked("/acts/") == 20*n-1+lead })
		if n == 2 {
			return errStore
		}
		docs = append(docs, p.Documents...)
		return nil
	})
	require.ErrorIs(t, first, errStore)
	rest := w.run()
	require.NoError(t, rest.err)
	require.Len(t, append(docs, rest.docs...), 60)
	require.Equal(t, 60+20+lead, s.Asked("/acts/"), "the page that was not committed, and what was asked ahead of it")
}

func TestAFailureAheadShowsWhenItsTurnComes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer site.Answer
		kind   harvest.Kind
	}{
		"throttled": {site.Answer{Status: 429, Header: map[string]string{"Retry-After": "60"}}, harvest.KindThrottled},
		"failing":   {site.Answer{Status: 500}, harvest.KindServerError},
	} {
		s := site.New(site.Config{Pages: 60, PerList: 60})
		w := newWorld(t, s, listParams)
		bad := site.Path(60 - 1 - 19) // the list and nineteen pages are the first page
		s.Instead(bad, c.answer)
		h := w.run()
		require.Equal(t, c.kind, harvest.KindOf(h.err), name)
		require.Len(t, h.pages[0].Documents, 19, name)
		require.LessOrEqual(t, len(h.docs), 19+20, name)
		s.Heal(bad)
		rest := w.run()
		require.NoError(t, rest.err)
		require.Len(t, append(h.docs, rest.docs...), 60, name)
	}
}

// TestWhoStopsLeavesNothingBehind: the consumer stops, or the context ends, while
// pages are asked for ahead that never answer.
func TestWhoStopsLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"the consumer stops", "the context ends"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			s := site.New(site.Config{Pages: 60, PerList: 60})
			var hanging, asked atomic.Int32
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasPrefix(r.URL.Path, "/acts/") && asked.Add(1) > 19 {
					hanging.Add(1)
					defer hanging.Add(-1)
					<-r.Context().Done()
					return
				}
				s.ServeHTTP(w, r)
			})
			w := newWorld(t, h, listParams)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			err := w.committing(ctx, func(int, harvest.Page) error {
				soon(t, func() bool { return hanging.Load() == lead })
				if how == "the context ends" {
					cancel()
					return nil
				}
				return errStore
			})
			require.Error(t, err)
			soon(t, func() bool { return hanging.Load() == 0 })
			require.Equal(t, int32(19+lead), asked.Load())
		})
	}
}

func TestNoMoreIsAskedAheadThanIsWanted(t *testing.T) {
	t.Parallel()
	s := site.New(site.Config{Pages: 60, PerList: 60})
	w := newWorld(t, s, listParams)
	h := w.run(func(r *harvest.Request) { r.Limit = 20 })
	require.NoError(t, h.err)
	require.Equal(t, 20, s.Asked("/acts/"), "a trial")
	w = newWorld(t, s, strings.Replace(listParams, "{", `{"max_reads":21,`, 1))
	h = w.run()
	require.NoError(t, h.err)
	require.Len(t, h.docs, 21)
	require.Equal(t, 20+21, s.Asked("/acts/"), "max_reads")
}

// TestAHostWithAGapHasOneRequestInFlight: asking ahead goes through the same queue.
func TestAHostWithAGapHasOneRequestInFlight(t *testing.T) {
	t.Parallel()
	s := site.New(site.Config{Pages: 26, PerList: 26})
	const gap = 10 * time.Millisecond
	var mu sync.Mutex
	var ended time.Time
	var flying, most int
	shortest := time.Hour
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		if flying++; !ended.IsZero() {
			shortest = min(shortest, time.Since(ended))
		}
		most = max(most, flying)
		mu.Unlock()
		answer := httptest.NewRecorder()
		s.ServeHTTP(answer, r)
		mu.Lock()
		flying--
		ended = time.Now()
		mu.Unlock()
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(answer.Body.Bytes()) // the client may be gone
	})
	w := newWorld(t, h, listParams)
	client := polite.New(polite.Settings{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Rules: func(string) polite.Rule { return polite.Rule{Every: gap} }})
	defer client.Close()
	pages := map[int]int{}
	w.client = client.HTTP(visit.Visitor{Record: func(x visit.Exchange) {
		mu.Lock()
		defer mu.Unlock()
		pages[x.Page]++
	}})
	require.NoError(t, w.committing(t.Context(), func(int, harvest.Page) error { return nil }))
	require.Equal(t, 1, most)
	require.GreaterOrEqual(t, shortest, gap)
	require.Equal(t, map[int]int{0: 1, 1: 19, 2: 7}, pages, "each line belongs to the page it was asked for")
}
