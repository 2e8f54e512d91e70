package activities

import (
	"context"
	"iter"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// unread is a page on which a record could not be read.
func unread(n int, records ...string) harvest.Page {
	p := page(n)
	p.Listed += len(records)
	for _, id := range records {
		p.Rejects = append(p.Rejects, harvest.Reject{ID: id, Reason: "no date", Bytes: []byte("<" + id + ">"), Where: "record:" + id})
	}
	return p
}

func nothingNew(n int) harvest.Page {
	p := page(n)
	p.NotModified = true
	return p
}

// oneRun does a whole run of a campaign with one item, a, and returns the item's
// row of it.
func (w *world) oneRun(s steps.Start) (rows.RunItem, steps.Summary) {
	w.t.Helper()
	o := w.open(s)
	_, err := w.fetch(o)
	require.NoError(w.t, err)
	sum := w.close(o)
	return w.items(o.Run)["a"], sum
}

func TestARecordThatCouldNotBeReadIsNotForgotten(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(campaign("news", "a"))
	start := steps.Start{Campaign: "news"}
	w.script.on("a", pages(unread(1, "r1", "r2")))
	first, _ := w.oneRun(start)
	require.Equal(t, outcomes.Partial, first.Outcome)

	w.script.on("a", pages(nothingNew(2)))
	second, sum := w.oneRun(start)
	require.Equal(t, outcomes.Partial, second.Outcome, "nothing is new, and two records are still unread")
	require.Contains(t, second.Why, "2 records unread since")
	require.Equal(t, outcomes.Warnings, sum.Outcome)
	sick, err := w.store.Items(t.Context(), rows.ItemsFilter{Unhealthy: true})
	require.NoError(t, err)
	require.Len(t, sick, 1)
	require.Contains(t, sick[0].Why, "2 records unread since")
}

func TestUnreadRecordsComeBackToTheFetcher(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(campaign("news", "a"))
	start := steps.Start{Campaign: "news"}
	w.script.on("a", pages(unread(1, "r1", "", "r3")))
	w.oneRun(start)
	require.Empty(t, w.script.request().Unread, "nothing is unread yet")

	w.script.on("a", pages(page(1), unread(2, "r1")))
	w.oneRun(start)
	asked := w.script.request().Unread
	require.Len(t, asked, 3)
	require.Equal(t, "r1", asked[0].ID)
	require.Equal(t, "record:r1", asked[0].Where)
	require.False(t, asked[0].Since.IsZero())
	require.Equal(t, harvest.Digest([]byte("<>")), asked[1].ID, "one without an id has a digest")
	list := w.failures(rows.FailureFilter{})
	require.Len(t, list, 3, "one that is rejected again keeps its row")
	require.Equal(t, "r1", list[0].Record)
	require.Equal(t, 2, list[0].Times)
	require.Equal(t, "news-2", list[0].Run)
	require.True(t, list[0].Since.Before(list[0].At))

	last := page(3, "r1")
	last.Resolved = []string{asked[1].ID}
	w.script.on("a", pages(page(1), page(2), last))
	item, _ := w.oneRun(start)
	require.Equal(t, outcomes.Partial, item.Outcome)
	require.Contains(t, item.Why, "1 record unread since")
	require.Equal(t, "r3", w.failures(rows.FailureFilter{Open: true})[0].Record, "r1 was read, and the other is no longer there")

	w.script.on("a", pages(page(1), page(2), page(3), page(4, "r3")))
	item, sum := w.oneRun(start)
	require.Equal(t, outcomes.Done, item.Outcome)
	require.Equal(t, outcomes.Done, sum.Outcome)
	require.Empty(t, w.failures(rows.FailureFilter{Open: true}))
	w.oneRun(start)
	require.Empty(t, w.script.request().Unread)
}

func TestAnAcceptedRecordMakesNothingWorse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := campaign("news", "a")
	c.Entries[0].Tolerate = campaigns.Count{N: 1}
	w.apply(c)
	start := steps.Start{Campaign: "news"}
	w.script.on("a", func(context.Context, harvest.Request) iter.Seq2[harvest.Page, error] {
		return func(yield func(harvest.Page, error) bool) { yield(unread(1, "r1", "r2"), nil) }
	})
	item, _ := w.oneRun(start)
	require.Equal(t, outcomes.Failed, item.Outcome, "more than are tolerated")
	for _, f := range w.failures(rows.FailureFilter{Open: true}) {
		require.NoError(t, w.store.AcceptFailures(t.Context(), f.ID))
	}
	item, sum := w.oneRun(start)
	require.Equal(t, outcomes.Unchanged, item.Outcome, item.Why)
	require.Equal(t, 2, item.Tally.Quarantined, "they are set aside all the same")
	require.Equal(t, outcomes.Unchanged, sum.Outcome)
	require.Empty(t, w.script.request().Unread, "nobody wants them any more")
	require.Equal(t, "accepted", w.failures(rows.FailureFilter{})[0].State())
}

func TestATrialAsksForNothingUnread(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(campaign("news", "a"))
	w.script.on("a", pages(unread(1, "r1")))
	w.oneRun(steps.Start{Campaign: "news"})
	w.oneRun(steps.Start{Campaign: "news", Limit: 5})
	require.Empty(t, w.script.request().Unread)
	require.Len(t, w.failures(rows.FailureFilter{Open: true}), 1)
}

func TestABackfillsUnreadRecordsAreTheItems(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(campaign("news", "a"))
	w.oneRun(steps.Start{Campaign: "news"})
	w.script.on("a", pages(unread(1, "old")))
	item, _ := w.oneRun(steps.Start{Campaign: "news", Lane: "2020"})
	require.Equal(t, outcomes.Partial, item.Outcome)
	w.script.on("a", pages(page(1), page(2, "old")))
	item, _ = w.oneRun(steps.Start{Campaign: "news"})
	require.Len(t, w.script.request().Unread, 1, "whoever can ask for it does")
	require.Equal(t, outcomes.Done, item.Outcome, item.Why)
}

func (s *script) request() harvest.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

func (w *world) failures(f rows.FailureFilter) []rows.Failure {
	w.t.Helper()
	list, err := w.store.Failures(w.t.Context(), f)
	require.NoError(w.t, err)
	return list
}
