package campaigns

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/internal/cli/campaignfiles"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/planner"
)

// roll are the flags and steps that plan and apply share.
type roll struct {
	*program.Program
	prune    bool
	detailed bool
	plan     string
	adopt    bool
	create   bool
	move     bool
	verbose  bool
}

func newCampaignsPlan(p *program.Program) *cobra.Command {
	c := &roll{Program: p}
	cmd := &cobra.Command{
		Use: "plan [PATH...]", Short: "Show what apply would change, and change nothing",
		Long: `Compare campaign files with what was applied and with the schedules on the
server: what is new, what changes, what somebody changed by hand, what is in no
file any more. Nothing is changed. Default: campaigns.`,
		Example: "  starter campaigns plan campaigns/ --detailed-exit-code",
		RunE:    func(cmd *cobra.Command, args []string) error { return c.show(cmd.Context(), args) },
	}
	cmd.Flags().BoolVar(&c.prune, "prune", false, "plan the removal of what is no longer in any file")
	cmd.Flags().BoolVar(&c.detailed, "detailed-exit-code", false, "exit 5 when there is something to do")
	return cmd
}

func newCampaignsApply(p *program.Program) *cobra.Command {
	c := &roll{Program: p}
	cmd := &cobra.Command{
		Use: "apply [PATH...]", Short: "Make it so: store definitions, make schedules",
		Long: `Store what campaign files say and bring the schedules on the server to it. What
is the same stays untouched, what is paused stays paused. With errors in the
files nothing is changed; interrupted, it is completed by the next time.`,
		Example: "  starter campaigns apply campaigns/ --plan 4c19",
		RunE:    func(cmd *cobra.Command, args []string) error { return c.do(cmd.Context(), args) },
	}
	f := cmd.Flags()
	f.StringVar(&c.plan, "plan", "", "refuse when it is not this plan any more")
	f.BoolVar(&c.prune, "prune", false, "remove what is no longer in any file; documents and checkpoints stay")
	f.BoolVar(&c.adopt, "adopt", false, "take over schedules that belong to another store")
	f.BoolVar(&c.move, "move", false, "apply to this server though the store was applied to another one")
	f.BoolVarP(&c.verbose, "verbose", "v", false, "a line for each campaign, however many there are")
	f.BoolVar(&c.create, "create", false, "create the store if it does not exist")
	return cmd
}

// prepared is a plan ready to be shown or done.
type prepared struct {
	roll   *planner.Planner
	input  planner.Input
	plan   *planner.Plan
	target string
	local  bool
}

func (c *roll) prepareRoll(ctx context.Context, paths []string) (*prepared, error) {
	l, err := campaignfiles.Load(c.Program, paths)
	if err != nil {
		return nil, err
	}
	if len(l.Problems) > 0 {
		return nil, campaignfiles.Refuse(c.Program, l)
	}
	if _, err := c.StoreOr(ctx, c.create); err != nil {
		return nil, err
	}
	c.Moving = c.move
	r, err := newPlanner(ctx, c.Program)
	if err != nil {
		return nil, err
	}
	m := &prepared{roll: r, input: planner.Input{
		Loaded: l, Author: c.Who(), Commit: commitOf(ctx, c.Path(l.Files[0])), Now: c.Env.Now().In(c.Env.Zone), Prune: c.prune, Adopt: c.adopt,
	}}
	m.target, m.local, err = c.TargetLine(ctx, true)
	return m, err
}

func (c *roll) show(ctx context.Context, paths []string) error {
	m, err := c.prepareRoll(ctx, paths)
	if err != nil {
		return err
	}
	if m.plan, err = m.roll.Plan(ctx, m.input); err != nil {
		return err
	}
	if err := c.printPlan(m, paths); err != nil {
		return err
	}
	if c.detailed && m.plan.Pending() {
		return program.Quiet(program.ExitDifferences)
	}
	return nil
}

func (c *roll) printPlan(m *prepared, paths []string) error {
	c.Out.Value(m.plan)
	if !c.Out.People() {
		return nil
	}
	var b strings.Builder
	if err := m.plan.Text(&b, planner.TextOptions{Target: m.target, Paths: paths}); err != nil {
		return err
	}
	c.Out.Printf("%s", b.String())
	return nil
}

// do applies what the files say now; a plan that was named must still be it.
func (c *roll) do(ctx context.Context, paths []string) error {
	m, err := c.prepareRoll(ctx, paths)
	if err != nil {
		return err
	}
	c.Announce("target   " + m.target)
	if !m.local {
		if err := c.Confirm("apply " + strings.Join(m.input.Loaded.Files, " ")); err != nil {
			return err
		}
	}
	screen := c.newApplyScreen(len(m.input.Loaded.Campaigns))
	result, err := m.roll.Apply(ctx, m.input, c.plan, screen.report)
	screen.end()
	if result != nil {
		c.Out.Value(result)
	}
	if errors.Is(err, planner.ErrMoved) || errors.Is(err, planner.ErrBlocked) {
		return &program.ExitCode{Code: program.ExitError, Err: err}
	}
	if err != nil {
		return err
	}
	if err := c.Remember(ctx); err != nil {
		return err
	}
	campaignfiles.Places(c.Program, "Accepted, but not implemented yet:", pendingKeys(m.input.Loaded))
	if len(result.Done) == 0 {
		c.Out.Printf("Nothing to do: everything is already as in the files.\n")
	}
	return nil
}

func pendingKeys(l *campaigns.Loaded) []campaigns.Problem {
	out := append([]campaigns.Problem{}, l.NotYet...)
	for _, s := range l.Campaigns {
		out = append(out, s.NotYet...)
	}
	return out
}

// newPlanner puts store and server together.
func newPlanner(ctx context.Context, p *program.Program) (*planner.Planner, error) {
	s, err := p.Store(ctx)
	if err != nil {
		return nil, err
	}
	e, err := p.Engine(ctx)
	if err != nil {
		return nil, err
	}
	i, err := e.Instance(ctx, s.ID())
	if err != nil {
		return nil, err
	}
	settings := planner.Settings{Instance: i, Lookup: campaignfiles.Lookup(p)}
	if !e.Target().Loopback() {
		settings.PerSecond = planner.PerSecond
	}
	return planner.New(s, e.Schedules(), settings), nil
}

// commitOf names the commit of the files where they are kept in git; it is for
// people, and its absence is no error.
func commitOf(ctx context.Context, file string) string {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "git", "-C", filepath.Dir(file), "describe", "--always", "--dirty", "--exclude", "*").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
