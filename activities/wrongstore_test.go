package activities

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/workflows/steps"
)

func TestARunThatMeansAnotherStoreIsRefusedByName(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.OpenRun(t.Context(), steps.OpenRunIn{Start: steps.Start{Campaign: "news", Store: "deadbeef"}, WorkflowID: "news-1", RunID: "r-1"})
	require.ErrorContains(t, err, "belongs to store deadbeef")
	require.ErrorContains(t, err, w.store.ID())
}
