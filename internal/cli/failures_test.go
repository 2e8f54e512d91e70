package cli

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/program"
)

func TestFailuresRetry(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"by id":       {"q-1", "q-2"},
		"by item":     {"--item", "ilsole24ore-norme"},
		"by campaign": {"--campaign", "news"},
		"by kind":     {"--kind", "bad_record"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.ok(append([]string{"failures", "retry", "-d"}, args...)...)
			require.Len(t, b.engine.started, 1)
			start := b.engine.started[0].Start
			require.Equal(t, "news", start.Campaign)
			require.Equal(t, []string{"ilsole24ore-norme"}, start.Items)
			require.True(t, start.ForceRefresh, "a fetcher that was mended reads it again, 304 or not")
		})
	}
}

func TestFailuresAccept(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	require.Equal(t, "accepted 1 failure of 1 item; what the next run meets decides how it ends\n", b.ok("failures", "accept", "q-2"))
	require.Len(t, b.open(), 2)
	r := b.run("failures", "accept", "q-2")
	require.Equal(t, program.ExitUsage, r.code)
	require.Contains(t, r.err, "it is accepted already")
	b.ok("failures", "accept", "--campaign", "news")
	require.Empty(t, b.open())
	require.Contains(t, b.ok("failures", "list"), "No open failures; all: starter failures list --all\n")
	require.Contains(t, b.ok("failures", "list", "--all"), "accepted")
	for _, verb := range []string{"accept", "retry"} {
		require.Equal(t, program.ExitUsage, b.run("failures", verb).code, "it must be said which")
		require.Equal(t, program.ExitUsage, b.run("failures", verb, "--campaign", "news").code, "there is none left")
		require.Equal(t, program.ExitError, b.run("failures", verb, "q-99").code)
		require.Equal(t, program.ExitUsage, b.run("failures", verb, "x").code)
	}
}

func (b *bench) open() []rows.Failure {
	b.t.Helper()
	var list []rows.Failure
	require.NoError(b.t, json.Unmarshal([]byte(b.ok("failures", "list", "-o", "json")), &list))
	return list
}
