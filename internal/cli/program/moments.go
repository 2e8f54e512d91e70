package program

import (
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/times"
)

// Moment reads a time as people write it: RFC 3339, a day (its beginning, in the
// clock's zone), a day and an hour, an hour of today, "today", "yesterday", or a span ("36h",
// "14d"), which is so long ago.
func (p *Program) Moment(flag, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	now := p.Env.Now().In(p.Env.Zone)
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, p.Env.Zone)
	switch strings.ToLower(text) {
	case "now":
		return now, nil
	case "today":
		return today, nil
	case "yesterday":
		return today.AddDate(0, 0, -1), nil
	}
	if d, ok := span(text); ok {
		return now.Add(-d), nil
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, nil
	}
	for _, layout := range []string{"2006-01-02", "2006-01-02 15:04", "2006-01-02T15:04", "2006-01-02T15:04:05", "2 Jan 2006", "2 Jan 2006 15:04", "2 January 2006"} {
		if t, err := time.ParseInLocation(layout, text, p.Env.Zone); err == nil {
			return t, nil
		}
	}
	for _, layout := range []string{"15:04", "15:04:05"} {
		if t, err := time.ParseInLocation(layout, text, p.Env.Zone); err == nil {
			return time.Date(now.Year(), now.Month(), now.Day(), t.Hour(), t.Minute(), t.Second(), 0, p.Env.Zone), nil
		}
	}
	for _, layout := range []string{"2 Jan", "2 January", "2 Jan 15:04", "2 January 15:04"} {
		if t, err := time.ParseInLocation(layout, text, p.Env.Zone); err == nil {
			return t.AddDate(now.Year(), 0, 0), nil
		}
	}
	return time.Time{}, Usage("--%s %q: not a time; write 07:12, 2026-05-03, 2026-05-03T16:00:00Z, \"3 May\", today, or 36h for so long ago", flag, text)
}

// span reads 90s, 1.5h, 14d, 1y.
func span(text string) (time.Duration, bool) {
	d, err := times.ParseDuration(text)
	return d, err == nil
}

func (p *Program) Window(from, until string) (w harvest.Window, err error) {
	if w.From, err = p.Moment("from", from); err != nil {
		return w, err
	}
	if w.Until, err = p.Moment("until", until); err != nil {
		return w, err
	}
	if !w.From.IsZero() && !w.Until.IsZero() && !w.From.Before(w.Until) {
		return w, Usage("--from %s is not before --until %s", from, until)
	}
	return w, nil
}

// Future reads a time that must lie ahead; a span counts from now.
func (p *Program) Future(flag, text string) (time.Time, error) {
	if d, ok := span(text); ok && text != "" {
		return p.Env.Now().Add(d), nil
	}
	t, err := p.Moment(flag, text)
	if err == nil && !t.IsZero() && !t.After(p.Env.Now()) {
		return t, Usage("--%s %s is not ahead of now", flag, text)
	}
	return t, err
}
