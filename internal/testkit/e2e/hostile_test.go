package e2e

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// A poisoned item kills three workers and is given up; one that panics and one
// that hangs are given up too; the others are done, and what each of them had
// committed stays.
func TestPoisonedItemsHurtOnlyThemselves(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	binary := filepath.Join(h.dir, "worker")
	out, err := exec.CommandContext(h.within(5*time.Minute), "go", "build", "-o", binary, "./hostile").CombinedOutput()
	require.NoError(t, err, string(out))
	h.binary, h.cliBinary = binary, filepath.Join(h.dir, "starter")
	require.NoError(t, exec.CommandContext(t.Context(), "cp", binary, h.cliBinary).Run(), "one program, by two names")

	h.work("--drain", "2s")
	does := []string{"well", "well", "kill", "well", "panic", "hang", "well", "well"}
	var items strings.Builder
	for i, d := range does {
		fmt.Fprintf(&items, "        - { name: item-%d, does: %s }\n", i, d)
	}
	h.write("traps.yaml", `project: e2e
campaigns:
  traps:
    fetcher: trap
    processors: 8
    timeouts: { page: 2s, item: 60s }
    retry: [ { times: 0 } ]
    tolerate: { items: 50% }
    split:
      items:
`+items.String())
	_, code := h.starter("campaigns", "apply", "traps.yaml", "--yes")
	require.Equal(t, 0, code)
	run := h.start("traps-1", steps.Start{Campaign: "traps"})
	deaths := h.keepAlive("traps-1")
	require.Equal(t, outcomes.Warnings, h.result(run).Outcome)
	h.requireTraps(does)
	require.Equal(t, 3, deaths, "three workers died under the poisoned item, and then it was given up")
}

// keepAlive starts a worker whenever one has died, until the run is closed, and
// counts.
func (h *house) keepAlive(workflowID string) (deaths int) {
	h.t.Helper()
	h.eventually("the run is closed", 3*time.Minute, func() bool {
		select {
		case <-h.worker.Done():
			deaths++
			h.work("--drain", "2s")
		default:
		}
		return h.closed(workflowID)
	})
	return deaths
}

func (h *house) requireTraps(does []string) {
	h.t.Helper()
	s := h.open()
	run, err := s.FindRun(h.t.Context(), "traps")
	require.NoError(h.t, err)
	items, err := s.RunItems(h.t.Context(), run.ID, rows.ItemFilter{})
	require.NoError(h.t, err)
	require.Len(h.t, items, len(does))
	for _, item := range items {
		var n int
		_, err := fmt.Sscanf(item.Key, "item-%d", &n)
		require.NoError(h.t, err)
		h.t.Logf("%s (%s): %s, %s, %s; %d lost", item.Key, does[n], item.Outcome, item.Why, item.Error, item.Lost)
		want := outcomes.Failed
		if does[n] == "well" {
			want = outcomes.Done
		}
		require.Equal(h.t, want, item.Outcome, "%s: %s", item.Key, does[n])
		require.Equal(h.t, 1, item.Tally.New, "what %s committed stays", item.Key)
		if does[n] == "kill" {
			require.Equal(h.t, string(outcomes.WhyWorkerLost), item.Why)
		}
	}
}
