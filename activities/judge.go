package activities

import (
	"fmt"
	"time"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

// judge says what an item comes to that finished without an error.
type judge struct {
	always   bool // the source listed something the last time
	trial    bool
	tolerate harvest.Count
	expect   campaigns.ItemExpectation
	lastNew  time.Time // last new or changed document; zero: not known
	now      time.Time
}

// judgement collects what the judge needs.
func (r *flight) judgement() (judge, error) {
	j := judge{always: r.item.Always, trial: r.start.Limit > 0, tolerate: r.entry.Tolerate, expect: r.entry.Expect, now: r.Now()}
	if r.policy.Tolerate != nil {
		j.tolerate = *r.policy.Tolerate
	}
	if r.policy.Expect != nil {
		j.expect = *r.policy.Expect
	}
	if j.expect.FreshWithin <= 0 {
		return j, nil
	}
	known, err := r.Store.Items(r.keep, rows.ItemsFilter{Campaign: r.campaign.Name, Entry: r.item.Entry, Key: r.item.Key, Limit: 1})
	if err != nil {
		return j, fmt.Errorf("look up item %s: %w", r.name, err)
	}
	if len(known) > 0 {
		if j.lastNew = known[0].LastNew; j.lastNew.IsZero() {
			j.lastNew = known[0].FirstSeen
		}
	}
	return j, nil
}

// settle closes an item by its whole tally of this run. It is pure.
func (j judge) settle(t harvest.Tally) rows.Settle {
	s := rows.Settle{State: rows.ItemClosed, Outcome: harvest.ItemOutcome(t, j.always && !j.trial), Attempts: 1}
	listed := max(t.Listed, t.Documents()+t.Same+t.Quarantined)
	if j.trial {
		s.Why = fmt.Sprintf("a trial: %d documents seen, nothing stored", t.Documents())
		return s
	}
	if allowed := j.tolerate.Of(listed); t.Quarantined > allowed {
		s.Outcome, s.Kind, s.Why = harvest.OutcomeFailed, harvest.KindBadRecord, string(harvest.WhyNotRetriable)
		s.Error = fmt.Sprintf("%d of %d records could not be read, %d are tolerated", t.Quarantined, listed, allowed)
		return s
	}
	switch {
	case s.Outcome == harvest.OutcomeEmpty:
		s.Why = "nothing was listed where there always was something"
	case t.Quarantined > 0:
		s.Why = fmt.Sprintf("%d of %d records could not be read", t.Quarantined, listed)
	case t.Partial:
		s.Why = "the source's answer was not whole"
	}
	if missing := j.missing(t, listed); missing != "" && s.Outcome.Severity() <= harvest.Warn {
		s.Outcome, s.Why = harvest.OutcomeEmpty, missing
		if j.expect.Fail {
			s.Outcome, s.Error = harvest.OutcomeFailed, missing
		}
	}
	return s
}

// missing says what was expected and did not come; empty: all did.
func (j judge) missing(t harvest.Tally, listed int) string {
	if n := j.expect.MinDocuments; n > 0 && listed < n && (listed > 0 || !t.NotModified) {
		return fmt.Sprintf("%d listed, at least %d expected", listed, n)
	}
	within := j.expect.FreshWithin
	if within > 0 && t.New+t.Changed == 0 && !j.lastNew.IsZero() && j.now.Sub(j.lastNew) > within {
		return fmt.Sprintf("nothing new since %s, expected within %s", j.lastNew.UTC().Format("2 Jan 2006"), days(within))
	}
	return ""
}

// days writes a duration as a campaign file would.
func days(d time.Duration) string {
	if d >= 48*time.Hour && d%(24*time.Hour) == 0 {
		return fmt.Sprintf("%dd", d/(24*time.Hour))
	}
	return d.String()
}
