package gazzetta

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// Issue is one number of a series.
type Issue struct {
	Series, Segment string
	Day             time.Time
	Number          int
	Supplements     []Supplement
	Acts            []Act
}

// Supplement of an issue: "so" is an ordinary one, "ss" an extraordinary one.
type Supplement struct {
	Kind   string
	Number int
}

// Act is what an issue publishes.
type Act struct {
	// Code is empty for a few acts of the Unione Europea.
	Code, Segment, Series string
	Day                   time.Time
	Issue                 int
	Rubrica, Emettitore   string
	// Heading is the text of the first link: type, date and number.
	Heading, Type, Title string
	Date                 time.Time // of the act; zero where it has none
	Page                 int
	Supplement           *Supplement
	Form                 Form
	Articles             []Article
	// Twice: the issue's page lists it in two places.
	Twice bool
}

// Form is where an act's text is.
type Form int

// The forms: articles behind a menu, the text in the menu's page, behind the
// default article alone, and in a PDF.
const (
	Articled Form = iota
	Inline
	Default
	Printed
)

// Article is one part of an act; the numbers are those of its address.
type Article struct {
	Flag, Group, ID, Sub, Sub1, Part int
	Label                            string
}

func (s *Site) rng(parts ...string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(strings.Join(parts, "\x00"))) // a hash never fails
	return rand.New(rand.NewPCG(s.config.Seed, h.Sum64()))
}

// issue makes an issue, once.
func (s *Site) issue(p plan) *Issue {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i, ok := s.made[p]; ok {
		return i
	}
	x, _ := bySlug(p.series)
	i := &Issue{Series: p.series, Segment: x.seg, Day: p.day, Number: p.number}
	rng := s.rng(p.series, p.day.Format(time.DateOnly), fmt.Sprint(p.number))
	n := max(1, s.config.Acts/2+rng.IntN(s.config.Acts+1))
	if p.series == "serie_generale" && p.index%9 == 4 {
		i.Supplements = []Supplement{{Kind: "so", Number: p.index/9 + 1}}
		if p.index%27 == 13 {
			i.Supplements = append(i.Supplements, Supplement{Kind: "ss", Number: p.index/27 + 1})
		}
		n = max(n, 1+len(i.Supplements))
	}
	for k := range n {
		i.Acts = append(i.Acts, s.act(x, p, i, k, n, rng))
	}
	slices.SortStableFunc(i.Acts, inOrder(x))
	s.made[p] = i
	return i
}

// inOrder sorts by supplement and then by rubrica, as an issue does.
func inOrder(x serie) func(a, b Act) int {
	rank := func(a Act) int {
		n := slices.IndexFunc(rubriche(x), func(r rubrica) bool { return r.name == a.Rubrica })
		if a.Supplement != nil {
			n += 1000 * (a.Supplement.Number + 1)
			if a.Supplement.Kind == "ss" {
				n += 1_000_000
			}
		}
		return n
	}
	return func(a, b Act) int { return rank(a) - rank(b) }
}

func (s *Site) act(x serie, p plan, i *Issue, k, n int, rng *rand.Rand) Act {
	list := rubriche(x)
	r := list[rng.IntN(len(list))]
	a := Act{
		Code: code(x, p, k, r), Segment: x.seg, Series: x.slug, Day: p.day, Issue: p.number, Rubrica: r.name,
		Page: 1 + k*3, Date: p.day.AddDate(0, 0, -10-rng.IntN(90)), Twice: rng.IntN(25) == 0,
	}
	if len(r.from) > 0 {
		a.Emettitore = r.from[rng.IntN(len(r.from))]
	}
	if m := len(i.Supplements); k >= n-m {
		a.Supplement = &i.Supplements[k-(n-m)]
	}
	a.Type = r.types[rng.IntN(len(r.types))]
	a.Title = title(rng)
	a.heading(x, p, rng)
	a.form(x, p, k, rng)
	return a
}

// code is opaque: several shapes are in use.
func code(x serie, p plan, k int, r rubrica) string {
	n, year := p.index*200+k, p.day.Year()%100
	switch x.seg {
	case "sg":
		letter := "A"
		if r.law {
			letter = "G"
		}
		if n%17 == 5 {
			return fmt.Sprintf("%03d%s%04d", year, letter, n)
		}
		return fmt.Sprintf("%02d%s%05d", year, letter, n)
	case "s2":
		if n%31 == 7 {
			return ""
		}
		return fmt.Sprintf("%02dCE%04d", year, n)
	case "p2":
		return fmt.Sprintf("TX%02dAAB%05d", year, n)
	case "s5":
		return fmt.Sprintf("%02dBFC%05d", year, n)
	case "s1":
		if r.name == rubricaDecisions {
			return fmt.Sprintf("T-%02d%04d", year, n)
		}
		return fmt.Sprintf("%02dC%05d", year, n)
	default:
		return fmt.Sprintf("%02d%s%05d", year, map[string]string{"s3": "R", "s4": "E"}[x.seg], n)
	}
}

func (a *Act) heading(x serie, p plan, rng *rand.Rand) {
	words := italian(a.Date)
	switch {
	case a.Rubrica == rubricaDecisions:
		deposited := a.Date.AddDate(0, 0, 4+rng.IntN(50))
		first := strings.TrimSuffix(words, fmt.Sprintf(" %d", deposited.Year())) // of the same year it is left out
		a.Heading = fmt.Sprintf("N. %d %s %s - %s", p.number*3+rng.IntN(3), a.Type, first, italian(deposited))
	case x.seg == "s1":
		a.Heading = fmt.Sprintf("N. %d %s %s", p.number*3+rng.IntN(3), a.Type, words)
	case x.seg == "s4" && a.Type == "CONCORSO", x.seg == "s5":
		a.Heading, a.Date = fmt.Sprintf("%s (scad. %s)", a.Type, italian(p.day.AddDate(0, 1, 0))), time.Time{}
	case x.seg == "s4" || x.seg == "p2":
		a.Heading, a.Date = a.Type, time.Time{}
	case a.Rubrica == rubricaLaws:
		a.Heading = fmt.Sprintf("%s %s, n. %d", a.Type, words, 1+rng.IntN(250))
	default:
		a.Heading = a.Type + " " + words
	}
}

// form decides where the text is, and into how many articles it falls.
func (a *Act) form(x serie, p plan, k int, rng *rand.Rand) {
	switch {
	case x.seg == "s2":
		a.Form = Printed
	case x.seg == "s1", x.seg == "s4", x.seg == "p2":
		a.Form = Inline
	case x.seg == "s5", rng.IntN(9) == 0:
		a.Form = Default
	case rng.IntN(4) == 0:
		a.Form = Inline
	default:
		a.articles(1+rng.IntN(5), rng)
	}
	if x.seg == "sg" && p.index == 40 && k == 0 {
		a.Form, a.Articles = Articled, nil
		a.articles(Vast-3, rng)
		for n := len(a.Articles); n < Vast; n++ {
			a.Articles = append(a.Articles, Article{Flag: 1, Group: 0, ID: n, Sub: 1, Sub1: 10, Label: fmt.Sprintf("Allegato %d", n-Vast+4)})
		}
	}
}

func (a *Act) articles(n int, rng *rand.Rand) {
	for i := range n {
		a.Articles = append(a.Articles, Article{ID: i + 1, Sub: 1, Sub1: 10, Label: fmt.Sprint(i + 1)})
		if rng.IntN(12) == 0 && n < 10 {
			a.Articles = append(a.Articles, Article{ID: i + 1, Sub: 2, Sub1: 10, Label: fmt.Sprintf("%d bis", i+1)})
		}
	}
	if rng.IntN(3) == 0 && n < 10 {
		a.Articles = append(a.Articles, Article{Flag: 1, ID: 1, Sub: 1, Sub1: 10, Label: "Allegato"})
		if rng.IntN(2) == 0 {
			a.Articles = append(a.Articles, Article{Flag: 1, ID: 1, Sub: 1, Sub1: 10, Part: 1, Label: "Allegato - parte 2"})
		}
	}
}
