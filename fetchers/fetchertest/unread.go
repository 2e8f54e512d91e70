package fetchertest

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
)

// checkUnread follows records that cannot be read: they cost none of their
// neighbours, they are asked for again while they are unread, and they come, or
// are resolved, once the source has mended or withdrawn them.
func checkUnread(t *testing.T, c Case) {
	if c.Spoiled == nil {
		t.Skip("the case has no source with records that cannot be read")
	}
	ends := map[string]http.Handler{"mended": c.Source}
	if c.Withdrawn != nil {
		ends["withdrawn"] = c.Withdrawn
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.followUnread(t, end, name == "mended")
		})
	}
}

func (c Case) followUnread(t *testing.T, end http.Handler, mended bool) {
	base, turn := serveInTurn(t, c.Spoiled, end)
	f := c.New(client(t, patience))
	first, _, err := fetch(t, f, c.request(base, nil))
	require.NoError(t, err)
	req := c.request(base, first.checkpoint())
	req.Unread = first.unread()
	require.NotEmpty(t, req.Unread, "nothing was set aside")
	require.Subset(t, c.IDs, first.ids(), "a record that could not be read became a document")
	require.Len(t, first.ids(), len(c.IDs)-len(req.Unread), "its neighbours come")

	for range 2 {
		still, _, err := fetch(t, f, req)
		require.NoError(t, err, "a record that stays as it is ends no fetch")
		require.Empty(t, still.settled(req.Unread), "not read, and resolved all the same")
		if cp := still.checkpoint(); cp != nil {
			req.Checkpoint = cp
		}
	}
	turn()
	last, _, err := fetch(t, f, req)
	require.NoError(t, err)
	require.Len(t, last.settled(req.Unread), len(req.Unread), "each unread record comes, or is resolved")
	if mended {
		both := &record{pages: append(first.pages, last.pages...)}
		require.Equal(t, sorted(c.IDs), slices.Compact(both.ids()), "what can be read now came")
	}
}

// serveInTurn serves before until turn is called, then after.
func serveInTurn(t *testing.T, before, after http.Handler) (base string, turn func()) {
	t.Helper()
	var turned atomic.Bool
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if turned.Load() {
			after.ServeHTTP(w, r)
			return
		}
		before.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, func() { turned.Store(true) }
}

// unread are the records that were rejected, as a store would give them back.
func (r *record) unread() (list []harvest.Unread) {
	for _, p := range r.pages {
		for _, x := range p.Rejects {
			u := harvest.Unread{ID: x.ID, Where: x.Where, Since: time.Now()}
			if u.ID == "" {
				u.ID = harvest.Digest(x.Bytes)
			}
			list = append(list, u)
		}
	}
	return list
}

// settled are those of the unread records that came as documents, or were
// resolved.
func (r *record) settled(unread []harvest.Unread) (ids []string) {
	done := r.ids()
	for _, p := range r.pages {
		done = append(done, p.Resolved...)
	}
	for _, u := range unread {
		if slices.Contains(done, u.ID) {
			ids = append(ids, u.ID)
		}
	}
	return ids
}
