package oaipmh

import (
	"fmt"
	"slices"
	"time"

	"github.com/vendemmia/vendemmia/fetchers/oaipmh/internal/wire"
	"github.com/vendemmia/vendemmia/harvest"
)

// cutAbove is the length from which a list is cut into windows before it is
// read: one that runs for hours outlives its tokens.
const cutAbove = 20_000

// take yields the records of a response and goes on to the next.
func (r *reading) take(l *list, ans response) error {
	r.began(ans)
	r.moves(ans)
	if l.Pages == 0 && (r.cutLong(l, ans) || r.distrusts(l, ans)) {
		return nil
	}
	if len(ans.Records) == 0 && ans.Token.Value == "" {
		return r.none(l, ans)
	}
	if err := r.verify(l, ans); err != nil {
		return r.breakOff(l, err)
	}
	if len(ans.Errors) > 0 && ans.Token.Value == "" {
		return r.half(l, ans)
	}
	fresh := r.recent.add(ans.Records) || l.Skip > 0
	circle, trouble := l.loops, ""
	if ans.Token.Value != "" {
		circle.Ring = slices.Clone(l.Ring) // l stays as it is while pages point into the response
		trouble = circle.turn(l.Token, ans.Response, fresh)
	}
	if trouble == "" {
		r.emit(l, ans, func() {
			l.loops = circle
			r.goOn(l, ans)
		})
		return nil
	}
	err := harvest.Errorf(harvest.KindBroken, "harvest", ans.address, "the list goes in a circle after %d records: %s", l.Seen, trouble)
	err.Advice = "window: day or month asks in smaller lists, which may have no need of tokens; tell the repository's administrator"
	if fresh {
		r.emit(l, ans, func() { r.begins(l.span) })
		return err
	}
	return r.breakOff(l, err)
}

// half yields the records before an error that ends a list in its middle. The
// next attempt asks for the same response again.
func (r *reading) half(l *list, ans response) error {
	err := harvest.AsError(r.protocolError(ans))
	err.Err = fmt.Errorf("the list breaks off after %d records: %w", l.Seen+int64(len(ans.Records)), err.Err)
	ans.Token.Size = -1
	r.emit(l, ans, func() { l.Skip, l.SkipID = 0, "" })
	return err
}

// begins sets the list in work back to its first request.
func (r *reading) begins(s span) { r.pass.At = &list{span: s} }

// breakOff ends the fetch with an error behind which the next one begins the
// list anew: its tokens lead nowhere.
func (r *reading) breakOff(l *list, err error) error {
	r.begins(l.span)
	r.send(harvest.Page{})
	return err
}

// cutLong cuts a span whose list is long into months. The list is asked for
// anew, in windows.
func (r *reading) cutLong(l *list, ans response) bool {
	auto := r.params.Window == "" || r.params.Window == "auto"
	if !auto || r.pass.Cut || r.granularity() == never || ans.Token.Value == "" || ans.Token.Size < cutAbove {
		return false
	}
	whole := l.span
	whole.Step = "month"
	if _, _, more := whole.cut(r.cp.Earliest, r.now(), r.granularity()); !more {
		return false
	}
	r.pass.Cut, r.pass.At = true, nil
	r.pass.Todo = append(r.pass.Todo, whole)
	return true
}

// emit yields the records of a response in pages. advance moves the checkpoint
// behind the response, before the last of them.
func (r *reading) emit(l *list, ans response, advance func()) {
	a, at := newAdapter(ans, r.cp.Naming), l.skipped(ans.Records)
	total := r.total(ans)
	for !r.Stopped {
		end := min(at+harvest.MaxPageDocuments, len(ans.Records))
		docs, rejects := a.documents(ans.Records[at:end])
		r.note(rejects)
		p := harvest.Page{Documents: r.inWindow(docs), Rejects: rejects, Total: total}
		p.Listed = len(p.Documents) + len(rejects)
		p.Done = r.pass.Seen + l.Seen + int64(end)
		at = end
		if at < len(ans.Records) {
			l.Skip, l.SkipID = at, ans.Records[at-1].ID
			r.send(p)
			continue
		}
		short := r.short(l, ans)
		r.whole = r.whole && short == ""
		advance()
		for _, why := range []string{short, r.cutOff(len(ans.Records))} {
			if why != "" {
				p.Partial = true
				r.warn("%s", why)
			}
		}
		p.Last = r.ended
		r.send(p)
		return
	}
}

// cutOff ends a fetch that has read as much as a run may, and says so; "" while
// it may go on. The next run goes on behind it.
func (r *reading) cutOff(records int) string {
	p := r.pass
	if p.Taken += int64(records); r.ended || p.Read < r.params.maxPages() && p.Taken < maxRecords {
		return ""
	}
	why := fmt.Sprintf("max_pages: %d responses with %d records were read, and there are more: the next run goes on from there", p.Read, p.Taken)
	p.Read, p.Taken, r.ended = 0, 0, true
	return why
}

// skipped is how many records of a response were committed before; none where
// the response is not the one it was.
func (l *list) skipped(records []wire.Record) int {
	if l.Skip > 0 && l.Skip < len(records) && records[l.Skip-1].ID == l.SkipID {
		return l.Skip
	}
	for i := range records {
		if l.Skip > 0 && i+1 < len(records) && records[i].ID == l.SkipID {
			return i + 1
		}
	}
	return 0
}

// total is completeListSize, where one list is all there is.
func (r *reading) total(ans response) int64 {
	if r.pass.Cut || len(r.pass.Todo) > 0 || r.pass.Seen > 0 {
		return 0
	}
	return max(0, ans.Token.Size)
}

// inWindow leaves out what lies outside of a window that was asked for: the
// protocol includes its end, and repositories without dates know none.
func (r *reading) inWindow(docs []harvest.Document) []harvest.Document {
	w, g := r.req.Window, r.granularity()
	if w.IsZero() || g == day {
		return docs
	}
	kept := docs[:0]
	for _, d := range docs {
		if d.Published.IsZero() || (w.Until.IsZero() || d.Published.Before(w.Until)) && (g == second || !d.Published.Before(w.From)) {
			kept = append(kept, d)
		}
	}
	return kept
}

// short says what is missing at the end of a list; "" before the end and when
// nothing is.
func (r *reading) short(l *list, ans response) string {
	seen, size := l.Seen+int64(len(ans.Records)), ans.Token.Size
	if size < 0 {
		size = l.Size - 1
	}
	if ans.Token.Value != "" || size <= seen {
		return ""
	}
	return shortOf(seen, size)
}

func shortOf(seen, size int64) string {
	return fmt.Sprintf("the list ended after %d of the %d records it was said to have (completeListSize): the rest did not come; window: month with --again asks in smaller lists", seen, size)
}

// goOn moves the list behind a response.
func (r *reading) goOn(l *list, ans response) {
	l.note(ans.Records)
	l.Pages++
	l.Skip, l.SkipID = 0, ""
	if size := ans.Token.Size; size >= 0 {
		l.Size = size + 1
	}
	if len(ans.Records) > 0 && r.params.Set != "" {
		r.cp.Had, r.cp.Confirmed = true, later(r.cp.Confirmed, ans.clock)
	}
	if l.Pages > 1 {
		r.restarts = 0
	}
	if ans.Token.Value == "" {
		r.endList()
		return
	}
	l.Token, l.Expires = ans.Token.Value, expiry(ans)
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// expiry is when a token ends, on our clock. One that had ended when it was
// given speaks of another time zone, and is not believed.
func expiry(ans response) time.Time {
	at, ok := parseTime(ans.Token.Expires)
	if !ok {
		return time.Time{}
	}
	now := time.Now().UTC().Truncate(time.Second)
	given := ans.shown
	if given.IsZero() {
		given = now
	}
	if left := at.Sub(given); left > 0 {
		return now.Add(left)
	}
	return time.Time{}
}

// note keeps what the datestamps show.
func (l *list) note(records []wire.Record) {
	for i := range records {
		l.Seen++
		t, ok := parseTime(records[i].Datestamp)
		if !ok {
			l.Falls = true
			continue
		}
		if l.Low.IsZero() || t.Before(l.Low) {
			l.Low = t
		}
		switch {
		case t.Before(l.High):
			l.Falls = true
		case t.After(l.High):
			if !l.High.IsZero() {
				l.Rises++
			}
			l.High, l.Before = t, l.Seen-1
		}
	}
}
