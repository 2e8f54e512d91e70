package replica

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// Entry is one piece of news as a feed lists it.
type Entry struct {
	// ID is the guid; empty where the format has none, or a fault took it.
	ID        string
	Link      string
	Title     string
	Summary   string // HTML
	Author    string
	Category  string
	Published time.Time
	// BadDate is written in place of Published.
	BadDate string
}

// Identity is what a reader knows the entry by: its id, else its link; "" when
// nobody can read it (no identity, or an impossible date).
func (e Entry) Identity() string {
	switch {
	case e.BadDate != "":
		return ""
	case e.ID != "":
		return e.ID
	default:
		return e.Link
	}
}

// paper is whose feed it is.
type paper struct {
	town    town
	section section
	slug    string // unique among a house's feeds
	site    string
}

func newPaper(i int) paper {
	t, s := towns(), sections()
	p := paper{town: t[i%len(t)], section: s[i/len(t)%len(s)]}
	p.slug = p.town.slug + "-" + p.section.slug
	if round := i / (len(t) * len(s)); round > 0 {
		p.slug = fmt.Sprintf("%s-%d", p.slug, round+1)
	}
	p.site = "https://www.cronache-" + p.town.slug + ".example"
	return p
}

// Title is the feed's own name.
func (p paper) title() string { return "Cronache di " + p.town.name + " – " + p.section.name }

// gap is the time between two entries.
const gap = 17 * time.Minute

// entry makes the n-th entry (from 0, the oldest) of a feed; edit > 0 is a later
// version of it. It depends on nothing but its arguments.
func (p paper) entry(seed uint64, feed, n, edit int, at time.Time) Entry {
	r := rand.New(rand.NewPCG(seed, uint64(feed)<<32|uint64(n))) // repeatable on purpose
	e := Entry{
		ID:        fmt.Sprintf("tag:%s,2026:%s/%d", strings.TrimPrefix(p.site, "https://"), p.slug, n+1),
		Link:      fmt.Sprintf("%s/%s/%d/%02d/%05d.html", p.site, p.section.slug, at.Year(), at.Month(), n+1),
		Category:  p.section.name,
		Author:    pick(r, authors()),
		Published: at,
	}
	e.Title = fmt.Sprintf(pick(r, p.section.titles), 2+r.IntN(97), p.town.at)
	if edit > 0 {
		e.Title += fmt.Sprintf(" (aggiornamento %d)", edit)
	}
	text := sentences()
	r.Shuffle(len(text), func(i, j int) { text[i], text[j] = text[j], text[i] })
	e.Summary = "<p>" + text[0] + " " + text[1] + "</p><p>" + text[2] + "</p>"
	return e
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }
