package gazzetta

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/PuerkitoBio/goquery"

	"github.com/vendemmia/vendemmia/harvest"
)

// firstYear is that of the oldest texts there are; what is older is PDFs alone.
const firstYear = 1986

// list asks for the list of the last thirty days. One without issues is an
// error: there always are some.
func (r *reading) list() ([]key, error) {
	keys, _, err := r.listAt(r.site.address("/30giorni/" + r.serie.slug))
	return keys, err
}

// listAt asks for a list of issues, and says where it came from.
func (r *reading) listAt(address string) (keys []key, final string, err error) {
	_, u, err := r.site.page(r.ctx, address, func(d *goquery.Document) bool {
		keys = parseList(d, r.serie)
		return !isHome(d) && len(keys) > 0
	})
	if u != nil {
		final = u.RequestURI()
	}
	return keys, final, err
}

// year asks for a year of the archive. One that is not there leads elsewhere, or
// shows another one: errNoYear.
func (r *reading) year(year int) ([]key, error) {
	address := r.site.address(fmt.Sprintf("/ricercaArchivioCompleto/%s/%d", r.serie.slug, year))
	keys, final, err := r.listAt(address)
	if final != "" && !strings.Contains(final, strconv.Itoa(year)) {
		return nil, noYear(address)
	}
	if err != nil {
		return nil, err
	}
	keys = slices.DeleteFunc(keys, func(k key) bool { return yearOf(k.Day) != year })
	if len(keys) == 0 {
		return nil, noYear(address)
	}
	return keys, nil
}

func noYear(address string) error {
	return harvest.Errorf(harvest.KindGone, "read year", address, "%w", errNoYear)
}

// lists yields the issues that may be of a leg, in order: of the list of thirty
// days, where that reaches far enough, else year by year of the archive.
func (r *reading) lists(l leg) iter.Seq2[[]key, error] {
	return func(yield func([]key, error) bool) {
		switch {
		case l.For == forLate:
			yield([]key{l.To}, nil)
		case l.After.Day >= r.recent[0].Day:
			yield(slices.Clone(r.recent), nil)
		default:
			r.archive(l, yield)
		}
	}
}

// archive walks the years up to that in which the list of thirty days begins,
// which completes the last one and has everything behind it.
func (r *reading) archive(l leg, yield func([]key, error) bool) {
	recent := yearOf(r.recent[0].Day)
	last := recent
	if !l.To.IsZero() {
		last = min(last, l.To.year())
	}
	for year := max(firstYear, yearOf(l.After.Day)); year <= last; year++ {
		keys, err := r.year(year)
		if err != nil && !errors.Is(err, errNoYear) {
			yield(nil, err)
			return
		}
		if err != nil {
			r.noYear(year, year < last)
		}
		if year == recent {
			keys = append(keys, r.recent...)
			slices.SortFunc(keys, key.compare)
			keys = slices.Compact(keys)
		}
		if r.Stopped || len(keys) > 0 && !yield(keys, nil) {
			return
		}
	}
}

// noYear tells of a year that the archive does not have. Where more follow the
// walk moves behind it: there may be many.
func (r *reading) noYear(year int, more bool) {
	r.partial = true
	r.warn("the archive of %s does not have the year %d", r.serie.slug, year)
	r.w.Missing++
	if more {
		r.w.Legs[0].After = startOf(strconv.Itoa(year+1) + "-01-01")
		r.emit(harvest.Page{})
	}
}

// year is that of the last issue up to k: before the first of a day it is one of
// the day before.
func (k key) year() int {
	t, _ := time.Parse(time.DateOnly, k.Day) // a key's day is one
	if k.Number == 0 {
		t = t.AddDate(0, 0, -1)
	}
	return t.Year()
}

func yearOf(day string) int {
	t, _ := time.Parse(time.DateOnly, day) // a key's day is one
	return t.Year()
}
