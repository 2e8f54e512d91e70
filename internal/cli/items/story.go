package items

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/scope"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/units"
)

// How many of its runs an item is looked back over, and how many are shown.
const (
	pastRuns  = 200
	shownRuns = 10
)

// itemStory is an item with what its runs tell of it.
type itemStory struct {
	rows.Item
	Address string `json:"address,omitempty"`
	Error   string `json:"error,omitempty"` // what the last attempt met
	// Since is when it ended badly for the first time after it was well.
	Since time.Time `json:"unhealthy_since,omitzero"`
	// NoFile: no campaign file has it any more.
	NoFile bool           `json:"in_no_file,omitempty"`
	Past   []rows.PastRun `json:"-"`
}

// story reads what the item's runs tell.
func story(ctx context.Context, s program.Store, it rows.Item) (itemStory, error) {
	past, err := s.Past(ctx, it.Item, pastRuns)
	st := itemStory{Item: it, Past: past}
	if err != nil || len(past) == 0 {
		return st, err
	}
	st.Address, st.Error = addressIn(past[0].Params), past[0].Error
	if st.Error == "" && len(past[0].Warnings) > 0 {
		st.Error = past[0].Warnings[0]
	}
	if n := past[0].Tally.Quarantined; st.Error == "" && n > 0 {
		st.Error = print.Count(n, "record") + " could not be read"
	}
	for _, p := range past {
		if p.Outcome.Severity() == outcomes.OK && p.Outcome != outcomes.Skipped && p.Outcome != outcomes.Cancelled {
			break
		}
		if p.Outcome.Severity() != outcomes.OK {
			st.Since = p.ClosedAt
		}
	}
	return st, nil
}

// addressIn returns the address among params; empty where a fetcher has none.
func addressIn(params json.RawMessage) string {
	var p struct {
		URL string `json:"url"`
	}
	if json.Unmarshal(params, &p) != nil {
		return ""
	}
	u, err := url.Parse(p.URL)
	if err != nil {
		return harvest.Redact(p.URL)
	}
	u.User = nil
	return u.String()
}

// metText is what the last attempt met, without the address that is known.
func (st itemStory) metText() string {
	if _, rest, ok := strings.Cut(st.Error, st.Address+": "); ok && st.Address != "" {
		return rest
	}
	return st.Error
}

// whyLine is whyText for a table.
func (st itemStory) whyLine(c print.Clock) string {
	if st.Error != "" {
		return st.metText()
	}
	return st.whyText(c)
}

// whyText says in words why an item ended as it did.
func (st itemStory) whyText(c print.Clock) string {
	text := c.Reason(st.Why)
	switch {
	case st.Error == "" && text == "":
		return string(st.Kind)
	case st.Error == "" || strings.Contains(text, st.Error) || strings.Contains(text, "unread since") && strings.HasSuffix(st.Error, "could not be read"):
		return text
	case text == "" || st.Why == string(outcomes.WhyNotRetriable):
		return st.Error
	default:
		return st.Error + " (" + text + ")"
	}
}

// fileless tells which items no campaign file has any more. What cannot be known
// here counts as in a file.
type fileless struct {
	*scope.InForce
	campaigns map[string]rows.Campaign
	entries   map[string]map[string][]string // of a campaign, by entry: its keys; nil: not known
}

// newFileless reads the campaigns of the store.
func newFileless(ctx context.Context, p *program.Program, s program.Store) (*fileless, error) {
	list, err := s.Campaigns(ctx, "", true)
	f := &fileless{InForce: scope.NewInForce(p, s), campaigns: map[string]rows.Campaign{}, entries: map[string]map[string][]string{}}
	for _, c := range list {
		f.campaigns[c.Name] = c
	}
	return f, err
}

func (f *fileless) has(ctx context.Context, it units.Item) bool {
	row, ok := f.campaigns[it.Campaign]
	if !ok || !row.Removed.IsZero() {
		return ok
	}
	entries := f.keys(ctx, row)
	keys, known := entries[it.Entry]
	if entries == nil || it.Key == splitItem || known && keys == nil {
		return false
	}
	return !slices.Contains(keys, it.Key)
}

// splitItem stands for the question which items there are.
const splitItem = "split"

// keys are those of a campaign as applied, by entry; nil where a list is not
// known.
func (f *fileless) keys(ctx context.Context, row rows.Campaign) map[string][]string {
	if known, ok := f.entries[row.Name]; ok {
		return known
	}
	f.entries[row.Name] = nil
	c, err := campaigns.Decode(row.Definition.Spec)
	if err != nil {
		return nil
	}
	items, err := f.Of(ctx, row.Name)
	if err != nil {
		return nil
	}
	entries := map[string][]string{}
	for _, e := range c.Entries {
		entries[e.Name] = nil
	}
	for key, list := range items {
		for _, it := range list {
			entries[it.Entry] = append(entries[it.Entry], key)
		}
	}
	f.entries[row.Name] = entries
	return entries
}
