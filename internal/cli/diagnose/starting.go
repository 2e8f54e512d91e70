package diagnose

import (
	"errors"
	"fmt"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/engine"
	"github.com/vendemmia/vendemmia/internal/cli/print"
)

func notApplied(f Facts) finding {
	return finding{
		hit:   f.Campaign == nil,
		say:   f.Subject + " is not applied in " + f.Store + ".",
		lines: []Line{{"do", "starter campaigns apply campaigns/"}, {"see", "starter campaigns list"}},
	}
}

func removed(f Facts) finding {
	if f.Campaign == nil || f.Campaign.Removed.IsZero() {
		return finding{}
	}
	return finding{
		hit:   true,
		say:   fmt.Sprintf("%s was removed on %s; its documents and checkpoints stay.", f.Campaign.Name, f.Clock.Full(f.Campaign.Removed)),
		lines: []Line{{"do", "put it into a file again, then starter campaigns apply"}},
	}
}

func paused(f Facts) finding {
	if f.Campaign == nil {
		return finding{}
	}
	p := f.Campaign.Paused
	switch {
	case p == nil:
		return finding{clear: "paused no"}
	case f.Run.Open():
		return finding{clear: "paused yes, but a run goes on"} // a pause is of starts by schedule
	}
	return finding{hit: true, say: f.Campaign.Name + " is paused" + byWhom(p, f.Clock) + ".", lines: []Line{{"do", "starter campaigns resume " + f.Campaign.Name}}}
}

func itemPaused(f Facts) finding {
	if f.Item == nil || f.Item.Paused == nil {
		return finding{}
	}
	return finding{
		hit:   true,
		say:   "the item is paused" + byWhom(f.Item.Paused, f.Clock) + "; runs leave it out.",
		lines: []Line{{"do", fmt.Sprintf("starter items resume %s --campaign %s", f.Item.Key, f.Item.Campaign)}},
	}
}

func byWhom(p *rows.Pause, c print.Clock) string {
	text := ""
	if p.By != "" {
		text += " by " + p.By
	}
	if !p.At.IsZero() {
		text += " since " + c.NearZone(p.At)
	}
	if p.Note != "" {
		text += fmt.Sprintf(": %q", p.Note)
	}
	if !p.Until.IsZero() {
		text += ", until " + c.Full(p.Until)
	}
	return text
}

func unreachable(f Facts) finding {
	if f.ServerErr == nil || errors.Is(f.ServerErr, engine.ErrNotFound) {
		return finding{}
	}
	return finding{
		hit: !f.Run.Open() || f.Run.Held == 0,
		say: "Temporal, which starts the runs, cannot be asked.", lines: []Line{{"error", f.ServerErr.Error()}},
		clear: "(Temporal could not be asked)",
	}
}

func scheduleGone(f Facts) finding {
	if f.Campaign == nil || f.Effective.Schedule == nil || !errors.Is(f.ServerErr, engine.ErrNotFound) {
		return finding{}
	}
	return finding{
		hit:   true,
		say:   fmt.Sprintf("%s is applied in the store and has no schedule on the server: nothing starts it.", f.Campaign.Name),
		lines: []Line{{"do", "starter campaigns apply puts it back"}},
	}
}

func pausedThere(f Facts) finding {
	if f.Server == nil || !f.Server.Paused {
		return finding{}
	}
	return finding{
		hit:   f.Campaign != nil && f.Campaign.Paused == nil && !f.Run.Open(),
		say:   "the schedule is paused on the server, not by starter.",
		lines: []Line{{"note", f.Server.Note}, {"do", "starter campaigns resume " + f.Campaign.Name}},
	}
}
