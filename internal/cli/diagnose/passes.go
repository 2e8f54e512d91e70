package diagnose

import (
	"fmt"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
)

// Pass says where an item is with its full passes; empty when it has none.
func Pass(p rows.Pass, c print.Clock) string {
	switch {
	case p.Number == 0:
		return ""
	case p.UnderWay() && p.Note != "":
		return fmt.Sprintf("%d under way since %s, and will delete nothing: %s", p.Number, c.Full(p.Begun), p.Note)
	case p.UnderWay() && p.Listed:
		return fmt.Sprintf("%d under way since %s, listed whole; what is no longer listed is being deleted", p.Number, c.Full(p.Begun))
	case p.UnderWay():
		return fmt.Sprintf("%d under way since %s", p.Number, c.Full(p.Begun))
	case !p.TriedAt.IsZero():
		return fmt.Sprintf("%d ended %s and deleted nothing: %s", p.Number, c.Full(p.TriedAt), p.Note)
	default:
		return fmt.Sprintf("%d ended %s", p.Number, c.Full(p.DoneAt)) + Held(p.Kept)
	}
}

// Held says what items list that another one lists no longer; empty for none.
func Held(held []rows.Kept) string {
	if len(held) == 0 {
		return ""
	}
	text := "; it deleted all that it did not list but"
	for i, h := range held {
		if i > 0 {
			text += ","
		}
		text += fmt.Sprintf(" %s that %s / %s lists", print.Number(h.Documents), h.Item.Entry, harvest.Redact(h.Item.Key))
	}
	return text
}
