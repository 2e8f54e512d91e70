package cli

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

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
	}
	for _, args := range commands {
		t.Run(args[0], func(t *testing.T) {
			t.Parallel()
			b := emptyBench(t)
			require.Equal(t, exitOK, b.run("init").code)
			require.Equal(t, exitOK, b.run(args...).code, "a new store beside no schedule")

			_, err := b.engine.schedules.Create(t.Context(), client.ScheduleOptions{ID: "campaign-news", Memo: map[string]any{workflows.MemoStore: "c0ffee00"}})
			require.NoError(t, err)
			r := b.run(args...)
			require.Equal(t, exitError, r.code, r.out)
			require.Contains(t, r.err, "belong to store #c0ffee00: wrong folder, or --store")

			b.engine.down = errors.New("connection refused")
			require.Equal(t, exitOK, b.run(args...).code, "no server, nothing to compare with")
		})
	}
}
