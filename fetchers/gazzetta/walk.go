package gazzetta

import (
	"slices"
	"strconv"

	"github.com/vendemmia/vendemmia/harvest"
)

const (
	// maxLate are so many as still are an exception.
	maxLate = 100
	// maxFailed issues and acts are enough to see that the site has changed, or
	// is out of order.
	maxFailed = 5
)

// aside is an issue or an act that is asked for again later.
type aside struct {
	late late
	err  error
}

// walk goes all legs, then what was late before, then closes. last says that no
// other walk follows.
func (r *reading) walk(w *walk, last bool) error {
	r.w, r.pages, r.read, r.listed, r.asides = w, 0, 0, 0, nil
	for {
		for len(w.Legs) > 0 {
			if err := r.leg(); err != nil || r.Stopped {
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
			if err := r.issue(k); err != nil || r.Stopped {
				return err
			}
		}
	}
	return nil
}

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

// had reports an issue or act that was read before: what came then is not to be
// overwritten with less.
func (r *reading) had() bool { return r.w.Again || r.w.Legs[0].Had }

// passing reports a failure that does not keep the walk from going on: of what
// is not there yet, is no such page any more, or that the site cannot show, when
// no attempt is left in which it might.
func (r *reading) passing(err error) bool {
	switch harvest.KindOf(err) {
	case harvest.KindGone, harvest.KindBroken:
		return true
	case harvest.KindServerError, harvest.KindTimeout:
		return isNotYet(err) || r.req.LastAttempt && r.ctx.Err() == nil
	default:
		return false
	}
}

// putAside remembers what is to be asked for again, in this leg's way. Where
// that is no exception any more the error is returned.
func (r *reading) putAside(l late, err error) error {
	l.Had = r.had()
	r.asides = append(r.asides, aside{l, err})
	if !slices.Contains(r.w.Late, l) {
		r.w.Late = append(r.w.Late, l)
	}
	failed := 0
	for _, a := range r.asides {
		if !isNotYet(a.err) && harvest.KindOf(a.err) != harvest.KindGone {
			failed++
		}
	}
	if failed >= maxFailed || len(r.w.Late) > maxLate {
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
