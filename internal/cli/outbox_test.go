package cli

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

// unsentBench has a notification that was given up, and one that is tried again.
func unsentBench(t *testing.T) *bench {
	t.Helper()
	b := newBench(t)
	s := b.openStore()
	for i, event := range []string{"warnings", "missed"} {
		require.NoError(t, s.RecordRun(t.Context(), rows.Run{
			RunID: event, WorkflowID: "news-" + event, Campaign: "news", Outcome: outcomes.Outcome(event), DueAt: utc(10+i, 0, 0),
		}, rows.Message{Campaign: "news", To: "https://hook.example/${secret:env:X}", Payload: json.RawMessage(`{"event":"` + event + `"}`)}))
	}
	require.NoError(t, s.Sent(t.Context(), 1, "notify https://hook.example: connection refused", utc(17, 0, 0)))
	require.NoError(t, s.Sent(t.Context(), 2, "notify https://hook.example: HTTP status 404", time.Time{}))
	require.NoError(t, s.Close())
	return b
}

func TestUnsentNotificationsAreSeen(t *testing.T) {
	t.Parallel()
	b := unsentBench(t)
	for name, args := range map[string][]string{
		"outbox_list": {"outbox", "list"}, "unsent_why": {"why", "news"}, "unsent_campaign": {"campaigns", "show", "news"},
		"unsent_items": {"items", "list", "--unhealthy"}, "unsent_run": {"runs", "show", "news-missed"},
	} {
		golden(t, name, b.run(args...).out)
	}
	require.NotContains(t, b.ok("runs", "show", newsRun), "unsent", "it has sent all of its own")
}

func TestOutboxRetryAndDrop(t *testing.T) {
	t.Parallel()
	b := unsentBench(t)
	require.Equal(t, "1 message: due now; a worker sends within five minutes\n", b.ok("outbox", "retry", "m-2"))
	require.NotContains(t, b.ok("outbox", "list"), "given up")
	require.Equal(t, "2 messages: dropped\n", b.ok("outbox", "drop", "--campaign", "news"))
	require.Contains(t, b.ok("outbox", "list"), "No unsent notifications")
	for _, args := range [][]string{{"m-2", "--campaign", "news"}, {}, {"x"}, {"--campaign", "news"}} {
		require.Equal(t, program.ExitUsage, b.run(append([]string{"outbox", "drop"}, args...)...).code, args)
	}
	require.Equal(t, program.ExitError, b.run("outbox", "retry", "m-99").code)
}
