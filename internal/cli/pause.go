package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
)

// holding is what pause and resume share, of hosts as of items: whatever is named
// is held, or let go, and it is recorded who did that.
type holding struct {
	*program
	resume bool
	note   string
	until  string
	// find looks up what is named; all of it is there before any of it is held.
	find func(ctx context.Context, s Store, names []string) ([]held, error)
}

// held is one thing that can be paused.
type held struct {
	kind string // what it is called in a line of JSON
	name string
	on   string // what it is called where it is recorded
	// put pauses it; nil ends the pause.
	put func(context.Context, *rows.Pause) error
}

func (c *holding) addFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.note, "note", "", "why; shown to whoever looks")
	cmd.Flags().StringVar(&c.until, "until", "", "when the pause ends by itself; default: never")
}

func (c *holding) run(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	until, err := c.future("until", c.until)
	if err != nil {
		return err
	}
	s, err := c.Store(ctx)
	if err != nil {
		return err
	}
	things, err := c.find(ctx, s, args)
	if err != nil {
		return err
	}
	verb, pause := "pause", &rows.Pause{By: c.who(), At: c.env.Now(), Note: c.note, Until: until}
	if c.resume {
		verb, pause = "resume", nil
	}
	if err := c.aim(ctx, false, verb+" "+some(args)); err != nil {
		return err
	}
	return c.hold(ctx, s, things, verb, pause)
}

func (c *holding) hold(ctx context.Context, s Store, things []held, verb string, pause *rows.Pause) error {
	list := c.out.List()
	defer list.End()
	for _, h := range things {
		if err := h.put(ctx, pause); err != nil {
			return err
		}
		if err := s.Record(ctx, rows.Event{At: c.env.Now(), By: c.who(), Verb: verb, On: h.on, Note: c.note}); err != nil {
			return err
		}
		list.Add(map[string]string{h.kind: h.name, "done": verb})
		c.out.Printf("%s  %sd%s\n", h.name, verb, pauseText(pause, c.clock))
	}
	return nil
}

func pauseText(pause *rows.Pause, c print.Clock) string {
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
