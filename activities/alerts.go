package activities

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

const (
	recovered = "recovered"
	// maxAlertItems bounds the items that one message names.
	maxAlertItems = 200
	// skippedRuns is how many runs that say nothing may stand between two that do.
	skippedRuns = 20
)

// Message is the payload of a notification.
type Message struct {
	// Event is an outcome, or "recovered".
	Event    string          `json:"event"`
	Text     string          `json:"text"` // one line for people
	Campaign string          `json:"campaign"`
	Owner    string          `json:"owner,omitempty"`
	Run      string          `json:"run"`
	Outcome  harvest.Outcome `json:"outcome"`
	// InARow counts the runs that ended so, this one included.
	InARow  int            `json:"in_a_row,omitempty"`
	Items   []MessageItem  `json:"items,omitempty"` // of a rule per item
	Summary *steps.Summary `json:"summary,omitempty"`
	At      time.Time      `json:"at"`
}

// MessageItem is an item whose state changed.
type MessageItem struct {
	Entry   string          `json:"entry"`
	Item    string          `json:"item"`
	Outcome harvest.Outcome `json:"outcome"`
	Why     string          `json:"why,omitempty"`
}

// messages makes what is to be sent after a run: on a change of state only, and
// a recovery after whatever was sent. A trial sends nothing.
func (a *Activities) messages(ctx context.Context, run rows.Run, c *campaigns.Campaign, sum steps.Summary) ([]rows.Message, error) {
	start, err := startOf(run)
	if err != nil || start.Limit > 0 || !tells(sum.Outcome) || len(c.Notify) == 0 {
		return nil, err
	}
	var out []rows.Message
	for _, rule := range c.Notify {
		history, err := a.history(ctx, run, max(1, rule.After))
		if err != nil {
			return nil, err
		}
		var m *Message
		if rule.Per == "item" {
			m, err = a.itemAlert(ctx, rule, run, history)
		} else {
			m = runAlert(rule, sum.Outcome, history)
		}
		if err != nil || m == nil {
			if err != nil {
				return nil, err
			}
			continue
		}
		m.Campaign, m.Owner, m.Run, m.Outcome, m.Summary, m.At = c.Name, c.Owner, run.WorkflowID, sum.Outcome, &sum, a.Now().UTC()
		m.Text = text(*m, sum)
		message, err := m.to(rule)
		if err != nil {
			return nil, err
		}
		out = append(out, message)
	}
	return out, nil
}

func (m *Message) to(rule campaigns.Alert) (rows.Message, error) {
	raw, err := json.Marshal(m)
	if err != nil {
		return rows.Message{}, fmt.Errorf("write a notification of %s: %w", m.Campaign, err)
	}
	return rows.Message{Campaign: m.Campaign, To: rule.To, Payload: raw, Created: m.At}, nil
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
func tells(o harvest.Outcome) bool {
	return o != harvest.OutcomeSkipped && o != harvest.OutcomeCancelled
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
// about all that need a look.
func fits(rule campaigns.Alert, o harvest.Outcome) bool {
	if len(rule.When) == 0 {
		return o.Severity() > harvest.OK
	}
	return slices.Contains(rule.When, o)
}

// runAlert looks at a run and those before it.
func runAlert(rule campaigns.Alert, now harvest.Outcome, before []rows.Run) *Message {
	streak := 0
	for streak < len(before) && fits(rule, before[streak].Outcome) {
		streak++
	}
	after := max(1, rule.After)
	switch {
	case fits(rule, now) && streak+1 == after:
		return &Message{Event: string(now), InARow: streak + 1}
	case !fits(rule, now) && streak >= after:
		return &Message{Event: recovered, InARow: streak}
	default:
		return nil
	}
}

// itemAlert looks at the items of a run and at the same items before. One
// message names all whose state changed.
func (a *Activities) itemAlert(ctx context.Context, rule campaigns.Alert, run rows.Run, before []rows.Run) (*Message, error) {
	now, err := a.Store.RunItems(ctx, run.ID, rows.ItemFilter{Outcomes: outcomes(rule), Worst: true, Limit: maxAlertItems})
	if err != nil {
		return nil, err
	}
	after := max(1, rule.After)
	m := &Message{InARow: after}
	if m.Items, err = a.newlyBad(ctx, rule, now, before, after); err != nil {
		return nil, err
	}
	if len(m.Items) > 0 {
		m.Event = string(m.Items[0].Outcome)
		return m, nil
	}
	if m.Items, err = a.recoveredItems(ctx, rule, run, before, after); err != nil || len(m.Items) == 0 {
		return nil, err
	}
	m.Event = recovered
	return m, nil
}

func outcomes(rule campaigns.Alert) []harvest.Outcome {
	return slices.DeleteFunc(harvest.Outcomes(), func(o harvest.Outcome) bool { return !fits(rule, o) })
}

// newlyBad keeps the items that fit for the after-th run in a row.
func (a *Activities) newlyBad(ctx context.Context, rule campaigns.Alert, now []rows.RunItem, before []rows.Run, after int) ([]MessageItem, error) {
	for i := 0; i < after && len(now) > 0; i++ {
		if i >= len(before) {
			if i < after-1 {
				return nil, nil // not enough runs yet
			}
			break
		}
		also, err := a.alsoBad(ctx, rule, before[i], now)
		if err != nil {
			return nil, err
		}
		want := i < after-1 // the run before the streak must not fit
		now = slices.DeleteFunc(now, func(r rows.RunItem) bool { return also[keyHash(r.Entry, r.Key)] != want })
	}
	return named(now), nil
}

// alsoBad tells which of the items fitted in another run, too.
func (a *Activities) alsoBad(ctx context.Context, rule campaigns.Alert, run rows.Run, of []rows.RunItem) (map[uint64]bool, error) {
	keys := make([]string, 0, len(of))
	for _, item := range of {
		keys = append(keys, item.Key)
	}
	found, err := a.Store.RunItems(ctx, run.ID, rows.ItemFilter{Keys: keys, Outcomes: outcomes(rule)})
	also := map[uint64]bool{}
	for _, item := range found {
		also[keyHash(item.Entry, item.Key)] = true
	}
	return also, err
}

// recoveredItems are those that were told about and are well now.
func (a *Activities) recoveredItems(ctx context.Context, rule campaigns.Alert, run rows.Run, before []rows.Run, after int) ([]MessageItem, error) {
	if len(before) < after {
		return nil, nil
	}
	was, err := a.Store.RunItems(ctx, before[0].ID, rows.ItemFilter{Outcomes: outcomes(rule), Limit: maxAlertItems})
	for i := 1; i < after && err == nil && len(was) > 0; i++ {
		var also map[uint64]bool
		also, err = a.alsoBad(ctx, rule, before[i], was)
		was = slices.DeleteFunc(was, func(r rows.RunItem) bool { return !also[keyHash(r.Entry, r.Key)] })
	}
	if err != nil || len(was) == 0 {
		return nil, err
	}
	bad, err := a.alsoBad(ctx, campaigns.Alert{When: slices.Concat(outcomes(rule), []harvest.Outcome{harvest.OutcomeSkipped, harvest.OutcomeCancelled})}, run, was)
	if err != nil {
		return nil, err
	}
	was = slices.DeleteFunc(was, func(r rows.RunItem) bool { return bad[keyHash(r.Entry, r.Key)] })
	return named(was), nil
}

func named(list []rows.RunItem) []MessageItem {
	out := make([]MessageItem, 0, len(list))
	for _, r := range list {
		out = append(out, MessageItem{Entry: r.Entry, Item: r.Key, Outcome: r.Outcome, Why: clip(cmp.Or(r.Error, r.Why), maxText)})
	}
	return out
}
