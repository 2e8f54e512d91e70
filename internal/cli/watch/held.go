package watch

import (
	"cmp"
	"context"
	"time"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/program"
)

// heldLimit is how many open items are looked at: more say nothing more.
const heldLimit = 50

// heldClose is for how long a time of day alone is clear.
const heldClose = 6 * time.Hour

// Held returns the item whose turn comes first when all that is left of a run
// waits for a later moment; nil while something is at work, or could be.
func Held(ctx context.Context, p *program.Program, s program.Store, r rows.Run) (*rows.RunItem, error) {
	if r.State != rows.RunOpen || r.Paused != "" {
		return nil, nil
	}
	busy, err := s.RunItems(ctx, r.ID, rows.ItemFilter{States: []rows.ItemState{rows.ItemClaimed}, Limit: 1})
	if err != nil || len(busy) > 0 {
		return nil, err
	}
	open, err := s.RunItems(ctx, r.ID, rows.ItemFilter{States: []rows.ItemState{rows.ItemOpen}, Limit: heldLimit})
	if err != nil {
		return nil, err
	}
	var first *rows.RunItem
	for i := range open {
		if !open[i].NotBefore.After(p.Clock.Now()) {
			return nil, nil
		}
		if first == nil || open[i].NotBefore.Before(first.NotBefore) {
			first = &open[i]
		}
	}
	return first, nil
}

// HeldText says what an item waits for: "until 18:21:03 CEST (unreachable: …)".
func HeldText(p *program.Program, it rows.RunItem) string {
	text := "until " + p.Clock.Time(it.NotBefore) + " " + p.Clock.ZoneName()
	if it.NotBefore.Sub(p.Clock.Now()) > heldClose {
		text = "until " + p.Clock.NearZone(it.NotBefore)
	}
	if before := cmp.Or(it.Error, string(it.Kind)); before != "" {
		text += " (" + before + ")"
	}
	return text
}
