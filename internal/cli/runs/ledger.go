package runs

import (
	"context"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/program"
)

// asked sums up what a run asked for.
type asked struct {
	Requests    int           `json:"requests"`
	Repeats     int           `json:"repeats"`
	NotModified int           `json:"not_modified"`
	Bytes       int64         `json:"bytes"`
	Hosts       int           `json:"hosts"`
	Workers     int           `json:"workers"`
	HostWaits   time.Duration `json:"waited_for_hosts"`
	// SourceWaits is how long attempts stood still because a source asked for
	// rest.
	SourceWaits time.Duration `json:"waited_for_sources"`
}

// attempt is one try of one item, by its last exchange.
type attempt struct {
	N          int           `json:"attempt"`
	At         time.Time     `json:"at"`
	Worker     string        `json:"worker,omitempty"`
	Status     int           `json:"status,omitempty"`
	Bytes      int64         `json:"bytes,omitempty"`
	RetryAfter time.Duration `json:"retry_after,omitempty"`
	Kind       harvest.Kind  `json:"kind,omitempty"`
	Error      string        `json:"error,omitempty"`
	Note       string        `json:"note,omitempty"`
	Raw        string        `json:"raw,omitempty"` // digest of the page as it came
	Requests   int           `json:"requests"`
}

// reading is a pass over a run's exchanges. Attempts are kept for the wanted
// items only: a run may have a million.
type reading struct {
	sum     asked
	wanted  map[int64][]attempt // by ordinal
	told    map[int64]rows.LedgerLine
	again   map[int64]int // the last attempt of an item, where it is not the first
	hosts   map[string]bool
	workers map[string]bool
}

// readLedger sums up a run's exchanges and returns the attempts of the wanted
// items.
func readLedger(ctx context.Context, s program.Store, r rows.Run, wanted []rows.RunItem) (map[int64][]attempt, asked, error) {
	rd := reading{
		wanted: map[int64][]attempt{}, told: map[int64]rows.LedgerLine{}, again: map[int64]int{}, hosts: map[string]bool{}, workers: map[string]bool{},
	}
	for _, it := range wanted {
		rd.wanted[it.Ord] = nil
	}
	for line, err := range s.Ledger(ctx, rows.LedgerFilter{Run: r.ID}) {
		if err != nil {
			return nil, rd.sum, err
		}
		rd.add(line)
	}
	rd.sum.Hosts, rd.sum.Workers = len(rd.hosts), len(rd.workers)
	return rd.wanted, rd.sum, nil
}

func (rd *reading) add(l rows.LedgerLine) {
	rd.sum.Requests++
	rd.sum.Bytes += l.Bytes
	rd.sum.HostWaits += l.Waited
	rd.repeat(l)
	if l.Status == 304 {
		rd.sum.NotModified++
	}
	rd.hosts[l.Host] = true
	if l.Worker != "" {
		rd.workers[l.Worker] = true
	}
	rd.rest(l)
	if list, ok := rd.wanted[l.Ord]; ok {
		rd.wanted[l.Ord] = tried(list, l)
	}
}

// repeat counts the first request of each further attempt: with it the page that
// did not come is asked for again, and what follows is new.
func (rd *reading) repeat(l rows.LedgerLine) {
	if l.Attempt > 1 && rd.again[l.Ord] != l.Attempt {
		rd.again[l.Ord] = l.Attempt
		rd.sum.Repeats++
	}
}

// rest counts the time between an answer that asked for rest and the next
// attempt.
func (rd *reading) rest(l rows.LedgerLine) {
	if before, ok := rd.told[l.Ord]; ok && before.Attempt != l.Attempt {
		rd.sum.SourceWaits += max(0, l.At.Sub(before.At))
	}
	delete(rd.told, l.Ord)
	if l.RetryAfter > 0 {
		rd.told[l.Ord] = l
	}
}

// tried appends a line to its item's attempts; of one attempt the last exchange
// stays.
func tried(list []attempt, l rows.LedgerLine) []attempt {
	requests := 1
	if n := len(list); n > 0 && list[n-1].N == l.Attempt {
		requests += list[n-1].Requests
		list = list[:n-1]
	}
	return append(list, attempt{
		N: l.Attempt, At: l.At, Worker: l.Worker, Status: l.Status, Bytes: l.Bytes, RetryAfter: l.RetryAfter,
		Kind: l.Kind, Error: l.Error, Note: l.Note, Raw: l.Raw, Requests: requests,
	})
}
