package web_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/fetchers"
)

func TestTheExampleIsValid(t *testing.T) {
	t.Parallel()
	loaded, err := campaigns.Load([]string{"../../examples/web.yaml"}, func(name string) (campaigns.FetcherInfo, error) {
		k, err := fetchers.Builtin().Find(name)
		return campaigns.FetcherInfo{Name: k.Name, Description: k.Description}, err
	})
	require.NoError(t, err)
	require.Empty(t, loaded.Problems)
	require.Len(t, loaded.Campaigns, 3)
}
