package campaigns

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/cli/campaignfiles"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/source"
	"github.com/vendemmia/vendemmia/internal/cli/trial"
	"github.com/vendemmia/vendemmia/internal/units"
	"github.com/vendemmia/vendemmia/internal/wording"
)

type campaignsTry struct {
	*program.Program
	campaign string
	given    []string
	limit    int
	from     string
	until    string
	strict   bool
	network  source.NetworkFlags
}

func newCampaignsTry(p *program.Program) *cobra.Command {
	c := &campaignsTry{Program: p}
	cmd := &cobra.Command{
		Use: "try FILE [ITEM]", Short: "Fetch one item of a campaign file once",
		Long: `Fetch one item as a campaign file describes it, without Temporal and without a
store: documents go to standard output, counts to standard error. ITEM is a key
of the split, or a campaign with one item; with one in all it may be left out.`,
		Example: "  starter campaigns try campaigns/main.yaml ansa-economia --limit 5",
		Args:    cobra.RangeArgs(1, 2), RunE: c.run,
	}
	f := cmd.Flags()
	f.StringVar(&c.campaign, "campaign", "", "which campaign, when the file has several")
	program.AddParams(f, &c.given)
	f.IntVar(&c.limit, "limit", trial.DefaultLimit, "end after so many documents, or 100 pages; 0: all")
	f.StringVar(&c.from, "from", "", "nothing older than this time")
	f.StringVar(&c.until, "until", "", "only what is older than this time")
	f.BoolVar(&c.strict, "strict", false, "exit 4 when the outcome is a warning")
	c.network.Add(f)
	return cmd
}

// tryItem is one item of a file.
type tryItem struct {
	campaign string
	entry    campaigns.Entry
	row      campaigns.Row
	key      string
	params   json.RawMessage
}

func (c *campaignsTry) run(cmd *cobra.Command, args []string) error {
	l, err := campaignfiles.Load(c.Program, args[:1])
	if err != nil {
		return err
	}
	if len(l.Problems) > 0 {
		return campaignfiles.Refuse(c.Program, l)
	}
	items, err := c.items(l)
	if err != nil {
		return err
	}
	it, err := pick(items, args[1:])
	if err != nil {
		return err
	}
	kind, err := c.Env.Fetchers.Find(it.entry.Fetcher)
	if err != nil {
		return program.Usage("%w", err)
	}
	window, err := c.Window(c.from, c.until)
	if err != nil {
		return err
	}
	if err := source.CheckParams(kind, it.params); err != nil {
		return err
	}
	if c.network.Timeout == time.Minute && it.entry.Timeouts.Request > 0 {
		c.network.Timeout = it.entry.Timeouts.Request
	}
	c.Say("item        %s", units.Item{Campaign: it.campaign, Entry: it.entry.Name, Key: it.key})
	req := harvest.Request{Item: it.key, Params: it.params, Window: window, Limit: c.limit}
	return source.Try(cmd.Context(), c.Program, kind, req, c.network, it.entry.Auth, c.strict)
}

// items lists what can be tried: entries that ask their source are one item, the
// entry itself.
func (c *campaignsTry) items(l *campaigns.Loaded) ([]tryItem, error) {
	over, err := c.Overrides(c.given, nil)
	if err != nil {
		return nil, err
	}
	var out []tryItem
	for _, s := range l.Campaigns {
		if c.campaign != "" && s.Campaign.Name != c.campaign {
			continue
		}
		for _, e := range s.Campaign.Entries {
			for _, row := range rowsOf(s, e) {
				it := tryItem{campaign: s.Campaign.Name, entry: e, row: row, key: row.Key}
				if it.params, err = e.ItemParams(row, over); err != nil {
					return nil, err
				}
				if it.key, err = c.key(e, row, it.params); err != nil {
					return nil, err
				}
				out = append(out, it)
			}
		}
	}
	if len(out) == 0 {
		return nil, program.Usage("there is nothing to try: no such campaign in %s", strings.Join(l.Files, ", "))
	}
	return out, nil
}

func (c *campaignsTry) key(e campaigns.Entry, row campaigns.Row, params json.RawMessage) (string, error) {
	kind, err := c.Env.Fetchers.Find(e.Fetcher)
	if err != nil {
		return "", err
	}
	return e.ItemKey(params, kind.Identity, row)
}

func rowsOf(s campaigns.Source, e campaigns.Entry) []campaigns.Row {
	switch {
	case e.Split == nil || e.Split.Ask != "":
		return []campaigns.Row{{}}
	case e.Split.List != "":
		return s.Lists[e.Split.List]
	default:
		return e.Split.Items
	}
}

// only finds the one item of a campaign; -1 where there is none, or several.
func only(items []tryItem, campaign string) int {
	of := func(it tryItem) bool { return it.campaign == campaign }
	i := slices.IndexFunc(items, of)
	if i >= 0 && slices.ContainsFunc(items[i+1:], of) {
		return -1
	}
	return i
}

// pick chooses the item that was named; several without a name are listed.
func pick(items []tryItem, args []string) (tryItem, error) {
	if len(args) == 0 && len(items) == 1 {
		return items[0], nil
	}
	var keys []string
	for _, it := range items {
		keys = append(keys, it.key)
	}
	if len(args) == 0 {
		return tryItem{}, program.Usage("which item? one of %s", print.Some(keys))
	}
	i := slices.IndexFunc(items, func(it tryItem) bool {
		return it.key == args[0] || units.Item{Campaign: it.campaign, Entry: it.entry.Name, Key: it.key}.String() == args[0]
	})
	if i < 0 {
		i = only(items, args[0])
	}
	if i < 0 {
		if near := wording.Nearest(args[0], keys); near != "" {
			return tryItem{}, program.Usage("no item %s; did you mean %s?", args[0], near)
		}
		return tryItem{}, program.Usage("no item %s; there are %s", args[0], print.Some(keys))
	}
	return items[i], nil
}
