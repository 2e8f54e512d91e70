package activities

import (
	"fmt"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

// evaluation finds the outcome of an item that ended without an error.
type evaluation struct {
	always   bool // the source listed something the last time
	trial    bool
	tolerate campaigns.Count
	expect   campaigns.ItemExpectation
	lastNew  time.Time // last new or changed document; zero: not known
	now      time.Time
}

// newEvaluation reads what the outcome of the item depends on.
func (r *itemRun) newEvaluation() (evaluation, error) {
	j := evaluation{always: r.item.Always, trial: r.start.Limit > 0, tolerate: r.entry.Tolerate, expect: r.entry.Expect, now: r.Now()}
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

// settle closes an item by its tally of the whole run and its unread records.
// Accepted records do not count. It has no side effects.
func (j evaluation) settle(t harvest.Tally, u rows.Unread) rows.Settle {
	if j.trial {
		s := rows.Settle{State: rows.ItemClosed, Outcome: outcomes.OfItem(t, false), Attempts: 1}
		s.Why = fmt.Sprintf("a trial: %d documents seen, nothing stored", t.Documents())
		return s
	}
	listed := max(t.Listed, t.Documents()+t.Same+t.Quarantined)
	t.Quarantined = u.Records
	s := rows.Settle{State: rows.ItemClosed, Outcome: outcomes.OfItem(t, j.always), Attempts: 1}
	if allowed := j.tolerate.Of(listed); u.Now > allowed {
		s.Outcome, s.Kind, s.Why = outcomes.Failed, harvest.KindBadRecord, string(outcomes.WhyNotRetriable)
		s.Error = fmt.Sprintf("%d of %d records could not be read, %d are tolerated", u.Now, listed, allowed)
		return s
	}
	s.Why = j.why(s.Outcome, t, u)
	if missing := j.missing(t, listed); missing != "" && s.Outcome.Severity() <= outcomes.Warn {
		s.Outcome, s.Why = outcomes.Empty, missing
		if j.expect.Fail {
			s.Outcome, s.Error = outcomes.Failed, missing
		}
	}
	return s
}

// why explains a warning; empty: there is none.
func (j evaluation) why(o outcomes.Outcome, t harvest.Tally, u rows.Unread) string {
	var all []string
	if o == outcomes.Empty {
		all = append(all, "nothing was listed where there always was something")
	}
	if t.Partial {
		all = append(all, "the source's answer was not whole")
	}
	if u.Records > 0 {
		all = append(all, unreadSince(u))
	}
	return strings.Join(all, "; ")
}

// unreadSince is "7 records unread since 3 May 2026, 12:00 UTC".
func unreadSince(u rows.Unread) string {
	records := "1 record"
	if u.Records != 1 {
		records = fmt.Sprintf("%d records", u.Records)
	}
	return records + " unread since " + u.Since.UTC().Format("2 Jan 2006, 15:04 UTC")
}

// missing names what was expected and did not come; empty: everything came.
func (j evaluation) missing(t harvest.Tally, listed int) string {
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
