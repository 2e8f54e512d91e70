package runs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/scope"
	"github.com/vendemmia/vendemmia/internal/times"
)

type runsCancel struct {
	*program.Program
	all      bool
	campaign string
	tag      string
	note     string
	after    program.SpanValue
	wait     bool
}

func newRunsCancel(p *program.Program) *cobra.Command {
	c := &runsCancel{Program: p}
	cmd := &cobra.Command{
		Use: "cancel [RUN]", Short: "End running runs cleanly",
		Long: `End a running run, or several: the pages in work are stored, checkpoints are
kept, what is open is closed as cancelled. The next run goes on from there. With
--after a run that has not ended by then is terminated: the next run or
housekeeping closes what it left open; nothing that was stored is lost. A run
that was planned (trigger --at) is taken back.`,
		Example: "  starter runs cancel --tag news --after 2m",
		Args:    cobra.MaximumNArgs(1), RunE: c.run, ValidArgsFunction: p.CompleteRuns,
	}
	f := cmd.Flags()
	f.BoolVar(&c.all, "all", false, "all running runs")
	f.StringVar(&c.campaign, "campaign", "", "the running runs of this campaign")
	f.StringVar(&c.tag, "tag", "", "the running runs of campaigns with this tag")
	f.StringVar(&c.note, "note", "", "why; shown with the run")
	f.Var(&c.after, "after", "terminate what has not ended after so long")
	f.BoolVar(&c.wait, "wait", false, "return when the runs have ended")
	p.CompleteFlag(cmd, "campaign", p.CompleteCampaigns)
	return cmd
}

// cancelled is what became of one run.
type cancelled struct {
	Run  string `json:"run"`
	Done string `json:"done"`
	Text string `json:"text"`
}

func (c *runsCancel) run(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	if err := c.oneWay(args); err != nil {
		return err
	}
	s, err := c.Store(ctx)
	if err != nil {
		return err
	}
	list, err := c.meant(ctx, s, args)
	if err != nil {
		return c.planned(ctx, s, args, err)
	}
	if len(list) == 0 {
		c.Out.Value([]cancelled{})
		c.Out.Printf("No run of that kind is going on.\n")
		return nil
	}
	if err := c.agreed(ctx, list, len(args) == 1); err != nil {
		return err
	}
	done, err := c.each(ctx, s, list)
	if len(args) == 1 && len(done) == 1 {
		c.Out.Value(done[0])
	} else {
		c.Out.Value(done)
	}
	return err
}

// oneWay wants the runs to be named in exactly one way.
func (c *runsCancel) oneWay(args []string) error {
	ways := 0
	for _, given := range []bool{len(args) == 1, c.all, c.campaign != "", c.tag != ""} {
		if given {
			ways++
		}
	}
	if ways != 1 {
		return program.Usage("runs cancel: name runs in one way: RUN, --all, --campaign NAME or --tag TAG")
	}
	return nil
}

// meant are the runs that are to end; a named one that has ended is an error.
func (c *runsCancel) meant(ctx context.Context, s program.Store, args []string) ([]rows.Run, error) {
	if len(args) == 1 {
		r, err := scope.FindRun(ctx, c.Program, s, args[0])
		if err == nil && r.State == rows.RunClosed {
			err = fmt.Errorf("cancel %s: it ended at %s, %s", r.WorkflowID, c.Clock.Full(r.ClosedAt), r.Outcome)
		}
		return []rows.Run{r}, err
	}
	if err := scope.CheckCampaign(ctx, c.Program, s, c.campaign); err != nil {
		return nil, err
	}
	all, err := s.OpenRuns(ctx)
	if err != nil || c.all {
		return all, err
	}
	tagged, err := c.tagged(ctx, s)
	return slices.DeleteFunc(all, func(r rows.Run) bool {
		return r.Campaign != c.campaign && !slices.Contains(tagged, r.Campaign)
	}), err
}

// tagged are the campaigns with the tag; a tag that none has is a usage error.
func (c *runsCancel) tagged(ctx context.Context, s program.Store) (names []string, err error) {
	if c.tag == "" {
		return nil, nil
	}
	known, err := s.Campaigns(ctx, "", true)
	if err != nil {
		return nil, err
	}
	for _, row := range known {
		camp, err := campaigns.Decode(row.Definition.Spec)
		if err != nil {
			return nil, fmt.Errorf("read campaign %s: %w", row.Name, err)
		}
		if slices.Contains(camp.Tags, c.tag) {
			names = append(names, row.Name)
		}
	}
	if len(names) == 0 {
		return nil, program.Usage("--tag %s: no campaign has this tag; see `starter campaigns list`", c.tag)
	}
	return names, nil
}

// agreed says what will be touched; more than one named run asks first.
func (c *runsCancel) agreed(ctx context.Context, list []rows.Run, named bool) error {
	if named {
		return c.Aim(ctx, true, "cancel "+list[0].WorkflowID)
	}
	var ids []string
	for _, r := range list {
		ids = append(ids, r.WorkflowID)
	}
	question := fmt.Sprintf("cancel %s: %s", print.Count(len(list), "run"), strings.Join(ids, ", "))
	c.Sure = true
	return c.Aim(ctx, true, question)
}

// each asks all of them to stop, and then waits for all together.
func (c *runsCancel) each(ctx context.Context, s program.Store, list []rows.Run) (done []cancelled, err error) {
	e, err := c.Engine(ctx)
	if err != nil {
		return nil, err
	}
	var failed []error
	for _, r := range list {
		if err := e.Cancel(ctx, r.WorkflowID, ""); err != nil {
			failed = append(failed, err)
			continue
		}
		failed = append(failed, c.record(ctx, s, "cancel", r.WorkflowID))
		done = append(done, cancelled{r.WorkflowID, "cancel", "asked to stop at its next page"})
	}
	limit := c.Env.Now().Add(time.Duration(c.after))
	for i := range done {
		at := slices.IndexFunc(list, func(r rows.Run) bool { return r.WorkflowID == done[i].Run })
		failed = append(failed, c.end(ctx, s, e, list[at], &done[i], limit))
		c.Out.Printf("%s  %s\n", done[i].Run, done[i].Text)
	}
	return done, errors.Join(failed...)
}

// end waits for one run, if that was asked for, and terminates it at the limit.
func (c *runsCancel) end(ctx context.Context, s program.Store, e program.Engine, r rows.Run, done *cancelled, limit time.Time) error {
	if !c.wait && c.after == 0 {
		return nil
	}
	waits, stop := ctx, func() {}
	if c.after > 0 {
		waits, stop = context.WithTimeout(ctx, max(0, limit.Sub(c.Env.Now())))
	}
	defer stop()
	err := untilClosed(waits, c.Program, r)
	if err == nil {
		done.Text = "cancelled"
		return nil
	}
	if ctx.Err() != nil || waits.Err() == nil {
		return err
	}
	why := "did not stop within " + times.FormatDuration(time.Duration(c.after)) + " after cancel, " + c.Who()
	if err := e.Terminate(ctx, r.WorkflowID, "", why); err != nil {
		return err
	}
	done.Done, done.Text = "terminate", "terminated: "+why
	return c.record(ctx, s, "terminate", r.WorkflowID)
}

func (c *runsCancel) record(ctx context.Context, s program.Store, verb, run string) error {
	return s.Record(ctx, rows.Event{At: c.Env.Now(), By: c.Who(), Verb: verb, On: run, Note: c.note})
}

// planned takes back a run that has not begun: the store does not know it yet.
// unknown is what the store said.
func (c *runsCancel) planned(ctx context.Context, s program.Store, args []string, unknown error) error {
	if len(args) == 0 {
		return unknown
	}
	e, err := c.Engine(ctx)
	if err != nil {
		return unknown
	}
	list, err := e.Planned(ctx)
	if err != nil {
		return errors.Join(unknown, err)
	}
	for _, p := range list {
		if p.WorkflowID != args[0] && c.Local(p.WorkflowID) != args[0] {
			continue
		}
		if err := c.Aim(ctx, true, "take back "+p.WorkflowID); err != nil {
			return err
		}
		if err := e.Terminate(ctx, p.WorkflowID, p.RunID, "taken back before it began, "+c.Who()); err != nil {
			return err
		}
		done := cancelled{p.WorkflowID, "cancel", "taken back: it was to start at " + c.Clock.Full(p.At)}
		c.Out.Value(done)
		c.Out.Printf("%s  %s\n", done.Run, done.Text)
		return c.record(ctx, s, "cancel", p.WorkflowID)
	}
	return unknown
}
