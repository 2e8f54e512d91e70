package diagnose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
)

// host: what waits, waits for a host.
func host(f Facts) finding {
	if !f.Run.Open() {
		return lastHost(f)
	}
	for _, look := range []func(Facts, []rows.RunItem) finding{hostStopped, robotsAway, hostPace} {
		if found := look(f, waiting(f)); found.hit {
			return found
		}
	}
	return finding{clear: "host resting no"}
}

// lastHost: of a run that has ended, the host is no cause, but may be one of the
// next run.
func lastHost(f Facts) finding {
	if f.Run == nil || f.Run.Focus == nil {
		return finding{}
	}
	if f.host(f.Run.Focus.Host).stopped() {
		return finding{}
	}
	return finding{clear: "host resting no"}
}

// waiting returns what the question is about and is not closed: the item, else the
// items at work, else all that wait, the first due first.
func waiting(f Facts) []rows.RunItem {
	if f.Item != nil {
		if f.Item.Now == nil {
			return nil
		}
		return []rows.RunItem{*f.Item.Now}
	}
	if f.Run.Held > 0 {
		return f.Run.held()
	}
	return slices.SortedStableFunc(slices.Values(f.Run.Look), func(a, b rows.RunItem) int { return a.NotBefore.Compare(b.NotBefore) })
}

// hostStopped: nothing may be asked of the host now, by a person or by its own
// wish.
func hostStopped(f Facts, items []rows.RunItem) finding {
	for _, name := range hostsOf(items) {
		h := f.host(name)
		for _, found := range []finding{hostPaused(h), hostRests(h)} {
			if found.hit {
				found.say = fmt.Sprintf("%s waits for a host: %s", asker(f), found.say)
				found.lines = append(found.lines, waitLines(f, atHost(items, name))...)
				return found
			}
		}
	}
	return finding{}
}

func asker(f Facts) string {
	if f.Item != nil {
		return f.Item.Key
	}
	return "run " + f.Run.WorkflowID
}

func atHost(items []rows.RunItem, name string) (list []rows.RunItem) {
	for _, it := range items {
		if it.Host == name {
			list = append(list, it)
		}
	}
	return list
}

// robotsAway: the host's robots.txt could not be had, and without one nothing is
// asked (RFC 9309, section 2.3.1.4).
func robotsAway(f Facts, items []rows.RunItem) finding {
	now := f.Clock.Now()
	i := slices.IndexFunc(items, func(it rows.RunItem) bool {
		return it.NotBefore.After(now) && strings.Contains(it.Error, "/robots.txt")
	})
	if i < 0 {
		return finding{}
	}
	it := items[i]
	return finding{
		hit:   true,
		say:   fmt.Sprintf("%s waits for the robots.txt of %s, which cannot be had; without one nothing is asked.", asker(f), it.Host),
		lines: append(waitLines(f, atHost(items, it.Host)), Line{"see", "starter why " + it.Host}),
	}
}

// hostPace: hosts, not processors, bound the work, since at each only one request
// at a time is made.
func hostPace(f Facts, items []rows.RunItem) finding {
	names := slices.DeleteFunc(hostsOf(items), func(name string) bool { return !f.host(name).paced() })
	switch {
	case len(names) == 0 || f.Run.Held == 0 && f.Item == nil:
		return finding{}
	case f.Item != nil:
		return itemsTurn(f, *f.Item.Now)
	case len(names) < len(hostsOf(items)) || len(names) >= f.Run.Processors || crowd(f, names[0]) <= 1:
		return finding{}
	}
	return finding{
		hit:   true,
		say:   fmt.Sprintf("run %s goes at the pace of %s: one request at a time, however many processors there are.", f.Run.WorkflowID, strings.Join(names[:min(3, len(names))], ", ")),
		lines: append(paceLines(f, names[0]), progress(f)...),
	}
}

// itemsTurn: others ask the same host.
func itemsTurn(f Facts, it rows.RunItem) finding {
	if crowd(f, it.Host) <= 1 || it.NotBefore.After(f.Clock.Now()) {
		return finding{}
	}
	return finding{
		hit:   true,
		say:   fmt.Sprintf("%s waits for its turn at %s, which is asked by one request at a time.", f.Item.Key, it.Host),
		lines: append(paceLines(f, it.Host), progress(f)...),
	}
}

// crowd counts the items that may be asking a host now.
func crowd(f Facts, name string) int {
	n := len(atHost(f.Run.held(), name)) + len(atHost(f.Run.due(f.Clock.Now()), name))
	for _, w := range f.Others {
		if w.Host == name && w.State == rows.ItemClaimed {
			n++
		}
	}
	return n
}

// paceLines say how a host is asked, and who else asks it.
func paceLines(f Facts, name string) []Line {
	h := f.host(name)
	out := []Line{{"gap", gapText(h)}}
	if slow := hostSlowed(h); slow.hit {
		out = append(out, Line{"slowed", slow.say})
	}
	out = append(out, Line{"there", fmt.Sprintf("%s of the run", print.Count(len(atHost(f.Run.Look, name)), "item"))})
	at := map[string]int{}
	for _, w := range f.Others {
		if w.Host == name {
			at[w.Run]++
		}
	}
	for _, run := range byCount(at) {
		out = append(out, Line{"besides", fmt.Sprintf("run %s: %s", run, print.Count(at[run], "item"))})
	}
	return append(out[:min(len(out), 6)], Line{"see", "starter why " + name})
}

// retrying: nothing is at work, and the next attempt is not due.
func retrying(f Facts) finding {
	if !f.Run.Open() || f.Run.Held > 0 && f.Item == nil {
		return finding{}
	}
	waits := slices.DeleteFunc(waiting(f), func(it rows.RunItem) bool { return !it.NotBefore.After(f.Clock.Now()) })
	if len(waits) == 0 {
		return finding{}
	}
	what := print.Count(len(waits), "item") + " of run " + f.Run.WorkflowID
	if f.Item != nil {
		what = f.Item.Key
	}
	verb := "wait"
	if f.Item != nil || len(waits) == 1 {
		verb = "waits"
	}
	return finding{
		hit: true, say: fmt.Sprintf("%s %s for another attempt, due %s.", what, verb, f.Clock.Full(waits[0].NotBefore)), lines: waitLines(f, waits),
	}
}

func waitLines(f Facts, waits []rows.RunItem) []Line {
	var out []Line
	for _, it := range waits[:min(5, len(waits))] {
		out = append(out, Line{"item", waitText(f, it)})
	}
	if n := len(waits) - 5; n > 0 {
		out = append(out, Line{"", fmt.Sprintf("and %s more", print.Number(n))})
	}
	if !f.Run.Deadline.IsZero() {
		out = append(out, Line{"until", "the run must end by " + f.Clock.Full(f.Run.Deadline)})
	}
	return out
}

func waitText(f Facts, it rows.RunItem) string {
	text := fmt.Sprintf("%s: attempt %d", it.Key, it.Attempts+it.Throttles+1)
	if it.NotBefore.After(f.Clock.Now()) {
		text += " at " + f.Clock.Time(it.NotBefore)
	}
	if before := cmp.Or(it.Error, string(it.Kind)); before != "" {
		text += "; before: " + before
	}
	return text
}
