package cli

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/internal/rollout"
)

// roll are the flags and steps that plan and apply share.
type roll struct {
	*program
	prune    bool
	detailed bool
	plan     string
	adopt    bool
	create   bool
	move     bool
}

func newCampaignsPlan(p *program) *cobra.Command {
	c := &roll{program: p}
	cmd := &cobra.Command{
		Use: "plan [PATH...]", Short: "Show what apply would change, and change nothing",
		Long: `Compare campaign files with what was applied and with the schedules on the
server: what is new, what changes, what somebody changed by hand, what is in no
file any more. Nothing is changed. Default: campaigns.`,
		Example: "  starter campaigns plan campaigns/ --detailed-exit-code",
		RunE:    func(cmd *cobra.Command, args []string) error { return c.show(cmd.Context(), args) },
	}
	cmd.Flags().BoolVar(&c.prune, "prune", false, "plan the removal of what is in no file any more")
	cmd.Flags().BoolVar(&c.detailed, "detailed-exit-code", false, "exit 5 when there is something to do")
	return cmd
}

func newCampaignsApply(p *program) *cobra.Command {
	c := &roll{program: p}
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
	f.BoolVar(&c.prune, "prune", false, "remove what is in no file any more; documents and checkpoints stay")
	f.BoolVar(&c.adopt, "adopt", false, "take over schedules that belong to another store")
	f.BoolVar(&c.move, "move", false, "apply to this server though the store was applied to another one")
	f.BoolVar(&c.create, "create", false, "make a new store where there is none")
	return cmd
}

// prepared is a plan ready to be shown or done.
type prepared struct {
	roll   *rollout.Rollout
	input  rollout.Input
	plan   *rollout.Plan
	target string
	local  bool
}

func (c *roll) prepareRoll(ctx context.Context, paths []string) (*prepared, error) {
	l, err := c.load(paths)
	if err != nil {
		return nil, err
	}
	if len(l.Problems) > 0 {
		return nil, c.refuse(l)
	}
	if _, err := c.storeOr(ctx, c.create); err != nil {
		return nil, err
	}
	c.moving = c.move
	r, err := c.rollout(ctx)
	if err != nil {
		return nil, err
	}
	m := &prepared{roll: r, input: rollout.Input{
		Loaded: l, Author: c.who(), Commit: commitOf(ctx, c.path(l.Files[0])), Now: c.env.Now().In(c.env.Zone), Prune: c.prune, Adopt: c.adopt,
	}}
	if m.target, m.local, err = c.targetLine(ctx, true); err != nil {
		return nil, err
	}
	m.plan, err = r.Plan(ctx, m.input)
	return m, err
}

func (c *roll) show(ctx context.Context, paths []string) error {
	m, err := c.prepareRoll(ctx, paths)
	if err != nil {
		return err
	}
	if err := c.printPlan(m, paths); err != nil {
		return err
	}
	if c.detailed && m.plan.Pending() {
		return quiet(exitDifferences)
	}
	return nil
}

func (c *roll) printPlan(m *prepared, paths []string) error {
	c.out.Value(m.plan)
	if !c.out.People() {
		return nil
	}
	var b strings.Builder
	if err := m.plan.Text(&b, rollout.TextOptions{Target: m.target, Paths: paths}); err != nil {
		return err
	}
	c.out.Printf("%s", b.String())
	return nil
}

// do applies the plan that was made a moment ago, or the one that was named: if
// the server has moved meanwhile nothing is changed.
func (c *roll) do(ctx context.Context, paths []string) error {
	m, err := c.prepareRoll(ctx, paths)
	if err != nil {
		return err
	}
	c.announce("target   " + m.target)
	if !m.local {
		if err := c.confirm("apply " + strings.Join(m.input.Loaded.Files, " ")); err != nil {
			return err
		}
	}
	plan := c.plan
	if plan == "" {
		plan = m.plan.Digest
	}
	result, err := m.roll.Apply(ctx, m.input, plan, func(d rollout.Done) { c.out.Printf("%s\n", d) })
	if result != nil {
		c.out.Value(result)
	}
	if errors.Is(err, rollout.ErrMoved) || errors.Is(err, rollout.ErrBlocked) {
		return &exitCode{code: exitError, err: err}
	}
	if err != nil {
		return err
	}
	if err := c.remember(ctx); err != nil {
		return err
	}
	c.places("Read and checked, and not yet acted upon:", pendingKeys(m.input.Loaded))
	if len(result.Done) == 0 {
		c.out.Printf("Nothing to do: all of it is so already.\n")
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

// rollout puts store and server together.
func (p *program) rollout(ctx context.Context) (*rollout.Rollout, error) {
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
	settings := rollout.Settings{Instance: i, Lookup: p.lookup}
	if !e.Target().Loopback() {
		settings.PerSecond = rollout.PerSecond
	}
	return rollout.New(s, e.Schedules(), settings), nil
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
