package cli

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"github.com/vendemmia/vendemmia/internal/cli/engine"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/workflows"
)

func TestEmptyWorldIsTold(t *testing.T) {
	t.Parallel()
	commands := [][]string{
		{"runs", "list"},
		{"campaigns", "list"},
		{"items", "list"},
		{"documents", "list"},
		{"documents", "count"},
		{"documents", "count", "--by", "campaign"},
		{"checkpoints", "list"},
		{"failures", "list"},
		{"why", "news"},
		{"documents", "list", "--campaign", "news"},
	}
	for _, args := range commands {
		nothing := program.ExitOK
		if len(args) > 1 && args[len(args)-1] == "news" {
			nothing = program.ExitUsage // a name that nothing has
		}
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			b := emptyBench(t)
			require.Equal(t, program.ExitOK, b.run("init").code)
			require.Equal(t, nothing, b.run(args...).code, "a new store beside no schedule")

			_, err := b.engine.schedules.Create(t.Context(), client.ScheduleOptions{ID: "campaign-news", Memo: map[string]any{workflows.MemoStore: "c0ffee00"}})
			require.NoError(t, err)
			r := b.run(args...)
			require.Equal(t, program.ExitError, r.code, r.out)
			require.Contains(t, r.err, "belong to store #c0ffee00: wrong folder, or --store")

			b.engine.down = errors.New("connection refused")
			require.Equal(t, nothing, b.run(args...).code, "no server, nothing to compare with")
		})
	}
}

// TestTheStoreRemembersItsServer: another server is not one on which everything
// has drifted.
func TestTheStoreRemembersItsServer(t *testing.T) {
	t.Parallel()
	b := emptyBench(t)
	b.ok("init")
	b.engine.id = "ns-1"
	b.ok("campaigns", "apply")
	b.ok("campaigns", "plan")

	b.engine.id, b.engine.at = "ns-2", engine.Target{Address: "localhost:7299", Namespace: "default"}
	for _, args := range [][]string{{"campaigns", "plan"}, {"campaigns", "apply"}, {"trigger", "--campaign", "example"}, {"campaigns", "pause", "example"}} {
		r := b.run(args...)
		require.Equal(t, program.ExitError, r.code, "%v %s", args, r.out)
		require.Contains(t, r.err, "was applied to namespace default @ localhost:7233, and this is namespace default @ localhost:7299")
		require.Contains(t, r.err, "starter campaigns apply --move")
		require.NotContains(t, r.out, "no longer on the server")
	}
	require.Contains(t, b.ok("campaigns", "list"), "example", "what needs no server is shown")

	b.ok("campaigns", "apply", "--move")
	b.ok("campaigns", "plan")
	b.engine.id, b.engine.at = "ns-1", engine.Target{}
	require.Equal(t, program.ExitError, b.run("campaigns", "plan").code)
}
