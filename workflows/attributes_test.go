package workflows

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

func TestSearchAttributes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	o := opened(1)
	o.Trigger = steps.TriggerHand
	o.Attributes = map[string]string{"Outcome": "VendOutcome", "Documents": "VendDocuments", "Trigger": "VendTrigger"}
	w.open = func(steps.OpenRunIn) (steps.Opened, error) { return o, nil }
	w.close = func(steps.CloseRunIn) (steps.Summary, error) {
		return steps.Summary{Outcome: outcomes.Warnings, Documents: steps.Documents{New: 3, Changed: 2, Deleted: 1}, FailedItems: 1}, nil
	}
	w.env.OnUpsertTypedSearchAttributes(temporal.NewSearchAttributes(
		temporal.NewSearchAttributeKeyKeyword("VendOutcome").ValueSet("warnings"),
		temporal.NewSearchAttributeKeyInt64("VendDocuments").ValueSet(6),
		temporal.NewSearchAttributeKeyKeyword("VendTrigger").ValueSet("hand"),
	)).Return(nil).Once()
	_, err := w.run(steps.Start{Campaign: "news", Trigger: steps.TriggerSchedule})
	require.NoError(t, err)
	w.env.AssertExpectations(t)
}

func TestOnlyWhatTheStartDidNotKnowIsSet(t *testing.T) {
	t.Parallel()
	r := &run{in: steps.Start{Trigger: steps.TriggerHand}}
	r.state.Run = steps.Opened{Trigger: steps.TriggerHand, Attributes: map[string]string{"Trigger": "VendTrigger", "Campaign": "VendCampaign"}}
	require.Empty(t, r.attributes(steps.Summary{Outcome: outcomes.Done}))
	r.state.Run.Trigger = steps.TriggerSchedule
	require.Len(t, r.attributes(steps.Summary{Outcome: outcomes.Done}), 1)
	r.state.Run.Attributes = nil
	require.Empty(t, r.attributes(steps.Summary{Outcome: outcomes.Done, FailedItems: 3}), "a server without attributes")
}
