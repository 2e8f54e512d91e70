package registries

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/internal/cli/campaignfiles"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/source"
	"github.com/vendemmia/vendemmia/internal/references"
	"github.com/vendemmia/vendemmia/internal/registry"
	"github.com/vendemmia/vendemmia/internal/userfile"
	"github.com/vendemmia/vendemmia/internal/visit"
)

type importing struct {
	*program.Program
	project, zone, write string
	network              source.NetworkFlags
}

// NewImport makes `starter import harvestables`.
func NewImport(p *program.Program) *cobra.Command {
	c := &importing{Program: p}
	cmd := &cobra.Command{
		Use: "harvestables FILE|URL", Short: "Turn the jobs of a harvester's XML service into campaigns",
		Long: `Turn the jobs of a harvester for libraries into campaigns, once: those of type
oaiPmh, with their schedules, the dates from which they go on, tries and tags.
FILE holds records as the service writes them; URL is the service itself, and
ends in /harvester/records. What is not taken over is listed, each reason once
with its jobs. To follow the service instead: starter registry add.`,
		Example: "  starter import harvestables http://localhost:8080/harvester/records --write campaigns/library.yaml",
		Args:    cobra.ExactArgs(1), RunE: c.run,
	}
	f := cmd.Flags()
	f.StringVar(&c.project, "project", "library", "project of the campaigns")
	f.StringVar(&c.zone, "time-zone", "", "time zone of the times; default: this machine's, as there")
	f.StringVar(&c.write, "write", "", "write the campaigns to this file")
	c.network.Add(f)
	return cmd
}

// imported is what an import tells programs.
type imported struct {
	Project   string    `json:"project"`
	Campaigns []string  `json:"campaigns"`
	YAML      string    `json:"yaml"`
	Left      []grouped `json:"not_taken_over"`
}

// grouped is one reason, with the jobs that it is of.
type grouped struct {
	Why  string   `json:"why"`
	Jobs []string `json:"jobs"`
}

func (c *importing) run(cmd *cobra.Command, args []string) error {
	zone, err := c.zoneName()
	if err != nil {
		return err
	}
	jobs, problems, err := c.read(cmd.Context(), args[0])
	if err != nil {
		return fmt.Errorf("import %s: %w", args[0], err)
	}
	out := imported{Project: c.project, Campaigns: []string{}, Left: []grouped{}}
	for _, p := range problems {
		out.left(cmp.Or(p.ID, "?"), p.Text)
	}
	bodies, err := c.bodies(jobs, &out)
	if err != nil {
		return err
	}
	if len(bodies) == 0 {
		c.tell(out)
		return fmt.Errorf("import %s: none of %s can be taken over; nothing was written", args[0], print.Count(len(jobs)+len(problems), "job"))
	}
	text, err := yaml.MarshalWithOptions(yaml.MapSlice{
		{Key: "project", Value: c.project},
		{Key: "defaults", Value: yaml.MapSlice{{Key: "schedule", Value: yaml.MapSlice{{Key: "time_zone", Value: zone}}}}},
		{Key: "campaigns", Value: bodies},
	}, yaml.Indent(2), yaml.IndentSequence(true))
	if err != nil {
		return fmt.Errorf("write campaigns: %w", err)
	}
	return c.deliver(out, text)
}

func (c *importing) zoneName() (string, error) {
	if zone := c.Env.Zone.String(); c.zone == "" && zone != "Local" {
		return zone, nil
	}
	zone := cmp.Or(c.zone, "UTC")
	if _, err := time.LoadLocation(zone); err != nil || zone == "Local" {
		return "", program.Usage("--time-zone %s: not a time zone; write one such as Europe/Rome", c.zone)
	}
	return zone, nil
}

func (c *importing) read(ctx context.Context, from string) ([]registry.Imported, []registry.Problem, error) {
	if !strings.HasPrefix(from, "http://") && !strings.HasPrefix(from, "https://") {
		text, err := userfile.Read(c.Path(from), maxRecords)
		if err != nil {
			return nil, nil, err
		}
		return registry.ReadHarvestables(text)
	}
	polite, err := source.Polite(c.Program, &c.network)
	if err != nil {
		return nil, nil, err
	}
	return registry.FetchHarvestables(ctx, from, polite.HTTP(visit.Visitor{Timeout: c.network.Timeout}))
}

// maxRecords bounds a file of records.
const maxRecords = 256 << 20

// bodies are the campaigns, in the order of the jobs; each was checked as files are.
func (c *importing) bodies(jobs []registry.Imported, out *imported) (yaml.MapSlice, error) {
	making, err := campaigns.NewMaking(c.project, campaignfiles.Lookup(c.Program), campaigns.Defaults{})
	if err != nil {
		return nil, err
	}
	var list yaml.MapSlice
	for _, j := range jobs {
		id := cmp.Or(j.ID, "?")
		if j.Unsupported != "" {
			out.left(id, strings.TrimSuffix(j.Unsupported, ", job "+j.ID))
			continue
		}
		name := campaignName(j.Job, out.Campaigns)
		_, problem, err := registry.Source(making, "harvestables", name, j.Job)
		if err != nil {
			return nil, err
		}
		if problem != "" {
			out.left(id, problem)
			continue
		}
		body, err := body(j.Job)
		if err != nil {
			return nil, err
		}
		for _, why := range j.Left {
			out.left(id, why)
		}
		out.Campaigns = append(out.Campaigns, name)
		list = append(list, yaml.MapItem{Key: name, Value: body})
	}
	return list, nil
}

var notOfNames = regexp.MustCompile(`[^a-z0-9]+`)

// campaignName is the job's name as campaigns are named, with its id where there is
// another of that name.
func campaignName(j registry.Job, taken []string) string {
	name := strings.Trim(notOfNames.ReplaceAllString(strings.ToLower(j.Name), "-"), "-")
	name = strings.Trim(name[:min(len(name), 40)], "-")
	if name == "" || name[0] < 'a' || strings.HasPrefix(name, campaigns.RegistryPrefix) || strings.HasPrefix(name, "adhoc-") {
		name = strings.TrimSuffix("job-"+name, "-")
	}
	if !slices.Contains(taken, name) {
		return name
	}
	name += "-" + cmp.Or(j.ID, "2")
	for base, n := name, 2; slices.Contains(taken, name); n++ {
		name = fmt.Sprintf("%s-%d", base, n)
	}
	return name
}

// body is a job as people would write it into a file.
func body(j registry.Job) (yaml.MapSlice, error) {
	out := yaml.MapSlice{}
	add := func(key string, value any) {
		out = append(out, yaml.MapItem{Key: key, Value: value})
	}
	if j.Name != "" {
		add("description", references.Escape(j.Name))
	}
	if len(j.Tags) > 0 {
		add("tags", j.Tags)
	}
	if !j.Enabled {
		add("paused", "disabled in the harvester")
	}
	params, err := references.EscapeJSON(j.Params)
	if err != nil {
		return nil, err
	}
	for _, part := range []struct {
		key string
		raw json.RawMessage
	}{{"schedule", j.Timing}, {"timeouts", j.Policies["timeouts"]}, {"retry", j.Policies["retry"]}} {
		if len(part.raw) == 0 {
			continue
		}
		value, err := decoded(part.raw)
		if err != nil {
			return nil, err
		}
		add(part.key, value)
	}
	add("fetcher", j.Fetcher)
	value, err := decoded(params)
	add("params", value)
	return out, err
}

// decoded is JSON as YAML writes it, a schedule of one line as that line.
func decoded(raw json.RawMessage) (any, error) {
	v, err := plain(raw)
	if err != nil {
		return nil, err
	}
	if m, is := v.(map[string]any); is && len(m) == 1 {
		if lines, is := m["cron"].([]any); is && len(lines) == 1 {
			return lines[0], nil
		}
	}
	return v, nil
}

// plain reads JSON whose numbers are whole.
func plain(raw json.RawMessage) (any, error) {
	var v any
	if err := yaml.Unmarshal(raw, &v); err != nil {
		return nil, fmt.Errorf("write campaigns: %w", err)
	}
	return v, nil
}

// left notes a reason for a job.
func (i *imported) left(job, why string) {
	for n, g := range i.Left {
		if g.Why == why {
			i.Left[n].Jobs = append(g.Jobs, job)
			return
		}
	}
	i.Left = append(i.Left, grouped{Why: why, Jobs: []string{job}})
}

func (c *importing) deliver(out imported, text []byte) error {
	out.YAML = string(text)
	c.tell(out)
	if c.write == "" {
		c.Out.Printf("%s", text)
	} else if err := campaignfiles.WriteNew(c.Program, []campaignfiles.NewFile{{Name: c.write, Content: text}}); err != nil {
		return err
	}
	c.Out.Value(out)
	c.Say("%s", print.Count(len(out.Campaigns), "campaign"))
	if c.write != "" {
		c.Say("next     starter campaigns validate %s\n         starter campaigns plan %s", c.write, c.write)
	}
	return nil
}

// tell lists what is not taken over; programs find it in the value.
func (c *importing) tell(out imported) {
	if !c.Out.People() || len(out.Left) == 0 {
		return
	}
	c.Say("Not taken over:")
	for _, g := range out.Left {
		c.Say("  %s (%s: %s)", g.Why, print.Count(len(g.Jobs), "job"), some(g.Jobs))
	}
}

// some are the first of many.
func some(list []string) string {
	const most = 8
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return strings.Join(list[:most], ", ") + " …"
}
