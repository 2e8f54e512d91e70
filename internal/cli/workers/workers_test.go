package workers

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/internal/cli/engine"
)

// TestWorkersHoldItemsOnce: a worker has a row for each of its queues.
func TestWorkersHoldItemsOnce(t *testing.T) {
	t.Parallel()
	all := []engine.Worker{{Identity: "a", Queue: "vendemmia-control"}, {Identity: "a", Queue: "vendemmia-fetch"}, {Identity: "b", Queue: "vendemmia-control"}}
	require.Equal(t, 1, holder(all, "a", "vendemmia-control"))
	require.Equal(t, 2, holder(all, "b", "vendemmia-control"))
}
