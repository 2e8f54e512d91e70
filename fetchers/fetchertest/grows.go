package fetchertest

import (
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// checkGrowth lets the source grow after each page of a first fetch, up to twenty times,
// and fetches once more: every record there is came, whenever it came to be. Some may
// come twice.
func checkGrowth(t *testing.T, c Case) {
	if c.Growing == nil {
		t.Skip("the case has no source that grows")
	}
	source, grow := c.Growing()
	s := httptest.NewServer(source)
	t.Cleanup(s.Close)
	f, all, want := c.New(client(t, patience)), &record{}, slices.Clone(c.IDs)
	for page, err := range f.Fetch(t.Context(), c.request(s.URL, nil)) {
		require.NoError(t, err)
		all.pages = append(all.pages, page)
		if len(all.pages) <= 20 {
			want = append(want, grow())
		}
		if page.Last || len(all.pages) > 100*len(c.IDs) {
			break
		}
	}
	require.Greater(t, len(want), len(c.IDs), "a fetch without pages")
	after, _, err := fetch(t, f, c.request(s.URL, all.checkpoint()))
	require.NoError(t, err)
	all.pages = append(all.pages, after.pages...)
	require.Subset(t, all.ids(), want, "what came to be while the source was read is lost")
}
