package campaigns

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/hold"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/scope"
	"github.com/vendemmia/vendemmia/internal/cli/unsent"
	"github.com/vendemmia/vendemmia/internal/cli/watch"
)

type campaignsShow struct {
	*program.Program
	origin bool
	files  []string
}

func newCampaignsShow(p *program.Program) *cobra.Command {
	c := &campaignsShow{Program: p}
	cmd := &cobra.Command{
		Use: "show NAME", Short: "Show a campaign as it holds",
		Long: `Show a campaign as it was applied: schedule, next fires, entries, items, last
run. With --origin: every effective value of its files, and the line that said
it (nothing is asked of the store then).`,
		Example: "  starter campaigns show news --origin",
		Args:    cobra.ExactArgs(1), RunE: c.run, ValidArgsFunction: p.CompleteCampaigns,
	}
	f := cmd.Flags()
	f.BoolVar(&c.origin, "origin", false, "every effective value with file and line")
	f.StringArrayVarP(&c.files, "file", "f", nil, "file or folder to read for --origin; default: campaigns")
	return cmd
}

func (c *campaignsShow) run(cmd *cobra.Command, args []string) error {
	if c.origin {
		return c.origins(cmd.Context(), args[0])
	}
	ctx := cmd.Context()
	s, err := c.Store(ctx)
	if err != nil {
		return err
	}
	row, err := scope.FindCampaign(ctx, c.Program, s, args[0])
	if err != nil {
		return err
	}
	v, err := view(ctx, c.Program, s, row)
	if err != nil {
		return err
	}
	d := campaignDetail{campaignView: v}
	if d.Items, d.Unhealthy, err = itemsOf(ctx, s, row.Name); err != nil {
		return err
	}
	if d.Passes, err = PassesOf(ctx, s, v.effective, c.Env.Now()); err != nil {
		return err
	}
	if d.Unsent, err = unsent.UnsentOf(ctx, s, row.Name); err != nil {
		return err
	}
	if v.effective.Schedule != nil {
		d.Fires = v.effective.Schedule.Next(c.Env.Now(), 5)
	}
	c.Out.Value(d)
	c.Out.Printf("%s", campaignScreen(d, c.Clock))
	return nil
}

// campaignDetail is all that `campaigns show` tells.
type campaignDetail struct {
	campaignView
	Items     int         `json:"items"`
	Unhealthy int         `json:"unhealthy"`
	Fires     []time.Time `json:"next_fires,omitempty"`
	// Unsent are its notifications that were tried in vain.
	Unsent []rows.Message `json:"unsent,omitempty"`
	// Passes are the full passes of entries that say refresh.
	Passes map[string]*entryPasses `json:"passes,omitempty"`
}

func campaignScreen(d campaignDetail, c print.Clock) string {
	var b strings.Builder
	e := d.effective
	line := func(name, text string) {
		if text != "" {
			b.WriteString(print.Pad(name, 12) + print.Wrap(text, 12, 12) + "\n")
		}
	}
	line("campaign", d.Name)
	line("about", e.Description)
	line("project", d.Project)
	line("owner", e.Owner)
	line("tags", strings.Join(e.Tags, ", "))
	line("schedule", scheduleWords(e))
	line("next", fires(d.Fires, c))
	if d.Paused != nil {
		line("paused", strings.TrimSpace(hold.PauseText(d.Paused, c)))
	}
	if !d.Removed.IsZero() {
		line("removed", c.Full(d.Removed)+"; its documents and checkpoints stay")
	}
	line("processors", fmt.Sprint(e.Processors))
	line("definition", definitionText(d, c))
	line("items", itemsText(d))
	if d.Last != nil {
		line("last run", fmt.Sprintf("%s  %s  %s new", d.Last.WorkflowID, watch.RunWord(*d.Last), print.Number(d.Last.Tally.New)))
	}
	line("unsent", unsent.UnsentText(d.Unsent, c))
	for _, entry := range e.Entries {
		b.WriteString("\n" + EntryScreen(entry, d.Passes[entry.Name], c))
	}
	return b.String()
}

func definitionText(d campaignDetail, c print.Clock) string {
	parts := []string{fmt.Sprintf("%s@%d", d.Name, d.Definition.Version)}
	if d.Definition.Author != "" {
		parts = append(parts, "by "+d.Definition.Author)
	}
	parts = append(parts, c.Day(d.Definition.AppliedAt))
	if at := print.Place(d.Definition.File, d.Definition.Line); at != "" {
		parts = append(parts, "("+at+")")
	}
	return strings.Join(parts, " ")
}

func itemsText(d campaignDetail) string {
	if d.Items == 0 {
		return "none seen yet"
	}
	text := print.Number(d.Items) + " seen"
	if d.Unhealthy > 0 {
		text += fmt.Sprintf(", %s unhealthy: starter items list --campaign %s --unhealthy", print.Number(d.Unhealthy), d.Name)
	}
	return text
}

// fires writes the next times a schedule is due, the day once.
func fires(times []time.Time, c print.Clock) string {
	var parts []string
	day := ""
	for _, t := range times {
		in := c.In(t)
		if d := in.Format("Mon 2 Jan"); d != day {
			day = d
			parts = append(parts, in.Format("Mon 2 Jan 15:04"))
			continue
		}
		parts = append(parts, in.Format("15:04"))
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, " · ") + " " + c.In(times[0]).Format("MST")
}

func EntryScreen(e campaigns.Entry, p *entryPasses, c print.Clock) string {
	var b strings.Builder
	line := func(name, text string) {
		if text != "" {
			b.WriteString(print.Pad(name, 12) + print.Wrap(text, 12, 12) + "\n")
		}
	}
	name := e.Name
	if e.Fetcher != e.Name {
		name += " (" + e.Fetcher + ")"
	}
	line("entry", name)
	line("params", strings.TrimSpace(string(e.Params)))
	if e.Split != nil {
		line("split", splitText(e.Split))
	}
	line("queue", e.Queue+", priority "+string(e.Priority))
	if e.Refresh > 0 {
		line("refresh", "every "+print.Duration(e.Refresh)+p.text(c))
	}
	return b.String()
}

func splitText(s *campaigns.Split) string {
	text := ""
	switch {
	case s.Ask != "":
		text = "asks the source for its " + s.Ask
	case s.List != "":
		text = print.Count(s.Count, "item") + " of " + s.File
	default:
		text = print.Count(len(s.Items), "item")
	}
	if s.Key != "" {
		text += ", key " + s.Key
	}
	return text
}
