package activities

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

func TestWhatCameInsteadIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(campaign("news", "a"))
	o := w.open(steps.Start{Campaign: "news"})
	w.script.on("a", fails(&harvest.Error{Kind: harvest.KindBroken, Op: "parse feed", Evidence: []byte("<html>not a feed</html>")}))
	_, err := w.fetch(o)
	require.NoError(t, err)
	require.Equal(t, outcomes.Broken, w.items(o.Run)["a"].Outcome)

	kept, err := w.store.Failures(t.Context(), rows.FailureFilter{Run: o.Run})
	require.NoError(t, err)
	require.Len(t, kept, 1)
	require.Equal(t, harvest.KindBroken, kept[0].Kind)
	whole, err := w.store.Failure(t.Context(), kept[0].ID)
	require.NoError(t, err)
	require.Equal(t, "<html>not a feed</html>", string(whole.Bytes))
	require.Zero(t, w.items(o.Run)["a"].Tally.Quarantined, "it is not a record")
}

// A source that lists too little lists too little also when it says that nothing
// is new: the second run is no greener than the first.
func TestTooLittleStaysTooLittle(t *testing.T) {
	t.Parallel()
	j := evaluation{expect: campaigns.ItemExpectation{MinDocuments: 50}}
	require.Equal(t, outcomes.Empty, j.settle(harvest.Tally{Pages: 1, Listed: 10, New: 10}, rows.Unread{}).Outcome)
	require.Equal(t, outcomes.Empty, j.settle(harvest.Tally{Pages: 1, Listed: 10, Same: 10, NotModified: true}, rows.Unread{}).Outcome)
	require.Equal(t, outcomes.Unchanged, j.settle(harvest.Tally{Pages: 1, NotModified: true}, rows.Unread{}).Outcome, "it did not say what it lists")
}
