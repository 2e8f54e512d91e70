package gazzetta

import (
	"fmt"
	"time"
)

// Issues returns what has been published of a series by now, in order: from a
// day, included, until another, not. Zero days are open.
func (s *Site) Issues(series string, from, until time.Time) (issues []*Issue) {
	for _, p := range s.published(series) {
		if (from.IsZero() || !p.day.Before(day(from))) && (until.IsZero() || p.day.Before(day(until))) {
			issues = append(issues, s.issue(p))
		}
	}
	return issues
}

// published returns the plans of what there is by now.
func (s *Site) published(series string) (plans []plan) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x, _ := bySlug(series)
	for _, p := range s.plans[series] {
		id := (&Issue{Day: p.day, Number: p.number, Segment: x.seg}).ID()
		if !p.day.After(s.today) && !s.withheld[id] {
			plans = append(plans, p)
		}
	}
	return plans
}

// Recent is the first day of the list of the last thirty.
func (s *Site) Recent() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.today.AddDate(0, 0, -30)
}

// ID is the issue's ELI: eli/gu/2026/06/13/135/sg.
func (i *Issue) ID() string {
	return fmt.Sprintf("eli/gu/%s/%d/%s", i.Day.Format("2006/01/02"), i.Number, i.Segment)
}

// ID is the act's ELI: eli/id/2026/06/13/26A02924/sg. One without a code has
// the issue's and its page: …/s2/page/7.
func (a *Act) ID() string {
	if a.Code == "" {
		return fmt.Sprintf("eli/gu/%s/%d/%s/page/%d", a.Day.Format("2006/01/02"), a.Issue, a.Segment, a.Page)
	}
	return fmt.Sprintf("eli/id/%s/%s/%s", a.Day.Format("2006/01/02"), a.Code, a.Segment)
}

// ArticleID is the act's ID and the numbers of the article's address: flag,
// group, article, its two subdivisions, part.
func (a *Act) ArticleID(x Article) string {
	return fmt.Sprintf("%s/art/%d.%d.%d.%d.%d.%d", a.ID(), x.Flag, x.Group, x.ID, x.Sub, x.Sub1, x.Part)
}

// IDs lists the ids of issues, acts and articles, each once.
func IDs(issues []*Issue) (ids []string) {
	for _, i := range issues {
		ids = append(ids, i.ID())
		for k := range i.Acts {
			a := &i.Acts[k]
			ids = append(ids, a.ID())
			for _, x := range a.Articles {
				ids = append(ids, a.ArticleID(x))
			}
		}
	}
	return ids
}

// Acts counts the acts of issues.
func Acts(issues []*Issue) (n int) {
	for _, i := range issues {
		n += len(i.Acts)
	}
	return n
}
