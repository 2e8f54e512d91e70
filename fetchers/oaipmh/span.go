package oaipmh

import (
	"strings"
	"time"
)

// granularity is how a repository writes datestamps (OAI-PMH 2.0, section 2.7.1).
type granularity string

const (
	day    granularity = "day"
	second granularity = "second"
	// never: dates are not sent.
	never granularity = "none"
)

func (g granularity) format(t time.Time) string {
	if g == day {
		return t.UTC().Format(time.DateOnly)
	}
	return t.UTC().Format(time.RFC3339)
}

func (g granularity) granule() time.Duration {
	if g == day {
		return 24 * time.Hour
	}
	return time.Second
}

func (g granularity) floor(t time.Time) time.Time { return t.UTC().Truncate(g.granule()) }

// other is the form to try where one is refused.
func (g granularity) other() granularity {
	if g == day {
		return second
	}
	return day
}

// readGranularity reads what Identify says, in any case; where that is nothing
// known, the form of earliest decides. Days are what every repository must take.
func readGranularity(said, earliest string) granularity {
	said = strings.ToLower(said)
	switch {
	case strings.Contains(said, "hh"):
		return second
	case strings.Contains(said, "dd"):
		return day
	case strings.Contains(earliest, "T"):
		return second
	default:
		return day
	}
}

// parseTime reads the forms in which repositories write dates; without a zone it
// is UTC.
func parseTime(text string) (time.Time, bool) {
	if text == "" || len(text) > 40 {
		return time.Time{}, false
	}
	for _, layout := range [...]string{
		time.RFC3339, time.DateOnly, "2006-01-02T15:04:05", "2006-01-02T15:04Z", "2006-01-02 15:04:05", "2006-01-02T15:04:05Z0700", "2006-01", "2006", "20060102",
	} {
		if len(text) < len(layout)-1 && layout != time.RFC3339 {
			continue
		}
		if t, err := time.Parse(layout, text); err == nil {
			t = t.UTC()
			return t, t.Year() > 1 && t.Year() < 10000
		}
	}
	return time.Time{}, false
}

// step is the length of the windows a span is cut into; "" is not at all.
type step string

// after returns where the window that holds t ends.
func (s step) after(t time.Time) time.Time {
	y, m, d := t.UTC().Date()
	switch s {
	case "year":
		return time.Date(y+1, 1, 1, 0, 0, 0, 0, time.UTC)
	case "month":
		return time.Date(y, m+1, 1, 0, 0, 0, 0, time.UTC)
	case "week":
		return time.Date(y, m, d+7, 0, 0, 0, 0, time.UTC)
	default:
		return time.Date(y, m, d+1, 0, 0, 0, 0, time.UTC)
	}
}

// span is a stretch of datestamps, both ends included as in the protocol; a zero
// end is open. One with a Step is cut into windows when its turn comes.
type span struct {
	From  time.Time `json:"from,omitzero"`
	Until time.Time `json:"until,omitzero"`
	Step  step      `json:"step,omitempty"`
}

// within narrows the span to another.
func (s span) within(o span) span {
	if s.From.Before(o.From) {
		s.From = o.From
	}
	if s.Until.IsZero() || !o.Until.IsZero() && o.Until.Before(s.Until) {
		s.Until = o.Until
	}
	return s
}

// empty reports a span in which nothing can be.
func (s span) empty() bool { return !s.Until.IsZero() && s.Until.Before(s.From) }

func (s span) dated() bool { return !s.From.IsZero() || !s.Until.IsZero() }

// split cuts the span at a moment. Days follow one another; windows of seconds
// share the second before the cut, for repositories that keep fractions of one.
func (s span) split(at time.Time, g granularity) (head, rest span) {
	head, rest = s, s
	head.Step, head.Until = "", at.Add(-g.granule())
	rest.From = at
	if g == second {
		rest.From = head.Until
	}
	return head, rest
}

// longAgo is before the first OAI-PMH repository: what is older lies in the first
// window.
func longAgo() time.Time { return time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) }

// cut takes the first window off a span with a step. begin is where the
// repository's records begin, now where they end.
func (s span) cut(begin, now time.Time, g granularity) (head, rest span, more bool) {
	from, end := s.From, s.Until
	if from.Before(begin) {
		from = begin
	}
	if from.Before(longAgo()) {
		from = longAgo()
	}
	if end.IsZero() {
		end = now
	}
	at := s.Step.after(from.Add(time.Second)) // the second that windows share belongs to the one before
	if s.Step == "" || !at.Before(end) {
		s.Step = ""
		return s, span{}, false
	}
	head, rest = s.split(at, g)
	return head, rest, true
}

// halve cuts a span between lo and hi, the ends of what may be in it; false when
// there is nothing to cut.
func (s span) halve(lo, hi time.Time, g granularity) (head, rest span, ok bool) {
	if s.From.After(lo) {
		lo = s.From
	}
	if !s.Until.IsZero() && s.Until.Before(hi) {
		hi = s.Until
	}
	mid := g.floor(lo.Add(hi.Sub(lo) / 2))
	if g == day && mid.Equal(g.floor(lo)) {
		mid = mid.Add(24 * time.Hour)
	}
	head, rest = s.split(mid, g)
	if !head.Until.After(lo) && g == second || head.Until.Before(g.floor(lo)) || rest.From.After(hi) || !rest.From.After(lo) {
		return s, span{}, false
	}
	return head, rest, true
}
