package api_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/fetchers"
)

// TestExamplesAreRight: the campaign files that show api can be applied.
func TestExamplesAreRight(t *testing.T) {
	t.Parallel()
	l, err := campaigns.Load([]string{"../../examples/api.yaml", "sample.yaml"}, func(name string) (campaigns.FetcherInfo, error) {
		k, err := fetchers.Builtin().Find(name)
		return campaigns.FetcherInfo{Name: k.Name, Description: k.Description}, err
	})
	require.NoError(t, err)
	require.Empty(t, l.Problems)
	require.Len(t, l.Campaigns, 3)
}
