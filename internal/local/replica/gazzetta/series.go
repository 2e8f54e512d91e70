package gazzetta

import (
	"slices"
	"time"
)

// serie is one series with its days.
type serie struct {
	slug, code, seg string
	// title as in the feed; heading as in the issue.
	title, heading string
	days           []time.Weekday
}

func series() []serie {
	const (
		mon, tue, wed, thu, fri, sat = time.Monday, time.Tuesday, time.Wednesday, time.Thursday, time.Friday, time.Saturday
	)
	return []serie{
		{"serie_generale", "SG", "sg", "Serie Generale", "Serie Generale", []time.Weekday{mon, tue, wed, thu, fri, sat}},
		{"corte_costituzionale", "S1", "s1", "1a Serie Speciale - Corte Costituzionale", "1<sup>a</sup> Serie Speciale - Corte Costituzionale", []time.Weekday{wed}},
		{"unione_europea", "S2", "s2", "2a Serie Speciale - Unione Europea", "2<sup>a</sup> Serie Speciale - Unione Europea", []time.Weekday{mon, thu}},
		{"regioni", "S3", "s3", "3a Serie Speciale - Regioni", "3<sup>a</sup> Serie Speciale - Regioni", []time.Weekday{sat}},
		{"concorsi", "S4", "s4", "4a Serie Speciale - Concorsi", "4<sup>a</sup> Serie Speciale - Concorsi ed Esami", []time.Weekday{tue, fri}},
		{"contratti", "S5", "s5", "5a Serie Speciale - Contratti", "5<sup>a</sup> Serie Speciale - Contratti Pubblici", []time.Weekday{mon, wed, fri}},
		{"parte_seconda", "P2", "p2", "Parte Seconda", "Parte Seconda - Foglio delle inserzioni", []time.Weekday{tue, thu, sat}},
	}
}

// Series lists the slugs of all series.
func Series() (slugs []string) {
	for _, x := range series() {
		slugs = append(slugs, x.slug)
	}
	return slugs
}

func serieOf(fits func(serie) bool) (serie, bool) {
	all := series()
	i := slices.IndexFunc(all, fits)
	if i < 0 {
		return serie{}, false
	}
	return all[i], true
}

func bySlug(slug string) (serie, bool) { return serieOf(func(x serie) bool { return x.slug == slug }) }

// plan is an issue that is to appear.
type plan struct {
	series string
	day    time.Time
	number int
	index  int // in its year, from 0
}

// planYear gives numbers to the days of a year. Holidays have no issue, and now
// and then a day has two.
func (s *Site) planYear(x serie, year int) (plans []plan) {
	for d := time.Date(year, time.January, 1, 0, 0, 0, 0, time.UTC); d.Year() == year; d = d.AddDate(0, 0, 1) {
		if !slices.Contains(x.days, d.Weekday()) || holiday(d) {
			continue
		}
		times := 1
		if x.slug == "serie_generale" && s.rng("twice", d.Format(time.DateOnly)).IntN(60) == 0 {
			times = 2
		}
		for range times {
			plans = append(plans, plan{series: x.slug, day: d, number: len(plans) + 1, index: len(plans)})
		}
	}
	return plans
}

func holiday(d time.Time) bool {
	return slices.Contains([]string{"01-01", "01-06", "04-25", "05-01", "06-02", "08-15", "11-01", "12-08", "12-25", "12-26"}, d.Format("01-02"))
}
