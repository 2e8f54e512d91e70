package planner

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/wording"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// Estimate is the expected cost of a campaign, as far as its files show it.
type Estimate struct {
	Items int `json:"items"`
	// Asked is true if a source supplies the items, so that there are more than
	// counted.
	Asked bool `json:"asked,omitempty"`
	// Hosts counts the hosts of items with a known address. Host is set if all are on
	// one host.
	Hosts int    `json:"hosts,omitempty"`
	Host  string `json:"host,omitempty"`
	// AtATime is how many items can work at a time given the connections of the hosts;
	// 0: unknown.
	AtATime int `json:"at_a_time,omitempty"`
	// Gap is the gap of Host: one request per gap, independent of the number of
	// processors.
	Gap time.Duration `json:"gap,omitempty"`
	// RequestsPerDay is derived from the last runs if there were any (Seen), otherwise
	// it assumes one request per item, the minimum. ActionsPerMonth are Temporal's.
	RequestsPerDay  int  `json:"requests_per_day,omitempty"`
	Seen            bool `json:"seen,omitempty"`
	ActionsPerMonth int  `json:"actions_per_month,omitempty"`
	// Budget is what is used of the campaign's limits.
	Budget []BudgetUse `json:"budget,omitempty"`
}

// runsSeen is how many recent runs are averaged.
const runsSeen = 10

// actionsPerRun counts the Temporal actions of a run besides its chunks: three for a
// scheduled start, one each for OpenRun and CloseRun, one upsert of attributes.
const actionsPerRun = 6

// askedPerRun is the mean number of requests of the last runs that did work; 0 if there
// were none.
func (r *Planner) askedPerRun(ctx context.Context, campaign string) (float64, error) {
	last, err := r.store.Runs(ctx, rows.RunFilter{Campaign: campaign, States: []rows.RunState{rows.RunClosed}, Limit: runsSeen})
	if err != nil {
		return 0, fmt.Errorf("read the last runs of %s: %w", campaign, err)
	}
	asked, n := 0, 0
	for _, run := range last {
		if run.Tally.Asked > 0 {
			asked, n = asked+run.Tally.Asked, n+1
		}
	}
	return float64(asked) / float64(max(1, n)), nil
}

// estimate computes the cost; seen is the number of requests per run, 0 if unknown.
func (r *Planner) estimate(s campaigns.Source, rules map[string]campaigns.Host, seen float64, now time.Time) Estimate {
	var e Estimate
	perHost, unknown, activities := map[string]int{}, 0, 0
	for _, entry := range s.Campaign.Entries {
		rows := s.Rows(entry)
		if entry.Split != nil && entry.Split.Ask != "" {
			e.Asked = true
			rows = append(rows[:len(rows):len(rows)], campaigns.Row{})
			activities++ // Expand
		}
		e.Items += len(rows)
		unknown += r.countHosts(entry, rows, perHost)
	}
	if e.Asked {
		activities++ // SealRun
	}
	chunk := steps.ChunkSize(s.Campaign.Chunk, e.Items)
	activities += (e.Items + chunk - 1) / chunk
	e.Hosts = len(perHost)
	if unknown == 0 {
		if e.Host, e.AtATime = bottleneck(perHost, rules); e.Host != "" {
			e.Gap = gap(e.Host, rules)
		}
	}
	if s.Campaign.Schedule != nil {
		perDay, perRun := s.Campaign.Schedule.PerDay(now), float64(e.Items)
		if e.Seen = seen > 0; e.Seen {
			perRun = seen
		}
		e.RequestsPerDay = int(perDay*perRun + 0.5)
		e.ActionsPerMonth = int(perDay*365.25/12*float64(activities+actionsPerRun) + 0.5)
	}
	return e
}

// countHosts adds an entry's items by host and returns how many have no known host.
func (r *Planner) countHosts(e campaigns.Entry, rows []campaigns.Row, perHost map[string]int) int {
	unknown := 0
	fallback := r.defaultURL(e)
	for _, row := range rows {
		address := cmp.Or(textParam(row.Params, "url"), textParam(e.Params, "url"), fallback)
		host := campaigns.HostOf(address)
		if host == "" {
			unknown++
			continue
		}
		perHost[host]++
	}
	return unknown
}

// defaultURL is the built-in address of a fetcher with only one source.
func (r *Planner) defaultURL(e campaigns.Entry) string {
	for _, f := range r.fields(e.Fetcher) {
		if f.Name == "url" {
			return f.Default
		}
	}
	return ""
}

func (e Estimate) warnings(processors int) []string {
	few := e.AtATime > 0 && e.AtATime < processors && e.AtATime < e.Items
	switch {
	case e.Host != "" && e.Gap > 0 && processors > 1 && e.Items > 1:
		return []string{fmt.Sprintf("processors %d, but all items are on one host: %s at a time, and one request per gap of %s (at most %s); more processors do not make that faster (hosts: %s)",
			processors, wording.Count(min(e.AtATime, processors), "item"), durationWords(e.Gap), perGap(e.Gap), e.Host)}
	case few && e.Host != "":
		return []string{fmt.Sprintf("processors %d, but all items are on one host with %s: %d will work at a time (hosts: %s)", processors, wording.Count(e.AtATime, "connection"), e.AtATime, e.Host)}
	case few:
		return []string{fmt.Sprintf("processors %d, but the %d hosts of the items allow %s: %d will work at a time", processors, e.Hosts, wording.Count(e.AtATime, "connection"), e.AtATime)}
	}
	return nil
}

// perGap formats the rate that a gap allows: "60 a minute".
func perGap(gap time.Duration) string {
	for _, span := range []struct {
		d    time.Duration
		word string
	}{{time.Minute, "a minute"}, {time.Hour, "an hour"}} {
		if n := span.d / gap; n > 0 {
			return wording.Number(int64(n)) + " " + span.word
		}
	}
	return "less than one an hour"
}
