package activities

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

const (
	recovered = "recovered"
	// maxAlertItems bounds the items that one message names.
	maxAlertItems = 200
	// skippedRuns is how many runs that say nothing may stand between two that do.
	skippedRuns = 50
)

// Message is the payload of a notification.
type Message struct {
	// Event is an outcome, or "recovered".
	Event    string           `json:"event"`
	Text     string           `json:"text"` // one line for people
	Campaign string           `json:"campaign"`
	Owner    string           `json:"owner,omitempty"`
	Run      string           `json:"run"`
	Outcome  outcomes.Outcome `json:"outcome"`
	// InARow counts the runs that ended so, this one included.
	InARow  int            `json:"in_a_row,omitempty"`
	Items   []MessageItem  `json:"items,omitempty"` // of a rule per item
	Summary *steps.Summary `json:"summary,omitempty"`
	At      time.Time      `json:"at"`
}

// MessageItem is an item whose state changed.
type MessageItem struct {
	Entry   string           `json:"entry"`
	Item    string           `json:"item"`
	Outcome outcomes.Outcome `json:"outcome"`
	Why     string           `json:"why,omitempty"`
}

// notice is what is posted after a run: messages, and alerts that end without one.
type notice struct {
	messages []rows.Message
	over     []rows.Alert
}

// notices makes what is to be sent after a run: on a change of state only, and a
// recovery after what was sent. A trial sends nothing; a run of some items speaks
// for these items only.
func (a *Activities) notices(ctx context.Context, run rows.Run, c *campaigns.Campaign, sum steps.Summary) (n notice, err error) {
	start, err := startOf(run)
	if err != nil || start.Limit > 0 || !tells(sum.Outcome) || len(c.Notify) == 0 {
		return n, err
	}
	open, err := a.Store.Alerts(ctx, c.Name)
	if err != nil {
		return n, err
	}
	for _, rule := range c.Notify {
		r := ruling{Activities: a, rule: rule, run: run, campaign: c, sum: sum, key: ruleKey(run.Lane, rule)}
		r.open = slices.DeleteFunc(slices.Clone(open), func(a rows.Alert) bool { return a.Rule != r.key })
		if err := r.judge(ctx, &n); err != nil {
			return n, err
		}
	}
	return n, nil
}

// ruling is one rule after one run, with its alerts that are not over.
type ruling struct {
	*Activities
	rule     campaigns.Alert
	run      rows.Run
	campaign *campaigns.Campaign
	sum      steps.Summary
	key      string
	open     []rows.Alert
}

// ruleKey names a rule in alerts, so that each ends by the rule that began it.
func ruleKey(lane string, rule campaigns.Alert) string {
	raw, err := json.Marshal([]any{lane, rule.To, rule.Per, rule.When})
	if err != nil {
		panic(err) // texts only
	}
	return harvest.Digest(raw)
}

func (r *ruling) judge(ctx context.Context, n *notice) error {
	switch {
	case r.rule.Per == "item":
		return r.judgeItems(ctx, n)
	case !r.run.Whole():
		return nil
	}
	before, err := r.history(ctx, r.run, max(1, r.rule.After))
	if err != nil {
		return err
	}
	before = slices.DeleteFunc(before, func(r rows.Run) bool { return !r.Whole() })
	streak := 0
	for streak < len(before) && fits(r.rule, before[streak].Outcome) {
		streak++
	}
	now := r.sum.Outcome
	switch {
	case fits(r.rule, now) && streak+1 >= max(1, r.rule.After) && !r.told():
		return r.post(n, Message{Event: string(now), InARow: streak + 1}, []rows.Alert{{Outcome: now}}, nil)
	case len(r.open) > 0 && r.better(now, r.open[0]):
		return r.recover(n, Message{InARow: streak}, r.open)
	}
	return nil
}

// told: there is an alert, and people know of it or will.
func (r *ruling) told() bool { return len(r.open) > 0 && !r.open[0].Untold }

// better reports whether an outcome ends an alert: it is none that the rule is
// about, and less bad than what was announced.
func (r *ruling) better(now outcomes.Outcome, was rows.Alert) bool {
	return tells(now) && !fits(r.rule, now) && now.Severity() < was.Outcome.Severity()
}

// recover ends alerts, with a message where what they announced was sent, or is
// still to be.
func (r *ruling) recover(n *notice, m Message, list []rows.Alert) error {
	var told []rows.Alert
	for _, a := range list {
		if a.Untold {
			n.over = append(n.over, a)
		} else {
			told = append(told, a)
		}
	}
	if len(told) == 0 {
		return nil
	}
	m.Event = recovered
	return r.post(n, m, nil, told)
}

// post adds a message. One that announces anew what could not be sent stands in for
// the message that could not.
func (r *ruling) post(n *notice, m Message, begins, ends []rows.Alert) error {
	m.Campaign, m.Owner, m.Run, m.Outcome, m.At = r.campaign.Name, r.campaign.Owner, r.run.WorkflowID, r.sum.Outcome, r.Now().UTC()
	if len(r.run.Summary) == 0 { // it has ended just now
		m.Summary = &r.sum
	}
	m.Text = text(m, r.sum)
	raw, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("write a notification of %s: %w", m.Campaign, err)
	}
	out := rows.Message{Campaign: m.Campaign, To: r.rule.To, Payload: raw, Created: m.At, Rule: r.key, Begins: begins, Ends: ends}
	for _, a := range r.open {
		if len(begins) > 0 && a.Untold && !slices.Contains(out.Replaces, a.Message) {
			out.Replaces = append(out.Replaces, a.Message)
		}
	}
	n.messages = append(n.messages, out)
	return nil
}

func text(m Message, sum steps.Summary) string {
	if len(m.Items) > 0 {
		names := harvest.Redact(m.Items[0].Item)
		if n := len(m.Items); n > 1 {
			names += fmt.Sprintf(" and %d more", n-1)
		}
		return fmt.Sprintf("%s: %s: %s · %s", m.Campaign, m.Event, names, sum.More)
	}
	detail := sum.Why
	if detail != "" {
		detail = " (" + clip(detail, maxText) + ")"
	}
	return fmt.Sprintf("%s: %s%s · %s", m.Campaign, m.Event, detail, sum.More)
}

// tells reports whether a run's outcome says anything about its campaign.
func tells(o outcomes.Outcome) bool {
	return o != outcomes.Skipped && o != outcomes.Cancelled
}

// history lists the runs before, the newest first, that say something: at least
// n of them where there are so many.
func (a *Activities) history(ctx context.Context, run rows.Run, n int) ([]rows.Run, error) {
	all, err := a.Store.Runs(ctx, rows.RunFilter{Campaign: run.Campaign, States: []rows.RunState{rows.RunClosed}, Limit: n + 1 + skippedRuns})
	if err != nil {
		return nil, fmt.Errorf("list the runs before %s: %w", run.WorkflowID, err)
	}
	return slices.DeleteFunc(all, func(r rows.Run) bool {
		start, err := startOf(r)
		return r.ID == run.ID || r.Lane != run.Lane || !tells(r.Outcome) || r.StartedAt.After(run.StartedAt) || err == nil && start.Limit > 0
	}), nil
}

// fits reports whether a rule is about an outcome; a rule that names none is
// about all that need attention.
func fits(rule campaigns.Alert, o outcomes.Outcome) bool {
	if len(rule.When) == 0 {
		return o.Severity() > outcomes.OK
	}
	return slices.Contains(rule.When, o)
}

func fitting(rule campaigns.Alert) []outcomes.Outcome {
	return slices.DeleteFunc(outcomes.All(), func(o outcomes.Outcome) bool { return !fits(rule, o) })
}
