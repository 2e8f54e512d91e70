package fetchertest

import (
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
)

// checkGrowth lets the source grow after each page of a first fetch, up to twenty times,
// and fetches once more: every record there is came, whenever it came to be. Some may
// come twice. It does so with a fetch in one piece, and with one that is cut behind every
// page and goes on from its checkpoint.
func checkGrowth(t *testing.T, c Case) {
	if c.Growing == nil {
		t.Skip("the case has no source that grows")
	}
	for name, pages := range map[string]int{"in one piece": 100 * len(c.IDs), "cut behind every page": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			growth(t, c, pages)
		})
	}
}

// growth is checkGrowth with fetches of so many pages.
func growth(t *testing.T, c Case, pages int) {
	source, grow := c.Growing()
	s := httptest.NewServer(source)
	t.Cleanup(s.Close)
	f, all, want := c.New(client(t, patience)), &record{}, slices.Clone(c.IDs)
	for last := false; !last && len(all.pages) <= 100*len(c.IDs); {
		last = some(t, f, c.request(s.URL, all.checkpoint()), pages, func(p harvest.Page) {
			if all.pages = append(all.pages, p); len(all.pages) <= 20 {
				want = append(want, grow())
			}
		})
	}
	require.Greater(t, len(want), len(c.IDs), "a fetch without pages")
	after, _, err := fetch(t, f, c.request(s.URL, all.checkpoint()))
	require.NoError(t, err)
	all.pages = append(all.pages, after.pages...)
	require.Subset(t, all.ids(), want, "what came to be while the source was read is lost")
}

// some fetches no more than so many pages, and reports whether the last one was there.
func some(t *testing.T, f harvest.Fetcher, req harvest.Request, pages int, keep func(harvest.Page)) bool {
	n := 0
	for page, err := range f.Fetch(t.Context(), req) {
		require.NoError(t, err)
		keep(page)
		if n++; page.Last || n >= pages {
			return page.Last
		}
	}
	return true
}
