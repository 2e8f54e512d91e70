package campaigns_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
)

func TestCount(t *testing.T) {
	t.Parallel()
	require.Equal(t, 0, campaigns.Count{}.Of(100))
	require.Equal(t, 3, campaigns.Count{N: 3}.Of(100))
	require.Equal(t, 6, campaigns.Count{Share: 0.05}.Of(133), "rounded down")
	require.Equal(t, 29, campaigns.Count{Share: 0.29}.Of(100), "not 28: a share is not exact in binary")
	require.Equal(t, 5, campaigns.Count{N: 50, Share: 0.05}.Of(100), "a share outranks a number")
}
