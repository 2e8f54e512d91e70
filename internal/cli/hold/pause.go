package hold

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
)

// Holding is what pause and resume share, of hosts as of items: whatever is named
// is held, or let go, and it is recorded who did that.
type Holding struct {
	*program.Program
	Resume bool
	note   string
	until  string
	// Find looks up what is named; all of it is there before any of it is held.
	Find func(ctx context.Context, s program.Store, names []string) ([]Held, error)
}

// Held is one thing that can be paused.
type Held struct {
	Kind string // what it is called in a line of JSON
	Name string
	On   string // what it is called where it is recorded
	// Put pauses it; nil ends the pause.
	Put func(context.Context, *rows.Pause) error
}

func (c *Holding) AddFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.note, "note", "", "why; shown wherever the pause is")
	cmd.Flags().StringVar(&c.until, "until", "", "when the pause ends by itself; default: never")
}

func (c *Holding) Run(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	until, err := c.Future("until", c.until)
	if err != nil {
		return err
	}
	s, err := c.Store(ctx)
	if err != nil {
		return err
	}
	things, err := c.Find(ctx, s, args)
	if err != nil {
		return err
	}
	verb, pause := "pause", &rows.Pause{By: c.Who(), At: c.Env.Now(), Note: c.note, Until: until}
	if c.Resume {
		verb, pause = "resume", nil
	}
	if err := c.Aim(ctx, false, verb+" "+print.Some(args)); err != nil {
		return err
	}
	return c.hold(ctx, s, things, verb, pause)
}

func (c *Holding) hold(ctx context.Context, s program.Store, things []Held, verb string, pause *rows.Pause) error {
	list := c.Out.List()
	defer list.End()
	for _, h := range things {
		if err := h.Put(ctx, pause); err != nil {
			return err
		}
		if err := s.Record(ctx, rows.Event{At: c.Env.Now(), By: c.Who(), Verb: verb, On: h.On, Note: c.note}); err != nil {
			return err
		}
		list.Add(map[string]string{h.Kind: h.Name, "done": verb})
		c.Out.Printf("%s  %sd%s\n", h.Name, verb, PauseText(pause, c.Clock))
	}
	return nil
}

func PauseText(pause *rows.Pause, c print.Clock) string {
	if pause == nil {
		return ""
	}
	text := ""
	if !pause.At.IsZero() {
		text += " since " + c.NearZone(pause.At)
	}
	if pause.By != "" {
		text += " by " + pause.By
	}
	if pause.Note != "" {
		text += fmt.Sprintf(" %q", pause.Note)
	}
	if !pause.Until.IsZero() {
		text += " until " + c.NearZone(pause.Until)
	}
	return text
}
