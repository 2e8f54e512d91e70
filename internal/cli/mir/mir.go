package mir

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/internal/cli/campaignfiles"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/takeover"
	"github.com/vendemmia/vendemmia/internal/userfile"
)

type importer struct {
	*program.Program
	documents []string
	dialect   string
	project   string
	zone      string
	write     string
}

// NewCrontab makes `starter import crontab`.
func NewCrontab(p *program.Program) *cobra.Command {
	c := &importer{Program: p}
	cmd := &cobra.Command{
		Use: "crontab FILE", Short: "Turn Mir's lines of a crontab into campaigns",
		Long: `Turn the lines of a crontab that start Mir's scheduler into campaigns: names,
times, processors, params. The fetchers of a campaign stand in Mir's database:
give its export with --mir. A line that is commented out becomes a paused
campaign. What is not complete is written as a comment that says what is
missing; what cannot be taken over is listed, each reason once. Schedules keep
the meaning that they have in their own dialect.`,
		Example: "  starter import crontab crontab.txt --mir system.json --write campaigns/mir.yaml",
		Args:    cobra.ExactArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return c.crontab(args[0]) },
	}
	c.add(cmd)
	f := cmd.Flags()
	f.StringArrayVar(&c.documents, "mir", nil, "file with documents of Mir's collection system; may be repeated")
	f.StringVar(&c.dialect, "dialect", takeover.Vixie, "how lines are read: "+strings.Join(takeover.Dialects(), ", "))
	program.Complete(cmd, "dialect", takeover.Dialects()...)
	return cmd
}

// NewDocuments makes `starter import mir`.
func NewDocuments(p *program.Program) *cobra.Command {
	c := &importer{Program: p, dialect: takeover.Vixie}
	cmd := &cobra.Command{
		Use: "mir FILE...", Short: "Turn Mir's documents into campaigns",
		Long: `Turn documents of Mir's collection system, in either layout, into campaigns
without schedules: an item for each element of a split, with its label. Items
that name a source a second time are left out. With times: starter import
crontab FILE --mir FILE.`,
		Example: "  starter import mir system-acq.json --write campaigns/mir.yaml",
		Args:    cobra.MinimumNArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return c.take(args[0], nil, args) },
	}
	c.add(cmd)
	return cmd
}

func (c *importer) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&c.project, "project", "mir", "project of the campaigns")
	f.StringVar(&c.zone, "time-zone", "", "time zone of the times; default: this machine's, as cron has it")
	f.StringVar(&c.write, "write", "", "write the campaigns to this file, items to CSV files beside it")
}

func (c *importer) crontab(file string) error {
	if !slices.Contains(takeover.Dialects(), c.dialect) {
		return program.Usage("--dialect %s: one of %s", c.dialect, strings.Join(takeover.Dialects(), ", "))
	}
	text, err := userfile.Read(c.Path(file), program.MaxParams)
	if err != nil {
		return program.Usage("import: %w", err)
	}
	tab := takeover.ReadCrontab(file, text, c.dialect)
	return c.take(file, &tab, c.documents)
}

// Taken is what an import tells programs.
type Taken struct {
	Project    string              `json:"project"`
	Campaigns  []string            `json:"campaigns"`
	Incomplete []string            `json:"incomplete"`
	YAML       string              `json:"yaml"`
	Lists      map[string]string   `json:"lists"`
	NotTaken   []campaigns.Problem `json:"not_taken_over"`
	Doubts     []campaigns.Problem `json:"doubts"`
}

func (c *importer) take(file string, tab *takeover.Crontab, documents []string) error {
	if tab == nil {
		tab = &takeover.Crontab{}
	}
	docs, notes, err := c.read(documents)
	if err != nil {
		return err
	}
	got := takeover.Acquire(c.Env.Fetchers, c.Env.Now(), file, tab.Jobs, docs)
	got.NotTaken = slices.Concat(tab.Notes, notes, got.NotTaken)
	if len(got.Campaigns) == 0 {
		c.tell(got)
		return fmt.Errorf("import %s: nothing in it starts a fetcher of Mir; nothing was written", file)
	}
	stem := strings.TrimSuffix(filepath.Base(c.write), filepath.Ext(c.write))
	if c.write == "" {
		stem = ""
	}
	zone, err := c.zoneName()
	if err != nil {
		return err
	}
	out, err := got.File(c.project, zone, stem)
	if err != nil {
		return err
	}
	return c.deliver(got, out)
}

func (c *importer) read(files []string) (docs []takeover.MirCampaign, notes []campaigns.Problem, err error) {
	for _, file := range files {
		text, err := userfile.Read(c.Path(file), takeover.MaxPositions)
		if err != nil {
			return nil, nil, program.Usage("import: %w", err)
		}
		got, err := takeover.ReadMirDocuments(file, text)
		if err != nil {
			return nil, nil, program.Usage("import: %s: %w", file, err)
		}
		docs, notes = append(docs, got.Campaigns...), append(notes, got.Notes...)
	}
	return docs, notes, nil
}

// zoneName is the zone that cron would use.
func (c *importer) zoneName() (string, error) {
	if c.zone == "" {
		if zone := c.Env.Zone.String(); zone != "Local" {
			return zone, nil
		}
		return "UTC", nil
	}
	if _, err := time.LoadLocation(c.zone); err != nil || c.zone == "Local" {
		return "", program.Usage("--time-zone %s: not a time zone; write one such as Europe/Rome", c.zone)
	}
	return c.zone, nil
}

func (c *importer) deliver(got takeover.Acquisition, out takeover.File) error {
	c.tell(got)
	if c.write != "" {
		files := []campaignfiles.NewFile{{Name: c.write, Content: out.YAML}}
		for name, text := range out.Lists {
			files = append(files, campaignfiles.NewFile{Name: filepath.Join(filepath.Dir(c.write), name), Content: text})
		}
		slices.SortFunc(files[1:], func(a, b campaignfiles.NewFile) int { return strings.Compare(a.Name, b.Name) })
		if err := campaignfiles.WriteNew(c.Program, files); err != nil {
			return err
		}
	} else {
		c.Out.Printf("%s", out.YAML)
	}
	c.Out.Value(c.taken(got, out))
	c.next(got)
	return nil
}

func (c *importer) taken(got takeover.Acquisition, out takeover.File) Taken {
	t := Taken{
		Project: c.project, Campaigns: []string{}, Incomplete: []string{}, YAML: string(out.YAML), Lists: map[string]string{},
		NotTaken: campaignfiles.OrEmpty(got.NotTaken), Doubts: campaignfiles.OrEmpty(got.Doubts),
	}
	for name, text := range out.Lists {
		t.Lists[name] = string(text)
	}
	for _, camp := range got.Campaigns {
		if len(camp.Lacks) > 0 {
			t.Incomplete = append(t.Incomplete, camp.Name)
			continue
		}
		t.Campaigns = append(t.Campaigns, camp.Name)
	}
	return t
}

// tell lists what people have to look at; programs find it in the value.
func (c *importer) tell(got takeover.Acquisition) {
	if !c.Out.People() {
		return
	}
	for _, part := range []struct {
		head string
		list []campaigns.Problem
	}{{"Not taken over:", got.NotTaken}, {"Taken over, but probably not meant:", got.Doubts}} {
		if len(part.list) > 0 {
			c.Say("%s", part.head)
			_ = campaigns.PrintPlaces(c.Env.Stderr, part.list) // a closed stderr says nothing
		}
	}
}

// next says what to do with what was written.
func (c *importer) next(got takeover.Acquisition) {
	items, open := 0, 0
	for _, camp := range got.Campaigns {
		if len(camp.Lacks) > 0 {
			open++
			continue
		}
		for _, e := range camp.Entries {
			items += max(1, len(e.Items))
		}
	}
	c.Say("%s with %s, %d not complete", print.Count(len(got.Campaigns)-open, "campaign"), print.Count(items, "item"), open)
	if c.write != "" {
		c.Say("next     starter campaigns validate %s\n         starter campaigns plan %s", c.write, c.write)
	}
}
