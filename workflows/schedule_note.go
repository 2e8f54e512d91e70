package workflows

import (
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/internal/wording"
)

// noteSeparator parts the segments of a note; texts in it are written without.
const noteSeparator = " · "

// What a pause's text, and a long list of crontab lines, may take of a note.
const (
	maxPauseText = 300
	maxNoteWords = 300
)

// ScheduleNote returns the note of a schedule: what people read in the Web UI,
// and what tells plan which definition the server has:
//
//	every 2h · 133 items · news@7 by marta 2 May 09:12 · main.yaml:20 · #4c19ab12
//
// A pause stands before it. Equal input gives equal notes.
func ScheduleNote(a Applied) string {
	var parts []string
	if a.Pause != nil {
		parts = append(parts, notePauseText(a))
	}
	if a.Campaign.Schedule != nil {
		parts = append(parts, segment(a.Campaign.Schedule.String(), maxNoteWords))
	}
	if n := ItemCount(a.Campaign); n > 0 {
		parts = append(parts, wording.Count(n, "item"))
	}
	definition := a.Ref() + byText(a.By)
	parts = append(parts, definition+" "+a.At.In(noteZone(a.Campaign)).Format(noteTime))
	if file := segment(fileLine(a.File, a.Line), maxSummary); file != "" {
		parts = append(parts, file)
	}
	return strings.Join(append(parts, "#"+shortDigest(a.Digest)), noteSeparator)
}

const (
	noteTime = "2 Jan 15:04"
	noteDay  = "2 Jan"
)

func notePauseText(a Applied) string {
	text := "PAUSED" + byText(a.Pause.By) + " " + a.Pause.At.In(noteZone(a.Campaign)).Format(noteDay)
	if note := segment(a.Pause.Note, maxPauseText); note != "" {
		text += ": " + note
	}
	return text
}

// Note is what a note tells.
type Note struct {
	// Campaign and Version are the definition that the schedule was made of.
	Campaign string
	Version  int
	// Digest is the definition's first eight digits.
	Digest string
	// Paused is true when the note says so; By and Text are the pause's.
	Paused bool
	By     string
	Text   string
}

// ParseNote reads what ScheduleNote wrote. It returns false for the note of
// somebody else; Text then is the note itself.
func ParseNote(note string) (Note, bool) {
	parts := strings.Split(note, noteSeparator)
	digest, found := strings.CutPrefix(parts[len(parts)-1], "#")
	if !found || len(digest) != 8 {
		return Note{Text: note}, false
	}
	n := Note{Digest: digest}
	if m := notePause.FindStringSubmatch(parts[0]); m != nil {
		n.Paused, n.By, n.Text = true, m[1], m[2]
	}
	for _, part := range parts {
		if m := noteDefinition.FindStringSubmatch(part); m != nil {
			n.Campaign = m[1]
			n.Version, _ = strconv.Atoi(m[2]) // digits
			return n, true
		}
	}
	return Note{Text: note}, false
}

var (
	noteDefinition = regexp.MustCompile(`^([a-z0-9][a-z0-9-]{0,62})@(\d{1,9})(?: by .+)? \d{1,2} [A-Z][a-z]{2} \d{2}:\d{2}$`)
	notePause      = regexp.MustCompile(`^PAUSED(?: by (.+?))? \d{1,2} [A-Z][a-z]{2}(?:: (.*))?$`)
)

func byText(by string) string {
	if by = segment(by, maxSummary); by != "" {
		return " by " + by
	}
	return ""
}

// noteZone is the schedule's, so that people read the times they think in.
func noteZone(c campaigns.Campaign) *time.Location {
	if c.Schedule == nil {
		return time.UTC
	}
	loc, err := time.LoadLocation(c.Schedule.TimeZone)
	if err != nil {
		return time.UTC
	}
	return loc
}

// ItemCount returns how many items a campaign has as far as its definition
// tells; 0 when a source is asked for them.
func ItemCount(c campaigns.Campaign) int {
	sum := 0
	for _, e := range c.Entries {
		switch s := e.Split; {
		case s == nil:
			sum++
		case s.Ask != "":
			return 0
		case s.List != "":
			sum += s.Count
		default:
			for _, row := range s.Items {
				if row.Key == "" || s.Keep(row.Key) {
					sum++
				}
			}
		}
	}
	return sum
}

// StaticSummary is the line that the Web UI shows for a run, at most 200 bytes:
// "Italian news, 133 feeds · every 2h · 10 processors". why replaces the
// schedule's words for a run that no schedule starts.
func StaticSummary(c campaigns.Campaign, why string) string {
	text := c.Description
	if text == "" {
		text = c.Name
	}
	if why == "" && c.Schedule != nil {
		why = c.Schedule.String()
	}
	tail := noteSeparator + wording.Count(max(1, c.Processors), "processor")
	if why != "" {
		tail = noteSeparator + segment(why, maxSummary/2) + tail
	}
	return segment(text, maxSummary-len(tail)) + tail
}

// staticDetails never changes for a run, and needs no worker to be read.
func staticDetails(a Applied) string {
	lines := []string{}
	if a.Campaign.Owner != "" {
		lines = append(lines, "owner "+segment(a.Campaign.Owner, maxSummary))
	}
	definition := "definition " + a.Ref()
	if a.By != "" {
		definition += " by " + segment(a.By, maxSummary)
	}
	lines = append(lines, definition+", "+a.At.In(noteZone(a.Campaign)).Format("2 Jan 2006 15:04 MST"))
	if a.File != "" {
		file := "file " + segment(fileLine(a.File, a.Line), maxSummary)
		if a.Commit != "" {
			file += ", commit " + segment(a.Commit, maxSummary)
		}
		lines = append(lines, file)
	}
	return strings.Join(append(lines, "starter why "+a.Campaign.Name), "\n\n")
}

// shortDigest is what notes and screens show.
func shortDigest(digest string) string {
	digest = strings.TrimPrefix(digest, "sha256:")
	return (digest + "00000000")[:8]
}

func fileLine(file string, line int) string {
	switch {
	case file == "":
		return ""
	case line == 0:
		return path.Base(file)
	}
	return fmt.Sprintf("%s:%d", path.Base(file), line)
}

// segment makes one segment of a text: on one line, free of what parts segments
// and of what plain leaves out.
func segment(text string, most int) string {
	return plain(strings.ReplaceAll(text, "·", "-"), most)
}
