package api

import (
	"cmp"
	"strconv"
	"strings"
	"time"
)

// The ways in which values of a cursor are written.
const (
	asDate   = "date"
	asRFC    = "rfc3339"
	asUnix   = "unix"
	asMillis = "unix_ms"
)

// start is the value from which a walk reads: what is known less the look-back, or the
// value from which a record in quarantine was listed, if that is lower.
func (r *reading) start() string {
	inc := r.plan.Incremental
	switch {
	case inc == nil:
		return ""
	case r.windowed():
		if r.req.Window.From.IsZero() {
			return inc.InitialValue
		}
		return r.plan.write(r.req.Window.From)
	case r.cp.Cursor == nil || r.req.ForceRefresh:
		return inc.InitialValue
	}
	from := r.plan.less(r.cp.Cursor)
	for _, u := range r.req.Unread {
		if u.Where == "" {
			return inc.InitialValue
		}
		if r.plan.compare(u.Where, from) < 0 {
			from = u.Where
		}
	}
	return from
}

// end is the value at which a window ends.
func (r *reading) endValue() string {
	if r.plan.Incremental == nil || r.req.Window.Until.IsZero() {
		return ""
	}
	return r.plan.write(r.req.Window.Until)
}

// less is a value less the look-back, as it is sent.
func (p *plan) less(v any) string {
	at, ok := p.moment(v)
	format := p.Incremental.Format
	if !ok || p.lookback == 0 && (format == "" || format == "as_written") {
		return textOf(v)
	}
	return p.write(at.Add(-p.lookback))
}

// write writes a moment as the API wants it.
func (p *plan) write(at time.Time) string {
	switch p.Incremental.Format {
	case asDate:
		return at.UTC().Format(time.DateOnly)
	case asUnix:
		return strconv.FormatInt(at.Unix(), 10)
	case asMillis:
		return strconv.FormatInt(at.UnixMilli(), 10)
	}
	return at.UTC().Format(time.RFC3339)
}

// compare orders two values of the cursor: as numbers, as dates, else as texts.
func (p *plan) compare(a, b any) int {
	x, ok := number(a)
	y, ok2 := number(b)
	if ok && ok2 {
		return cmp.Compare(x, y)
	}
	at, ok := p.moment(a)
	bt, ok2 := p.moment(b)
	if ok && ok2 {
		return at.Compare(bt)
	}
	return strings.Compare(textOf(a), textOf(b))
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	case string:
		n, err := strconv.ParseFloat(v, 64)
		return n, err == nil
	}
	return 0, false
}

// higher is the greater of two values; what no cursor can be counts as none.
func (p *plan) higher(a, b any) any {
	switch {
	case b == nil || b == "" || !plain(b) || len(textOf(b)) > maxCursor:
		return a
	case a == nil || p.compare(a, b) < 0:
		return b
	}
	return a
}

// maxCursor bounds a value in the checkpoint.
const maxCursor = 500

// old reports a record from before the start of a walk, where the API was not asked for
// what is new alone.
func (r *reading) old(v any) bool {
	return r.walk.Start != "" && !r.plan.asks && !r.windowed() && v != nil && r.plan.compare(v, r.walk.Start) < 0
}

// passedBy: a page of which nothing is new ends a list with the newest first.
func (r *reading) passedBy(of *report, records int) bool {
	inc := r.plan.Incremental
	return inc != nil && inc.RowOrder == "desc" && records > 0 && of.read == 0 && r.walk.Start != ""
}
