package workflows

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/workflow"
)

func TestAGuardTellsOldRunsFromNew(t *testing.T) {
	t.Parallel()
	guard := change{name: "rest-before-closing", until: "2099-01-31"}
	ways := func(ctx workflow.Context) (bool, error) { return guard.happened(ctx), nil }
	for _, c := range []struct {
		name    string
		version workflow.Version
		want    bool
	}{
		{"began before", workflow.DefaultVersion, false},
		{"began after", 1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			env := environment()
			env.RegisterWorkflow(ways)
			env.OnGetVersion(guard.name, workflow.DefaultVersion, workflow.Version(1)).Return(c.version)
			env.ExecuteWorkflow(ways)
			var got bool
			require.NoError(t, env.GetWorkflowResult(&got))
			require.Equal(t, c.want, got)
		})
	}
}

func TestGuardsHaveANameAndADay(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, c := range changes() {
		require.False(t, names[c.name], "two guards are named %s", c.name)
		names[c.name] = true
		_, err := time.Parse(time.DateOnly, c.until)
		require.NoError(t, err, c.name)
	}
}
