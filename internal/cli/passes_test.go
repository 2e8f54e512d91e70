package cli

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
	noun "github.com/vendemmia/vendemmia/internal/cli/campaigns"
	"github.com/vendemmia/vendemmia/internal/cli/print"
)

func TestPassesOfTheEntriesThatHaveThem(t *testing.T) {
	t.Parallel()
	s := newBench(t).openStore()
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	camp := campaigns.Campaign{Name: "news", Entries: []campaigns.Entry{{Name: "feed", Refresh: time.Hour}, {Name: "other"}}}
	all, err := noun.PassesOf(t.Context(), s, camp, time.Now().AddDate(50, 0, 0))
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.Positive(t, all["feed"].Due)
	require.Equal(t, all["feed"].Items, all["feed"].Due)
	require.NotContains(t, noun.EntryScreen(camp.Entries[1], nil, print.Clock{}), "refresh")
}
