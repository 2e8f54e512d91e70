package cli

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

type hostsPause struct {
	*program
	resume bool
	note   string
	until  string
}

func newHostsPause(p *program) *cobra.Command {
	c := &hostsPause{program: p}
	cmd := &cobra.Command{
		Use: "pause HOST...", Short: "Ask a host for nothing for a while",
		Long: `Let no worker ask a host for anything: requests that are on their way end, the
items of the host wait for their next retry. Workers hear of it within seconds.
The host "*" is all of them.`,
		Example: `  starter hosts pause repo.example.org --note "they migrate" --until 2d`,
		Args:    cobra.MinimumNArgs(1), RunE: c.run,
	}
	cmd.Flags().StringVar(&c.note, "note", "", "why; shown to whoever looks")
	cmd.Flags().StringVar(&c.until, "until", "", "when the pause ends by itself; default: never")
	cmd.ValidArgsFunction = p.completeHosts
	return cmd
}

func newHostsResume(p *program) *cobra.Command {
	c := &hostsPause{program: p, resume: true}
	cmd := &cobra.Command{
		Use: "resume HOST...", Short: "Ask a host again",
		Long:    "End a pause, a rest that the host had asked for, and the longer gap that its\ntrouble brought: whoever types this knows better.",
		Example: "  starter hosts resume repo.example.org",
		Args:    cobra.MinimumNArgs(1), RunE: c.run,
	}
	cmd.ValidArgsFunction = p.completeHosts
	return cmd
}

func (c *hostsPause) run(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	until, err := c.future("until", c.until)
	if err != nil {
		return err
	}
	s, err := c.Store(ctx)
	if err != nil {
		return err
	}
	all, err := c.hosts(ctx, s)
	if err != nil {
		return err
	}
	var names []string
	for _, name := range args {
		v, err := findHost(all, name)
		if err != nil && (c.resume || name != "*") {
			return err
		}
		names = append(names, max(v.Name, strings.ToLower(name)))
	}
	verb := map[bool]string{true: "resume", false: "pause"}[c.resume]
	if err := c.aim(ctx, false, verb+" "+some(names)); err != nil {
		return err
	}
	return c.tell(ctx, s, names, verb, &rows.Pause{By: c.who(), At: c.env.Now(), Note: c.note, Until: until})
}

func (c *hostsPause) tell(ctx context.Context, s Store, names []string, verb string, pause *rows.Pause) error {
	list := c.out.List()
	defer list.End()
	if c.resume {
		pause = nil
	}
	for _, name := range names {
		if err := c.one(ctx, s, name, pause); err != nil {
			return err
		}
		if err := s.Record(ctx, rows.Event{At: c.env.Now(), By: c.who(), Verb: verb, On: "host " + name, Note: c.note}); err != nil {
			return err
		}
		list.Add(map[string]string{"host": name, "done": verb})
		c.out.Printf("%s  %sd%s\n", name, verb, pauseText(pause, c.clock))
	}
	return nil
}

// one pauses a host, or ends all that holds it up.
func (c *hostsPause) one(ctx context.Context, s Store, name string, pause *rows.Pause) error {
	if err := s.PauseHost(ctx, name, pause); err != nil || pause != nil {
		return err
	}
	if err := s.RestHost(ctx, name, time.Time{}, ""); err != nil {
		return err
	}
	return s.SlowHost(ctx, name, 0, "")
}
