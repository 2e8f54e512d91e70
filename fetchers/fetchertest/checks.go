package fetchertest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/panics"
)

func checkWhole(t *testing.T, c Case) {
	base := c.serve(t, nil)
	r, sum, err := fetch(t, c.New(client(t, patience)), c.request(base, nil))
	require.NoError(t, err)
	require.Equal(t, sorted(c.IDs), r.ids(), "every id once")
	require.GreaterOrEqual(t, len(r.pages), max(1, c.Pages), "pages")
	require.GreaterOrEqual(t, sum.Listed, len(c.IDs), "what is yielded was listed")
	require.False(t, sum.Partial || sum.NotModified || sum.Quarantined > 0, "%+v", sum)
	for i, p := range r.pages {
		require.NotEmpty(t, p.Checkpoint, "page %d has no checkpoint to go on from", i+1)
		require.True(t, !p.Last || i == len(r.pages)-1, "page %d said that it is the last", i+1)
	}
}

// checkResume goes on from each checkpoint as a second worker would.
func checkResume(t *testing.T, c Case) {
	base := c.serve(t, nil)
	f := c.New(client(t, patience))
	whole, _, err := fetch(t, f, c.request(base, nil))
	require.NoError(t, err)
	for n := range whole.pages {
		before := whole.pages[:n+1]
		rest, _, err := fetch(t, f, c.request(base, before[n].Checkpoint))
		require.NoError(t, err)
		both := &record{pages: append(before[:len(before):len(before)], rest.pages...)}
		require.Equal(t, sorted(c.IDs), both.ids(), "after page %d of %d: neither loss nor double", n+1, len(whole.pages))
	}
}

func checkLimit(t *testing.T, c Case) {
	base := c.serve(t, nil)
	f := c.New(client(t, patience))
	for _, limit := range []int{1, len(c.IDs)} {
		req := c.request(base, nil)
		req.Limit = limit
		r, _, err := fetch(t, f, req)
		require.NoError(t, err)
		require.Len(t, r.documents(), limit)
	}
	after, _, err := fetch(t, f, c.request(base, nil))
	require.NoError(t, err)
	require.Equal(t, sorted(c.IDs), after.ids(), "a trial left something behind")
}

func checkBreak(t *testing.T, c Case) {
	base := c.serve(t, nil)
	pages := 0
	for _, err := range c.New(client(t, patience)).Fetch(t.Context(), c.request(base, nil)) {
		require.NoError(t, err)
		pages++
		break
	}
	require.Equal(t, 1, pages)
}

// checkCancel cancels before anything, while an answer is awaited, and in the
// middle of a body.
func checkCancel(t *testing.T, c Case) {
	for _, f := range []*fault{nil, silence(), drip()} {
		ctx, cancel := context.WithCancel(t.Context())
		base := c.serve(t, f)
		if f == nil {
			cancel()
		} else {
			go func() {
				<-f.struck
				cancel()
			}()
		}
		r := &record{}
		_, err := harvest.Pump(ctx, c.New(client(t, patience)), c.request(base, nil), r)
		cancelled := time.Now()
		require.Error(t, err, "%s: a cancelled fetch is not a success", f)
		require.ErrorIs(t, err, context.Canceled, f)
		require.Empty(t, r.documents(), f)
		if f != nil {
			require.Less(t, cancelled.Sub(f.time()), time.Second+patience/20, "%s: stops within a second", f)
		}
		cancel()
	}
}

func checkUnchanged(t *testing.T, c Case) {
	base := c.serve(t, nil)
	f := c.New(client(t, patience))
	first, _, err := fetch(t, f, c.request(base, nil))
	require.NoError(t, err)
	known, checkpoint := first.sums(), first.checkpoint()
	for range 2 {
		r, sum, err := fetch(t, f, c.request(base, checkpoint))
		require.NoError(t, err)
		require.False(t, sum.Partial || sum.Quarantined > 0, "%+v", sum)
		require.True(t, sum.NotModified || sum.Listed > 0, "nothing new must not look like nothing there")
		for id, s := range r.sums() {
			require.Equal(t, known[id], s, "document %q was not changed, but its hash was", id)
		}
		checkpoint = r.checkpoint()
		require.NotEmpty(t, checkpoint)
	}
}

// checkHalf: of a source that forgets every other validator some is unchanged, some
// comes again, and all of it is counted.
func checkHalf(t *testing.T, c Case) {
	healthy, asked := c.Source, &atomic.Int64{}
	c.Source = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1)%2 == 0 {
			r.Header.Del("If-None-Match")
			r.Header.Del("If-Modified-Since")
		}
		healthy.ServeHTTP(w, r)
	})
	base := c.serve(t, nil)
	f := c.New(client(t, patience))
	r, first, err := fetch(t, f, c.request(base, nil))
	require.NoError(t, err)
	for range 2 {
		asked.Add(1)
		var sum harvest.Tally
		r, sum, err = fetch(t, f, c.request(base, r.checkpoint()))
		require.NoError(t, err)
		require.True(t, sum.Listed == 0 || sum.Listed <= first.Listed, "%d were listed, %d before", sum.Listed, first.Listed)
	}
}

func checkAgain(t *testing.T, c Case) {
	base := c.serve(t, nil)
	f := c.New(client(t, patience))
	first, _, err := fetch(t, f, c.request(base, nil))
	require.NoError(t, err)
	req := c.request(base, first.checkpoint())
	req.ForceRefresh = true
	again, sum, err := fetch(t, f, req)
	require.NoError(t, err)
	require.False(t, sum.NotModified)
	require.Equal(t, first.sums(), again.sums())
}

func checkConcurrency(t *testing.T, c Case) {
	base := c.serve(t, nil)
	f := c.New(client(t, patience))
	var wg sync.WaitGroup
	records, errs := make([]*record, 8), make([]error, 8)
	for i := range records {
		records[i] = &record{}
		wg.Go(func() {
			_, errs[i] = harvest.Pump(t.Context(), f, c.request(base, nil), records[i])
		})
	}
	wg.Wait()
	require.NoError(t, errors.Join(errs...))
	for _, r := range records {
		require.Equal(t, sorted(c.IDs), r.ids())
	}
}

func checkBadParams(t *testing.T, c Case) {
	base := c.serve(t, nil)
	f := c.New(client(t, patience))
	good := bytes.TrimSpace(c.Params(base))
	unknown := `{"no_such_param":1,` + string(good[1:])
	for _, bad := range []string{unknown, `[]`, `"text"`, `{`} {
		req := c.request(base, nil)
		req.Params = json.RawMessage(bad)
		r, _, err := fetch(t, f, req)
		require.Equal(t, harvest.KindMisconfigured, harvest.KindOf(err), "params %s: %v", bad, err)
		require.Empty(t, r.pages)
	}
	for _, strange := range []string{`{"a":"checkpoint of something else"}`, `[1]`, `"x"`, `null`} {
		r, _, err := fetch(t, f, c.request(base, json.RawMessage(strange)))
		if err == nil {
			require.Equal(t, sorted(c.IDs), r.ids(), "checkpoint %s: a strange checkpoint is none, or an error", strange)
		}
		requireNoPanic(t, err)
	}
}

func requireNoPanic(t *testing.T, err error) {
	t.Helper()
	if p, ok := errors.AsType[*panics.Panic](err); ok {
		require.Fail(t, "the fetcher panicked", "%v\n%s", p.Value, p.Stack)
	}
}
