package registries

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/registry"
	"github.com/vendemmia/vendemmia/internal/times"
)

type show struct {
	list
	problems bool
	limit    int
}

func newShow(p *program.Program) *cobra.Command {
	c := &show{list: list{p}}
	cmd := &cobra.Command{
		Use: "show NAME", Short: "Show one registry: its jobs, and how they go",
		Long:    "Show a registry with its jobs: what each is doing, how its last run ended, when\nit is due, and what is wrong with it. It asks the store, not the registry.",
		Example: "  starter registry show library --problems",
		Args:    cobra.ExactArgs(1), RunE: c.run, ValidArgsFunction: complete(p),
	}
	cmd.Flags().BoolVar(&c.problems, "problems", false, "only the jobs that cannot be followed")
	cmd.Flags().IntVar(&c.limit, "limit", 200, "at most so many jobs; 0: all")
	return cmd
}

// jobView is a job as show tells it.
type jobView struct {
	Job      string `json:"job"`
	Name     string `json:"name,omitempty"`
	Type     string `json:"type,omitempty"`
	Campaign string `json:"campaign"`
	Problem  string `json:"problem,omitempty"`
	// Missing counts the listings in a row that lack it.
	Missing    int       `json:"missing,omitempty"`
	Refused    string    `json:"report_refused,omitempty"`
	ReportedAt time.Time `json:"reported_at,omitzero"`
	registry.Report
}

// detail is all that `registry show` tells.
type detail struct {
	view
	List []jobView `json:"list"`
}

func (c *show) run(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	s, err := c.Store(ctx)
	if err != nil {
		return err
	}
	r, err := find(ctx, s, args[0])
	if err != nil {
		return err
	}
	d := detail{}
	if d.view, err = c.view(ctx, s, r); err != nil {
		return err
	}
	if d.List, err = c.jobs(ctx, s, r); err != nil {
		return err
	}
	c.Out.Value(d)
	c.Out.Printf("%s", c.screen(d))
	c.Out.Table(c.table(d.List))
	return nil
}

func (c *show) jobs(ctx context.Context, s program.Store, r rows.Registry) ([]jobView, error) {
	jobs, err := s.RegistryJobs(ctx, r.Name)
	if err != nil {
		return nil, err
	}
	w := registry.World{Now: c.Env.Now(), Campaigns: map[string]rows.Campaign{}}
	if w.Open, w.Last, err = s.RegistryRuns(ctx, r.Name); err != nil {
		return nil, err
	}
	waiting, err := s.RegistryLine(ctx, r.Name)
	if err != nil {
		return nil, err
	}
	w.Line = registry.Line(waiting)
	list, err := s.Campaigns(ctx, registry.Project(r.Name), true)
	if err != nil {
		return nil, err
	}
	for _, one := range list {
		w.Campaigns[one.Name] = one
	}
	out := []jobView{}
	for _, row := range jobs {
		if row.State == rows.JobRemoved || c.problems && row.Problem == "" {
			continue
		}
		if c.limit > 0 && len(out) == c.limit {
			break
		}
		v, err := c.job(ctx, s, w, row)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

func (c *show) job(ctx context.Context, s program.Store, w registry.World, row rows.RegistryJob) (jobView, error) {
	job, err := registry.DecodeJob(row.Spec)
	if err != nil {
		return jobView{}, err
	}
	var items []rows.RunItem
	if run, going := w.Open[row.Campaign]; going {
		if items, err = s.RunItems(ctx, run.ID, rows.ItemFilter{Limit: 20}); err != nil {
			return jobView{}, err
		}
	}
	report, err := w.Report(row, items)
	return jobView{
		Job: row.ID, Name: job.Name, Type: job.Type, Campaign: row.Campaign, Problem: row.Problem, Missing: row.Missing,
		Refused: row.Refused, ReportedAt: row.ReportedAt, Report: report,
	}, err
}

func (c *show) screen(d detail) string {
	var b strings.Builder
	line := func(name, text string) {
		if text != "" {
			b.WriteString(print.Pad(name, 10) + print.Wrap(text, 10, 10) + "\n")
		}
	}
	line("registry", d.Name)
	line("address", d.URL+" ("+d.Format+")")
	line("asked", "every "+times.FormatDuration(d.Every)+", "+map[bool]string{true: "never until now", false: "last " + c.asked(d.Registry)}[d.AskedAt.IsZero()])
	line("state", stateText(d.view, c.Clock))
	line("running", running(d.view)+after(print.Count(d.Waiting, "run")+" waiting", d.Waiting > 0))
	line("jobs", print.Number(d.Jobs)+after(print.Number(d.Problems)+" cannot be followed", d.Problems > 0))
	return b.String() + "\n"
}

func (c *show) table(jobs []jobView) *print.Table {
	t := print.NewTable(print.Key("JOB"), print.Flex("NAME"), print.Left("STATE"), print.Left("LAST"), print.Right("DOCS"), print.Left("NEXT"), print.Flex("NOTE"))
	for _, j := range jobs {
		t.Row(j.Job, print.Dash(j.Name), c.doing(j), print.Dash(cmp.Or(string(j.Ending))), print.Number(j.Documents), c.next(j), print.Dash(c.note(j)))
	}
	return t
}

func (c *show) doing(j jobView) string {
	if j.Progress != nil {
		return j.State + " " + print.Number(*j.Progress) + "%"
	}
	return j.State
}

func (c *show) next(j jobView) string {
	if j.Next.IsZero() {
		return "-"
	}
	return c.Clock.Near(j.Next)
}

// note is what a person should know of a job.
func (c *show) note(j jobView) string {
	switch {
	case j.Problem != "":
		return j.Problem
	case j.Missing > 0:
		return "the last listing lacks it"
	case j.Refused != "":
		return "report refused: " + j.Refused
	default:
		return cmp.Or(j.Text, j.Error)
	}
}

// after is a remark in parentheses, where there is one to make.
func after(text string, show bool) string {
	if !show {
		return ""
	}
	return " " + print.Parens(text, true)
}
