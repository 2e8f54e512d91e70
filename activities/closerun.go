package activities

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/wording"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// CloseRun ends a run, whatever happened: what is still open is closed with the
// cause, the outcome is found, and what is to be sent is put into the outbox, in
// one transaction with the end. Twice is alike: the first end stays.
func (a *Activities) CloseRun(ctx context.Context, in steps.CloseRunIn) (steps.Summary, error) {
	run, err := a.run(ctx, in.RunOf)
	switch {
	case errors.Is(err, rows.ErrRestored) && (run.ID == 0 || in.RunID != "" && run.RunID != in.RunID):
		return steps.Summary{Outcome: outcomes.Cancelled, Why: err.Error(), More: "starter runs list"}, nil
	case errors.Is(err, rows.ErrRestored):
		in.Cause, in.Error = outcomes.WhyStoreRestored, ""
	case err != nil:
		return steps.Summary{}, err
	}
	if run.State == rows.RunClosed {
		return stored(run)
	}
	outcome, why := leftOver(in.Cause)
	if _, err := a.Store.CloseOpenItems(ctx, run.ID, outcome, why); err != nil {
		return steps.Summary{}, fmt.Errorf("close the open items of run %s: %w", run.WorkflowID, err)
	}
	facts, c, err := a.facts(ctx, run)
	if err != nil {
		return steps.Summary{}, err
	}
	facts.Cause, facts.Error = in.Cause, in.Error
	finish, sum, err := a.summed(ctx, run, c, RunOutcome(facts), facts)
	if err != nil {
		return steps.Summary{}, err
	}
	if err := a.end(ctx, run.Campaign, finish); err != nil {
		return steps.Summary{}, err
	}
	a.Meter.RunClosed(run.Campaign, sum.Outcome, finish.At)
	a.runLogger(run, c).InfoContext(ctx, "run closed", "outcome", sum.Outcome, "why", sum.Why, "took", sum.Took)
	a.logs.flush()
	return sum, nil
}

// leftOver is how items end that were open when their run did.
func leftOver(cause outcomes.Why) (outcomes.Outcome, string) {
	switch cause {
	case outcomes.WhyCancelled, outcomes.WhyTerminated, outcomes.WhyStoreRestored, outcomes.WhyOverlap:
		return outcomes.Cancelled, string(cause)
	case "":
		return outcomes.Failed, "left open"
	default:
		return outcomes.Failed, string(cause)
	}
}

// stored is the summary that a closed run ended with.
func stored(run rows.Run) (steps.Summary, error) {
	sum := steps.Summary{Outcome: run.Outcome, Why: run.Why, More: more(run)}
	if len(run.Summary) == 0 {
		return sum, nil
	}
	if err := json.Unmarshal(run.Summary, &sum); err != nil {
		return sum, harvest.Errorf(harvest.KindInternal, "read the summary of run", run.WorkflowID, "%w", err)
	}
	return sum, nil
}

// facts collects what the outcome of a run is found from.
func (a *Activities) facts(ctx context.Context, run rows.Run) (RunFacts, *campaigns.Campaign, error) {
	c, err := a.definition(ctx, run.Campaign, run.Version)
	if err != nil {
		return RunFacts{}, nil, err
	}
	totals, err := a.Store.Totals(ctx, run.ID)
	if err != nil {
		return RunFacts{}, nil, fmt.Errorf("count the items of run %s: %w", run.WorkflowID, err)
	}
	start, err := startOf(run)
	if err != nil {
		return RunFacts{}, nil, err
	}
	f := RunFacts{Items: map[outcomes.Outcome]int{}, Tolerate: c.Tolerate, Expect: c.Expect, Now: a.Now(), Trial: start.Limit > 0}
	for _, t := range totals {
		f.Items[t.Outcome] += t.Items
		f.Tally = f.Tally.Add(t.Tally)
	}
	if within := c.Expect.FreshWithin; within > 0 && f.Tally.New+f.Tally.Changed == 0 {
		f.Stale, err = a.stale(ctx, c.Name, f.Now.Add(-within))
	}
	return f, c, err
}

// stale reports whether a campaign has brought nothing since a moment.
func (a *Activities) stale(ctx context.Context, campaign string, since time.Time) (bool, error) {
	for _, err := range a.Store.Documents(ctx, rows.DocumentFilter{Campaign: campaign, Since: since, Limit: 1}) {
		return false, err
	}
	return true, nil
}

// finish is the end of a run that ended without its workflow.
func (a *Activities) finish(ctx context.Context, run rows.Run, cause outcomes.Why) (rows.Finish, error) {
	facts, c, err := a.facts(ctx, run)
	if err != nil {
		return rows.Finish{}, err
	}
	facts.Cause = cause
	f, _, err := a.summed(ctx, run, c, RunOutcome(facts), facts)
	return f, err
}

// summed makes the summary, the messages and the finish of a run.
func (a *Activities) summed(ctx context.Context, run rows.Run, c *campaigns.Campaign, v Verdict, f RunFacts) (rows.Finish, steps.Summary, error) {
	worst, err := a.Store.RunItems(ctx, run.ID, rows.ItemFilter{Worst: true, Limit: maxLookAt + 1})
	if err != nil {
		return rows.Finish{}, steps.Summary{}, err
	}
	sum := summary(run, v, f, worst)
	apart, err := a.askedApart(ctx, run.ID)
	if err != nil {
		return rows.Finish{}, sum, err
	}
	sum.Asked += apart
	out, err := a.notices(ctx, run, c, sum)
	if err != nil {
		return rows.Finish{}, sum, err
	}
	sum.Notify = len(out.messages) > 0
	raw, err := json.Marshal(sum)
	if err != nil {
		return rows.Finish{}, sum, err
	}
	return rows.Finish{Run: run.ID, Outcome: v.Outcome, Why: v.Why, Summary: raw, At: f.Now, Outbox: out.messages, Over: out.over}, sum, nil
}

// Bounds of what people see first.
const (
	maxLookAt = 5
	maxText   = 160
)

func summary(run rows.Run, v Verdict, f RunFacts, worst []rows.RunItem) steps.Summary {
	s := steps.Summary{
		Outcome: v.Outcome, Ending: ending(v, f, worst), Why: v.Why, LookAt: lookAt(worst), Items: f.Items, Asked: f.Tally.Asked,
		Documents: steps.Documents{
			Listed: f.Tally.Listed, New: f.Tally.New, Changed: f.Tally.Changed, Same: f.Tally.Same, Deleted: f.Tally.Deleted, Quarantined: f.Tally.Quarantined,
		},
		Took: took(f.Now.Sub(run.StartedAt)), More: more(run),
	}
	for o, n := range f.Items {
		if o.Failed() {
			s.FailedItems += n
		}
	}
	if v.Failed {
		s.Failed = clip(fmt.Sprintf("%s: %s", v.Outcome, cmp.Or(v.Why, "see the items")), 2*maxText) + " · " + s.More
	}
	return s
}

// ending is how the run ended for whoever asked for it. One that the next tick broke off
// goes on where it was: it asks to be started again.
func ending(v Verdict, f RunFacts, worst []rows.RunItem) outcomes.Ending {
	e := v.Outcome.Ending()
	if e != outcomes.EndedError || f.Error != "" {
		return e
	}
	failed := slices.DeleteFunc(slices.Clone(worst), func(it rows.RunItem) bool { return !it.Outcome.Failed() })
	inTime := func(it rows.RunItem) bool { return it.Why != string(outcomes.WhyNextTick) }
	if len(failed) == 0 || slices.ContainsFunc(failed, inTime) {
		return e
	}
	return outcomes.EndedLater
}

func more(run rows.Run) string { return "starter runs show " + run.WorkflowID }

// lookAt is a line for each item that needs attention, the worst first.
func lookAt(worst []rows.RunItem) []string {
	var lines []string
	for _, item := range worst {
		if item.Outcome.Severity() == outcomes.OK && item.Outcome != outcomes.Cancelled {
			continue
		}
		if len(lines) == maxLookAt {
			break
		}
		reason := cmp.Or(item.Error, item.Why)
		lines = append(lines, clip(strings.TrimSuffix(fmt.Sprintf("%s %s: %s", harvest.Redact(item.Key), item.Outcome, reason), ": "), maxText))
	}
	return lines
}

// clip puts s on one line of at most n characters.
func clip(s string, n int) string { return wording.Clip(strings.Join(strings.Fields(s), " "), n-1) }

// took writes a duration as people say it: 3m14s, 0.4s.
func took(d time.Duration) string {
	if d < 10*time.Second {
		return max(0, d).Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}
