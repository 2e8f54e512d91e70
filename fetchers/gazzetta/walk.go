package gazzetta

import (
	"errors"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
)

const (
	// maxLate are so many as still are an exception.
	maxLate = 100
	// maxBroken acts are enough to see that the site has changed.
	maxBroken = 5
	// firstYear is that of the first Gazzetta there was.
	firstYear = 1861
)

// asideWalk goes on with the walk of this window, or of everything again, or
// begins it.
func (r *reading) asideWalk() *walk {
	from, until := within(r.req.Window)
	w := &walk{From: from, Until: until, Again: r.req.Window.IsZero()}
	if old := r.cp.Aside; old != nil && old.From == w.From && old.Until == w.Until && old.Again == w.Again && r.goesOn(old) {
		return old
	}
	first := r.firstDay()
	if from != "" {
		first = startOf(from)
	}
	w.Legs = []leg{{For: forNew, After: first, To: endOf(until)}}
	if w.Again {
		w.Legs[0].To = endOf(r.params.Until)
	}
	r.cp.Aside = w
	return w
}

// goesOn reports a walk that was cut. One that came to its end but for what was
// late goes on for that alone, within a run; the next run begins a new one.
func (r *reading) goesOn(w *walk) bool {
	return len(w.Legs) > 0 || len(w.Late) > 0 && r.req.Attempt > 1
}

// liveWalk goes on with the walk of the schedule's runs, or begins it: what was
// late, what is new, and the last days once more.
func (r *reading) liveWalk() *walk {
	old := r.cp.Live
	if old != nil && r.goesOn(old) {
		return old
	}
	w := &walk{}
	if old != nil {
		w.Legs = legsOf(r.stillListed(old.Late))
	}
	w.Legs = append(w.Legs, r.between()...)
	first := r.cp.Through
	if first.IsZero() {
		first = r.firstDay()
	}
	w.Legs = append(w.Legs, leg{For: forNew, After: first, To: endOf(r.params.Until)})
	if known, ok := r.knownLeg(); ok && r.req.Attempt <= 1 {
		w.Legs = append(w.Legs, known)
	}
	r.cp.Live = w
	return w
}

// firstDay is where a first walk begins: with params.From, else with the list of
// thirty days.
func (r *reading) firstDay() key {
	if r.params.From != "" {
		return startOf(r.params.From)
	}
	return startOf(r.recent[0].Day)
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
	days := 0
	first := key{}
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
	return leg{For: forKnown, After: first, To: r.cp.Through}, days > 0
}

// stillListed drops what the list of thirty days has no more: it is given up.
func (r *reading) stillListed(list []late) (still []late) {
	for _, l := range list {
		if slices.Contains(r.recent, l.Issue) {
			still = append(still, l)
			continue
		}
		r.partial = true
		r.warn("%s could not be read for thirty days and is given up: starter trigger with --from and --until reads it again", r.name(l))
	}
	return still
}

// walk goes all legs, then what was late before, then closes. last says that no
// other walk follows.
func (r *reading) walk(w *walk, last bool) error {
	r.w, r.pages, r.listed, r.asides = w, 0, 0, nil
	for {
		for len(w.Legs) > 0 {
			if err := r.leg(); err != nil || r.stopped {
				return err
			}
			w.Legs, w.At = w.Legs[1:], nil
		}
		again := slices.DeleteFunc(slices.Clone(w.Late), r.tried)
		if len(again) == 0 {
			return r.end(last)
		}
		w.Late, w.Legs = slices.DeleteFunc(w.Late, func(l late) bool { return !r.tried(l) }), legsOf(again)
	}
}

func (r *reading) tried(l late) bool {
	return slices.ContainsFunc(r.asides, func(a aside) bool { return a.late == l })
}

// leg reads the issues of the first leg of the walk.
func (r *reading) leg() error {
	for keys, err := range r.lists(r.w.Legs[0]) {
		if err != nil {
			return err
		}
		l := r.w.Legs[0]
		keys = slices.DeleteFunc(keys, func(k key) bool { return !l.After.before(k) || !l.To.IsZero() && l.To.before(k) })
		r.listed = int(r.w.Done) + len(keys)
		for _, k := range keys {
			if err := r.issue(k); err != nil || r.stopped {
				return err
			}
		}
	}
	return nil
}

// lists yields the issues that may be of a leg, in order: of the list of thirty
// days, where that reaches far enough, else year by year of the archive.
func (r *reading) lists(l leg) iter.Seq2[[]key, error] {
	return func(yield func([]key, error) bool) {
		if l.For == forLate {
			yield([]key{l.To}, nil)
			return
		}
		if l.After.Day >= r.recent[0].Day {
			yield(slices.Clone(r.recent), nil)
			return
		}
		r.archive(l, yield)
	}
}

// archive walks the years. The last ones are completed from the list of thirty
// days, which may be ahead.
func (r *reading) archive(l leg, yield func([]key, error) bool) {
	newest := r.recent[len(r.recent)-1]
	last := yearOf(newest.Day)
	if !l.To.IsZero() {
		last = min(last, yearOf(l.To.Day))
	}
	found := false
	var missing error
	for year := max(firstYear, yearOf(l.After.Day)); year <= last; year++ {
		keys, err := r.year(year)
		if errors.Is(err, errNoYear) {
			r.partial, missing = true, err
			r.warn("the archive of %s does not have the year %d", r.serie.slug, year)
		} else if err != nil {
			yield(nil, err)
			return
		}
		if year >= yearOf(r.recent[0].Day) {
			keys = append(keys, r.recent...)
			slices.SortFunc(keys, key.compare)
			keys = slices.Compact(keys)
		}
		found = found || len(keys) > 0
		if len(keys) > 0 && !yield(keys, nil) {
			return
		}
	}
	if !found && missing != nil {
		yield(nil, missing)
	}
}

func yearOf(day string) int {
	t, _ := time.Parse(time.DateOnly, day) // a key's day is one
	return t.Year()
}

func holdsYear(address string, year int) bool { return strings.Contains(address, strconv.Itoa(year)) }

// finish notes that an issue is done, or put aside.
func (r *reading) finish(k key) {
	l := &r.w.Legs[0]
	if l.After == k {
		return
	}
	l.After, r.w.At = k, nil
	r.w.Done++
	if r.w.From+r.w.Until != "" {
		return
	}
	if l.For == forNew && r.cp.Through.before(k) {
		r.cp.Through = k
	}
	r.know(k)
}

// know keeps what is known of the list of thirty days, and no more.
func (r *reading) know(k key) {
	known := append(slices.Clone(r.cp.Known), k)
	known = slices.DeleteFunc(known, func(k key) bool { return k.before(r.recent[0]) })
	slices.SortFunc(known, key.compare)
	r.cp.Known = slices.Compact(known)
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

// putAside remembers what is to be asked for again. Where that is no exception
// any more the error is returned.
func (r *reading) putAside(l late, err error) error {
	r.asides = append(r.asides, aside{l, err})
	if !slices.Contains(r.w.Late, l) {
		r.w.Late = append(r.w.Late, l)
	}
	broken := 0
	for _, a := range r.asides {
		if harvest.KindOf(a.err) == harvest.KindBroken {
			broken++
		}
	}
	if broken >= maxBroken || len(r.w.Late) > maxLate {
		return err
	}
	return nil
}

// name of an issue or act, for people.
func (r *reading) name(l late) string {
	text := r.serie.slug + " n. " + strconv.Itoa(l.Issue.Number) + " of " + l.Issue.Day
	if l.Act != "" {
		text = "act " + l.Act + " of " + text
	}
	return text
}
