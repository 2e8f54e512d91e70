package planner

import (
	"fmt"
	"time"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/workflows"
)

// wantedPause chooses between the pauses of file, server and store: a text in the file
// pauses, false resumes, and without either the server decides.
func wantedPause(t *task, in Input) *rows.Pause {
	stored := t.storedPause()
	if p := t.source.Campaign.Paused; p != nil {
		switch {
		case !p.On:
			return nil
		case stored != nil && stored.Note == p.Note:
			return stored
		}
		return &rows.Pause{By: in.Author, At: in.Now, Note: p.Note}
	}
	switch {
	case t.server == nil || t.foreign || t.renamed():
		return stored
	case !t.server.paused:
		return nil
	case stored != nil && tells(t, stored):
		return stored
	}
	return onServer(t.server, in.Now)
}

// tells reports whether the schedule's note speaks of this very pause.
func tells(t *task, p *rows.Pause) bool {
	if !t.server.ours {
		return false
	}
	written, _ := workflows.ParseNote(workflows.ScheduleNote(applied(t.source.Campaign, rows.Definition{Digest: t.digest}, p)))
	return t.server.parsed.Paused && t.server.parsed.By == written.By && t.server.parsed.Text == written.Text
}

// onServer is a pause that was made on the server.
func onServer(e *entry, now time.Time) *rows.Pause {
	p := &rows.Pause{At: now, By: e.parsed.By, Note: e.parsed.Text}
	if !e.updated.IsZero() {
		p.At = e.updated
	}
	return p
}

func samePause(a, b *rows.Pause) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.By == b.By && a.Note == b.Note && a.At.Equal(b.At)
}

// pauseWords describes the pause and what happens to it.
func pauseWords(t *task, in Input) string {
	stored := t.storedPause()
	explicit := t.source.Campaign.Paused != nil
	switch {
	case t.pause == nil && stored == nil:
		return ""
	case t.pause == nil && explicit:
		return sinceWords(stored, in.Now) + ": apply resumes it"
	case t.pause == nil:
		return "resumed on the server: stays so"
	case explicit && !samePause(t.pause, stored):
		return fmt.Sprintf("%q: apply pauses it", t.pause.Note)
	case !samePause(t.pause, stored):
		return "on the server " + sinceWords(t.pause, in.Now) + ": stays paused"
	default:
		return sinceWords(t.pause, in.Now) + ": stays paused"
	}
}

func sinceWords(p *rows.Pause, now time.Time) string {
	at := p.At.In(now.Location())
	layout := "2 Jan 15:04"
	if at.Format(time.DateOnly) == now.Format(time.DateOnly) {
		layout = "15:04"
	}
	text := "since " + at.Format(layout)
	if p.By != "" {
		text += " by " + p.By
	}
	if p.Note != "" {
		text += fmt.Sprintf(" %q", p.Note)
	}
	return text
}
