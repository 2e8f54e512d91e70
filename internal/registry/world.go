package registry

import (
	"cmp"
	"fmt"
	"time"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

// World is what reports are made from: the campaigns of a registry and their runs, by
// name.
type World struct {
	Now       time.Time
	Campaigns map[string]rows.Campaign
	// Open are the runs that go on or wait, Last those that ended last.
	Open, Last map[string]rows.Run
	// Line counts, for each run that waits for a place of the registry, those before it.
	Line map[int64]int
}

// Line numbers the runs that wait for a place of a registry, in their order.
func Line(waiting []rows.Run) map[int64]int {
	out := make(map[int64]int, len(waiting))
	for n, run := range waiting {
		out[run.ID] = n
	}
	return out
}

// Report says how a job goes; items are those of its open run, else of its last one.
// It is pure.
func (w World) Report(row rows.RegistryJob, items []rows.RunItem) (Report, error) {
	r := Report{Job: row.ID, Campaign: row.Campaign, State: w.state(row)}
	if last, ran := w.Last[row.Campaign]; ran {
		r.Ending, r.Outcome, r.Ended = last.Ending(), last.Outcome, last.ClosedAt
		r.Started, r.Run = last.StartedAt, last.WorkflowID
		r.Documents = last.Tally.Documents()
		if r.Ending == outcomes.EndedError || r.Ending == outcomes.EndedLater {
			r.Error = errorOf(last, items)
		}
	}
	r.Errors = mistakes(items)
	if open, going := w.Open[row.Campaign]; going {
		w.going(&r, open, items)
	}
	if row.Problem != "" {
		r.Text = row.Problem
	}
	return r, w.next(&r, row)
}

func (w World) state(row rows.RegistryJob) string {
	open, going := w.Open[row.Campaign]
	c := w.Campaigns[row.Campaign]
	switch {
	case row.State == rows.JobRemoved:
		return StateRemoved
	case row.State == rows.JobClosing:
		return StateClosing
	case going && open.State != rows.RunWaiting:
		return StateRunning
	case going:
		return StateWaiting
	case row.Applied == "" && row.Problem == "":
		return StateNew
	case row.Applied == "":
		return StateRefused
	case c.Paused.Holds(w.Now):
		return StateDisabled
	default:
		return StateWaiting
	}
}

// going tells of the run that goes on, or waits for the one before it.
func (w World) going(r *Report, open rows.Run, items []rows.RunItem) {
	r.Run = open.WorkflowID
	if open.State == rows.RunWaiting {
		r.Text, r.Errors = "waits for the run before it", 0
		if n, waits := w.Line[open.ID]; waits {
			r.Text, r.Before = rows.Place{Before: n}.WaitingText(), &n
		}
		return
	}
	r.Started, r.Documents, r.Progress = open.StartedAt, documents(items), progress(items)
	if next := resting(items, w.Now); !next.IsZero() {
		r.Next, r.Text = next, "rests; it goes on by itself"
	}
}

// progress is how much of the items is done, in percent; nil where nobody knows. It is
// 100 only at the end.
func progress(items []rows.RunItem) *int {
	if len(items) == 0 {
		return nil
	}
	sum, known := 0.0, false
	for _, it := range items {
		switch {
		case it.State == rows.ItemClosed:
			sum, known = sum+1, true
		case it.Total > 0:
			sum, known = sum+min(1, float64(it.Done)/float64(it.Total)), true
		}
	}
	if !known {
		return nil
	}
	percent := min(99, int(100*sum/float64(len(items))))
	return &percent
}

func documents(items []rows.RunItem) (n int) {
	for _, it := range items {
		n += it.Tally.Documents()
	}
	return n
}

// mistakes counts what could be recovered from: tries that failed, workers that died,
// records that could not be read.
func mistakes(items []rows.RunItem) (n int) {
	for _, it := range items {
		n += it.Attempts + it.Throttles + it.Lost + it.Tally.Quarantined
		if it.State == rows.ItemClosed && it.Attempts > 0 {
			n-- // the try that ended it
		}
	}
	return n
}

// resting is when a run goes on of which all open items wait.
func resting(items []rows.RunItem, now time.Time) (next time.Time) {
	for _, it := range items {
		switch {
		case it.State == rows.ItemClosed:
		case it.State == rows.ItemClaimed || !it.NotBefore.After(now):
			return time.Time{}
		case next.IsZero() || it.NotBefore.Before(next):
			next = it.NotBefore
		}
	}
	return next
}

// errorOf is what went wrong: the items know it better than the run's count of them.
func errorOf(run rows.Run, items []rows.RunItem) string {
	for _, it := range items {
		if it.Run == run.ID || it.Run == 0 {
			if it.Error != "" {
				return fmt.Sprintf("%s: %s", it.Outcome, it.Error)
			}
		}
	}
	return cmp.Or(run.Why, string(run.Outcome))
}

// next is when the job is due again.
func (w World) next(r *Report, row rows.RegistryJob) error {
	if !r.Next.IsZero() || r.State != StateWaiting && r.State != StateRunning {
		return nil
	}
	c, known := w.Campaigns[row.Campaign]
	if !known || len(c.Definition.Spec) == 0 || c.Paused.Holds(w.Now) {
		return nil
	}
	spec, err := campaigns.Decode(c.Definition.Spec)
	if err != nil || spec.Schedule == nil {
		return err
	}
	if at := spec.Schedule.Next(w.Now, 1); len(at) == 1 {
		r.Next = at[0].UTC()
	}
	return nil
}
