package diagnose

import (
	"fmt"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
)

// Unsent says which notifications could not be sent, why the last of them could
// not, and what to do; empty when there are none.
func Unsent(list []rows.Message, c print.Clock) string {
	if len(list) == 0 {
		return ""
	}
	m := list[0]
	text := fmt.Sprintf("%s could not be sent; m-%d: %s", print.Count(len(list), "notification"), m.ID, m.Error)
	if m.GivenUp.IsZero() {
		return fmt.Sprintf("%s; again at %s, or at once: starter outbox retry m-%d", text, c.NearZone(m.NextAt), m.ID)
	}
	return fmt.Sprintf("%s; given up after %s; when the cause is gone: starter outbox retry m-%[3]d, else starter outbox drop m-%[3]d", text, print.Count(m.Attempts, "attempt"), m.ID)
}

// unsentLines are for every answer: whoever asks may be waiting for a message.
func unsentLines(f Facts) []Line {
	if text := Unsent(f.Unsent, f.Clock); text != "" {
		return []Line{{"unsent", text}}
	}
	return nil
}
