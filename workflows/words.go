package workflows

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/wording"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

const (
	// maxSummary bounds a summary of a step or a timer, in bytes: the server
	// refuses more than 400 and fails the workflow task.
	maxSummary = 200
	// maxTrouble bounds our own failure in words.
	maxTrouble = 500
	// maxLabel bounds an item's label in a summary.
	maxLabel = 120
)

// plain makes one line of a text, without query strings and userinfo of the
// addresses in it, cut to so many bytes between two characters.
func plain(text string, most int) string {
	words := strings.Fields(strings.ToValidUTF8(text, ""))
	for i, w := range words {
		words[i] = withoutQuery(w)
	}
	line := strings.Join(words, " ")
	if len(line) <= most {
		return line
	}
	line = line[:most-len("…")]
	for !utf8.ValidString(line) {
		line = line[:len(line)-1]
	}
	return line + "…"
}

func withoutQuery(word string) string {
	if strings.Contains(word, "://") {
		word = harvest.Redact(word)
	}
	if i := strings.IndexByte(word, '?'); i >= 0 && strings.ContainsAny(word, "/=") {
		return word[:i]
	}
	return word
}

// clock writes a moment in UTC, with the day when it is not the same one.
func clock(t, now time.Time) string {
	t, now = t.UTC(), now.UTC()
	if t.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return t.Format("15:04 UTC")
	}
	return t.Format("2 Jan 15:04 UTC")
}

// summary is what the Web UI shows beside an activity: "ansa-economia · 1 of 133",
// the item first; of a shared queue "8 at once of 5,000 items".
func (r *run) summary(part steps.Range, width int) string {
	if label := r.label(part); label != "" {
		return plain(plain(label, maxLabel)+" · "+r.place(part, width), maxSummary)
	}
	return plain(r.place(part, width), maxSummary)
}

func (r *run) label(part steps.Range) string {
	switch {
	case part.Shared:
		return ""
	case len(part.Labels) > 0:
		return part.Labels[0]
	case r.state.Run.Items == 1:
		return r.state.Run.Label
	case r.state.Entries > 1:
		return part.Entry
	default:
		return ""
	}
}

// place is where a range stands in its run.
func (r *run) place(part steps.Range, width int) string {
	if part.Shared {
		return fmt.Sprintf("%s at once of %s", wording.Number(width), wording.Count(r.state.Run.Items, "item"))
	}
	return fmt.Sprintf("%s of %s", wording.Number(part.First), wording.Number(max(r.state.Run.Items, 1)))
}

// restSummary is what the Web UI shows beside the timer for pending range i:
// "www.nytimes.com rests until 21:03 · 1 item". Ranges that wait for the same
// thing are counted together.
func restSummary(pending []steps.Range, i int, now time.Time) string {
	why, items := pending[i].Why, 0
	for _, part := range pending {
		if part.NotBefore.After(now) && (part.Why == why || why == "") {
			items += part.Open()
		}
	}
	if why == "" {
		return wording.Count(items, "item") + " until " + clock(pending[i].NotBefore, now)
	}
	if strings.Contains(why, " item") {
		return plain(why, maxSummary) // it counts for itself
	}
	return plain(why, maxSummary-20) + " · " + wording.Count(items, "item")
}
