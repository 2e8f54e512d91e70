package watch

import (
	"context"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

func NeedLook() []outcomes.Outcome {
	var out []outcomes.Outcome
	for _, o := range outcomes.All() {
		if o.Severity() != outcomes.OK {
			out = append(out, o)
		}
	}
	return out
}

// EndedThere says how the workflow of an open run has ended in Temporal; a server
// that does not answer says nothing.
func EndedThere(ctx context.Context, e program.RunEngine, r rows.Run) string {
	how, err := e.Ended(ctx, r.WorkflowID, r.RunID)
	if err != nil {
		return ""
	}
	return how
}
