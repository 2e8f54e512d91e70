package gazzetta

import (
	"slices"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
)

// asideWalk goes on with the walk of this window, or of everything again, or
// begins it.
func (r *reading) asideWalk() (*walk, error) {
	from, until := within(r.req.Window)
	w := &walk{From: from, Until: until, Again: r.req.Window.IsZero()}
	if old := r.cp.Aside; old != nil && old.From == w.From && old.Until == w.Until && old.Again == w.Again && r.goesOn(old) {
		return old, nil
	}
	if w.Again {
		until = r.params.Until
	}
	l, err := r.firstLeg(from, until)
	w.Legs, r.cp.Aside = []leg{l}, w
	return w, err
}

// liveWalk goes on with the walk of the schedule's runs, or begins it: what was
// late, what is new, and the last days once more.
func (r *reading) liveWalk() (w *walk, err error) {
	old := r.cp.Live
	if old != nil && r.goesOn(old) {
		return old, nil
	}
	w = &walk{}
	if old != nil {
		w.Legs = legsOf(r.stillListed(old.Late))
	}
	r.tellVanished()
	w.Legs = append(w.Legs, r.between()...)
	fresh := leg{For: forNew, After: r.cp.Through, To: endOf(r.params.Until)}
	if r.cp.Through.IsZero() {
		fresh, err = r.firstLeg("", r.params.Until)
	}
	w.Legs = append(w.Legs, fresh)
	if known, ok := r.knownLeg(); ok && r.req.Attempt <= 1 {
		w.Legs = append(w.Legs, known)
	}
	r.cp.Live = w
	return w, err
}

// goesOn reports a walk that was cut. One that came to its end but for what was
// late goes on for that alone, within a run; the next run begins a new one.
func (r *reading) goesOn(w *walk) bool {
	return len(w.Legs) > 0 || len(w.Late) > 0 && r.req.Attempt > 1
}

// firstLeg begins with a day, else with params.From, else with the list of thirty
// days. One that ends before there is anything to read is a mistake: it would
// look as if nothing had been published.
func (r *reading) firstLeg(from, until string) (leg, error) {
	begin := r.recent[0].Day
	switch {
	case from != "":
		begin = from
	case r.params.From != "":
		begin = r.params.From
	}
	l := leg{For: forNew, After: startOf(begin), To: endOf(until)}
	if until == "" || begin < until {
		if until != "" && l.To.year() < firstYear {
			return l, harvest.Errorf(harvest.KindGone, "read the archive", r.serie.slug, "the texts of the archive begin with %d", firstYear)
		}
		return l, nil
	}
	e := harvest.Errorf(harvest.KindMisconfigured, "read params", "until", "%s is not after %s, where reading begins", until, begin)
	if e.Advice = "give an earlier from"; from == "" && r.params.From == "" {
		e.Advice = "without from reading begins with the list of the last thirty days: give from too"
	}
	return l, e
}

// endOf is before every issue of the day that is not read any more.
func endOf(until string) key {
	if until == "" {
		return key{}
	}
	return startOf(until)
}

// knownLeg reads the last days with an issue again: those that were read before.
// Behind a position that a person gave nothing was.
func (r *reading) knownLeg() (leg, bool) {
	if r.cp.Through.Number == 0 {
		return leg{}, false
	}
	days, first := 0, key{}
	for _, k := range slices.Backward(r.recent) {
		if r.cp.Through.before(k) {
			continue
		}
		if k.Day != first.Day {
			if days == r.params.revisit() {
				break
			}
			first, days = startOf(k.Day), days+1
		}
	}
	return leg{For: forKnown, After: first, To: r.cp.Through, Had: true}, days > 0
}

// stillListed drops what the list of thirty days has no more: it is given up.
func (r *reading) stillListed(list []late) (still []late) {
	for _, l := range list {
		if slices.Contains(r.recent, l.Issue) {
			still = append(still, l)
			continue
		}
		r.partial = true
		r.warn("%s could not be read, and the list of thirty days no longer has it: it is not tried again; starter trigger with --from and --until reads it again", r.name(l))
	}
	return still
}

// tellVanished tells, once, of issues that were read and that the list of thirty
// days has no more. When they come back they are read again.
func (r *reading) tellVanished() {
	newest := r.recent[len(r.recent)-1]
	r.cp.Known = slices.DeleteFunc(slices.Clone(r.cp.Known), func(k key) bool {
		if k.before(r.recent[0]) || slices.Contains(r.recent, k) {
			return false
		}
		r.partial = true
		r.warn("%s was read, and the list of the last thirty days, which ends with %s, no longer has it", r.name(late{Issue: k}), newest)
		return true
	})
}

// between returns the issues that have shown up among those that were read.
func (r *reading) between() (legs []leg) {
	if len(r.cp.Known) == 0 {
		return nil
	}
	for _, k := range r.recent {
		if r.cp.Known[0].before(k) && !r.cp.Through.before(k) && !slices.Contains(r.cp.Known, k) {
			legs = append(legs, late{Issue: k}.leg())
		}
	}
	return legs
}

// within turns a window into the days it touches: issues have no hour, and begin
// with their day where the window's ends were said.
func within(w harvest.Window) (from, until string) {
	if !w.From.IsZero() {
		from = w.From.Format(time.DateOnly)
	}
	if u := w.Until; !u.IsZero() {
		if u.Hour()+u.Minute()+u.Second()+u.Nanosecond() > 0 {
			u = u.AddDate(0, 0, 1) // the day has begun before it
		}
		until = u.Format(time.DateOnly)
	}
	return from, until
}
