package e2e

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/local/dev"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/store"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// requireOnce holds the store against the source: everything once, nothing
// lost, nothing doubled. It returns the counts for the log.
func requireOnce(t *testing.T, s *store.Store, src *source, campaign string) rows.Counts {
	t.Helper()
	want, seen := src.ids(), map[string]int{}
	for d, err := range s.Documents(t.Context(), rows.DocumentFilter{Campaign: campaign}) {
		require.NoError(t, err)
		seen[d.Line.ID]++
	}
	lost, doubled := 0, 0
	for id := range want {
		if seen[id] == 0 {
			lost++
		}
	}
	fresh := map[string]int{}
	for c, err := range s.Changes(t.Context(), rows.ChangeFilter{Campaign: campaign}) {
		require.NoError(t, err)
		fresh[c.Document.Line.ID]++
		if fresh[c.Document.Line.ID] > 1 {
			doubled++
		}
	}
	counts, err := s.Counts(t.Context(), campaign)
	require.NoError(t, err)
	pages, requests := src.twice()
	t.Logf("%d documents stored, %d lost, %d doubled; %d pages committed; %d pages asked for again (%d requests)",
		len(seen), lost, doubled, counts.Pages, pages, requests)
	require.Zero(t, lost, "documents lost")
	require.Zero(t, doubled, "documents doubled")
	require.Len(t, seen, len(want), "documents that the source does not hold")
	return counts
}

func TestCampaignFromFileToStoreAndAgain(t *testing.T) {
	t.Parallel()
	h, src := newHouse(t), newSource(t, 12, 3, 5, 0)
	h.work()
	h.campaign("news", src, "schedule: every 2h\nprocessors: 4")

	out, code := h.starter("trigger", "--campaign", "news")
	require.Equal(t, 0, code)
	require.Contains(t, out, "done")
	s := h.open()
	requireOnce(t, s, src, "news")

	run, err := s.FindRun(t.Context(), "news")
	require.NoError(t, err)
	require.Equal(t, outcomes.Done, run.Outcome)
	require.Equal(t, 12*3*5, run.Tally.New)

	again := h.result(h.start("news-again", steps.Start{Campaign: "news"}))
	require.Equal(t, outcomes.Unchanged, again.Outcome)
	require.Zero(t, again.Documents.New)
	require.Equal(t, 12, again.Asked, "one conditional request a feed")

	_, code = h.starter("campaigns", "apply", "news.yaml", "--yes")
	require.Equal(t, 0, code)
	c, err := s.Campaign(t.Context(), "news")
	require.NoError(t, err)
	require.Equal(t, 1, c.Definition.Version, "applying twice makes no new definition")
}

func TestAdhocRunByHandWithTheSmallJSON(t *testing.T) {
	t.Parallel()
	h, src := newHouse(t), newSource(t, 1, 1, 7, 0)
	h.work()
	sum := h.result(h.start("by-hand", steps.Start{Fetcher: "feed", Params: []byte(`{"url":"` + src.URL + `/feed/0"}`)}))
	require.Equal(t, outcomes.Done, sum.Outcome)
	require.Equal(t, 7, sum.Documents.New)
	requireOnce(t, h.open(), src, "adhoc-feed")
}

// A run that nobody can take is said to be so, and Ctrl-C ends the watching only.
func TestNobodyPolls(t *testing.T) {
	t.Parallel()
	h, src := newHouse(t), newSource(t, 1, 1, 1, 0)
	h.work()
	h.campaign("lonely", src, "processors: 1")
	require.NoError(t, h.worker.Stop(h.within(time.Minute)))

	cmd, out := h.command("trigger", "--campaign", "lonely")
	require.NoError(t, cmd.Start())
	h.eventually("it says that nobody polls", time.Minute, func() bool { return strings.Contains(out.String(), "nobody polls") })
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	require.Error(t, cmd.Wait())
	require.Equal(t, 130, cmd.ProcessState.ExitCode())
	require.Contains(t, out.String(), "runs cancel")
	t.Logf("$ starter trigger --campaign lonely\n%s", out)

	h.work()
	h.eventually("the run goes on once there is a worker", time.Minute, func() bool {
		run, err := h.open().FindRun(t.Context(), "lonely")
		return err == nil && run.Outcome == outcomes.Done
	})
}

// A worker without a server waits and says so.
func TestNoServer(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.server.Kill()
	health, err := dev.FreeAddress(t.Context())
	require.NoError(t, err)
	var out text
	cmd := exec.CommandContext(h.within(time.Minute), binaries.worker, "--create", "--store", h.storeAddress(), "--health-address", health)
	cmd.Env, cmd.Stderr, cmd.Stdout = dev.Environment(h.server.Address), &out, &out
	require.NoError(t, cmd.Start())
	h.eventually("it says what it waits for", time.Minute, func() bool { return strings.Contains(out.String(), h.server.Address) })
	require.NoError(t, h.server.Restart(h.within(time.Minute)))
	h.eventually("it takes work", time.Minute, func() bool { return strings.Contains(out.String(), "takes work") })
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	require.NoError(t, cmd.Wait(), "it ends in good order")
}
