package diagnose

import (
	"fmt"
	"slices"
	"time"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
)

// Slowed says that a host is asked more slowly because of its trouble; empty when
// it is not.
func Slowed(h rows.Host, c print.Clock) string {
	if h.Slow <= 0 {
		return ""
	}
	text := "slowed to " + h.Slow.String()
	if !h.SlowSince.IsZero() {
		text += " since " + c.NearZone(h.SlowSince)
	}
	if h.SlowWhy != "" {
		text += ": " + h.SlowWhy
	}
	return text
}

// HostFacts are what is known of one host.
type HostFacts struct {
	Clock print.Clock
	Host  rows.Host
	// Default is what "*" says; nil: nothing.
	Default *rows.Host
	// Robots are the verdicts of its robots.txt that its last runs noted, the newest
	// first.
	Robots []Verdict
	// Waiting are the items of open runs that live on the host and are not closed.
	Waiting []Waiter
}

// Verdict is what a robots.txt said about a request.
type Verdict struct {
	At   time.Time
	Text string
}

// WhyHost says what holds a host up: the first that fits is the cause, what else
// holds stands in the lines.
func WhyHost(f HostFacts) Answer {
	a := Answer{Subject: f.Host.Name, Cause: "nothing", Say: f.Host.Name + " is asked as usual: nothing holds it up."}
	for _, c := range []struct {
		name string
		finding
	}{{"paused", hostPaused(f)}, {"resting", hostRests(f)}, {"slowed", hostSlowed(f)}} {
		switch {
		case c.hit && a.Cause == "nothing":
			a.Cause, a.Say, a.Lines = c.name, c.say, c.lines
		case c.hit:
			a.Lines = append(a.Lines, Line{"besides", c.say})
		default:
			a.Not = append(a.Not, c.clear)
		}
	}
	a.Lines = append(a.Lines, Line{"gap", gapText(f)})
	a.Lines = append(a.Lines, robotsLines(f)...)
	a.Lines = append(a.Lines, waiterLines(f)...)
	return a
}

// pauseOf is the host's pause, else that of "*"; nil: none, or over.
func pauseOf(f HostFacts) (*rows.Pause, string) {
	for _, h := range []*rows.Host{&f.Host, f.Default} {
		if h != nil && h.Paused.Holds(f.Clock.Now()) {
			return h.Paused, h.Name
		}
	}
	return nil, ""
}

func hostPaused(f HostFacts) finding {
	p, name := pauseOf(f)
	if p == nil {
		return finding{clear: "paused no"}
	}
	who := f.Host.Name + " is paused"
	if name != f.Host.Name {
		who = "all hosts are paused"
	}
	return finding{hit: true, say: who + byWhom(p, f.Clock) + ".", lines: []Line{{"do", "starter hosts resume " + quoted(name)}}}
}

// quoted is a host's name as one types it: a shell would read "*".
func quoted(name string) string {
	if name == "*" {
		return "'*'"
	}
	return name
}

func hostRests(f HostFacts) finding {
	if !f.Host.RestUntil.After(f.Clock.Now()) {
		return finding{clear: "resting no"}
	}
	return finding{
		hit: true, say: fmt.Sprintf("%s rests until %s.", f.Host.Name, f.Clock.Full(f.Host.RestUntil)),
		lines: []Line{{"because", f.Host.RestWhy}, {"do", "starter hosts resume " + f.Host.Name + ", if you know better"}},
	}
}

func hostSlowed(f HostFacts) finding {
	if f.Host.Slow <= 0 {
		return finding{clear: "slowed no"}
	}
	return finding{
		hit: true, say: fmt.Sprintf("%s is %s.", f.Host.Name, Slowed(f.Host, f.Clock)),
		lines: []Line{{"then", "ten good answers in a row halve the gap, until its own will do"}, {"do", "starter hosts resume " + f.Host.Name + ", if you know better"}},
	}
}

// Pace is what holds for a host, and "(by …)" where another than its own line says it.
func Pace(h rows.Host, all *rows.Host) (every time.Duration, connections int, by string) {
	if all == nil {
		all = &rows.Host{}
	}
	if every, connections, by = h.Pace(*all); by != "" {
		by = " (by " + by + ")"
	}
	return every, connections, by
}

// stopped reports whether nothing may be asked of the host now.
func (f HostFacts) stopped() bool { return hostPaused(f).hit || hostRests(f).hit }

// paced reports whether the host is asked by one request at a time.
func (f HostFacts) paced() bool {
	every, _, _ := Pace(f.Host, f.Default)
	return every > 0 || f.Host.Slow > 0
}

// gapText is what holds between two requests at the best of times.
func gapText(f HostFacts) string {
	every, connections, by := Pace(f.Host, f.Default)
	switch {
	case every > 0:
		return every.String() + " after each answer, for all workers together" + by
	case connections > 0:
		return "none; " + print.Count(connections, "connection") + " per worker" + by
	default:
		return "none; a few connections per worker"
	}
}

func robotsLines(f HostFacts) []Line {
	switch {
	case f.Host.Robots == "ignore":
		return []Line{{"robots", "not asked: the files say robots: ignore"}}
	case len(f.Robots) == 0:
		return []Line{{"robots", "not at hand: no request of its last runs has a verdict"}}
	}
	var out []Line
	for _, v := range f.Robots[:min(3, len(f.Robots))] {
		out = append(out, Line{"robots", v.Text + " (" + f.Clock.NearZone(v.At) + ")"})
	}
	return out
}

func waiterLines(f HostFacts) []Line {
	if len(f.Waiting) == 0 {
		return []Line{{"waits", "no item of an open run"}}
	}
	slices.SortStableFunc(f.Waiting, func(a, b Waiter) int { return a.NotBefore.Compare(b.NotBefore) })
	var out []Line
	for _, w := range f.Waiting[:min(5, len(f.Waiting))] {
		out = append(out, Line{string(w.State), openText(w.RunItem, f.Clock) + ", of run " + w.Run})
	}
	if n := len(f.Waiting) - 5; n > 0 {
		out = append(out, Line{"", fmt.Sprintf("and %s more", print.Number(n))})
	}
	return out
}
