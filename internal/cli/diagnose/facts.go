package diagnose

import (
	"slices"
	"time"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/engine"
	"github.com/vendemmia/vendemmia/internal/cli/print"
)

// Facts are what is known. Members that could not be had are nil or zero.
type Facts struct {
	Clock   print.Clock
	Subject string
	Store   string // its printable name

	Campaign  *rows.Campaign // nil: not applied
	Effective campaigns.Campaign
	// Server is the schedule on the server; ServerErr why there is none:
	// engine.ErrNotFound, or that Temporal does not answer.
	Server    *engine.Schedule
	ServerErr error

	Run  *Run  // the open run, else the last one
	Item *Item // when the question is about one item
	// Hosts are those that files name, or that rest, are slowed or paused.
	Hosts Hosts
	// OnlyRun: the question is about this very run.
	OnlyRun bool
	// Pollers counts who polls each queue of the campaign; nil: not known.
	Pollers map[string]int
	// Roster are the workers that report to the store and are alive.
	Roster []rows.Worker
	// Unrouted is the worker deployment whose workers get no new runs, as no version
	// of it is current; empty: none.
	Unrouted string
	// Others are items of other open runs that are not closed.
	Others []Waiter
	// Unsent are the campaign's notifications that were tried in vain.
	Unsent []rows.Message
	// Before are the runs before Run that have ended, the newest first.
	Before []rows.Run
}

// Run is a run with what stands out in it.
type Run struct {
	rows.Run
	Totals []rows.OutcomeCount
	// Look are items that need attention, the worst first; of an open run, those that
	// are not closed, those at work first.
	Look []rows.RunItem
	// Place is what the run waits for in its registry's line; nil: it does not.
	Place *rows.Place
	// Held counts items that workers hold.
	Held int
	// EndedThere is how the workflow of an open run has ended in Temporal; empty:
	// it runs, or Temporal does not answer.
	EndedThere string
	// Failing is the error that the steps of an open run fail with for reasons of
	// our own; empty: none.
	Failing string
	// NotModified counts answers "not modified"; Failures the records put aside.
	NotModified int
	Failures    []rows.Failure
	// Focus is the item that the question is about, else the worst of Look, once the
	// run has ended.
	Focus *Focus
}

// Focus is one item of a run that has ended.
type Focus struct {
	rows.RunItem
	// Asked is its last request; nil: none, or cleaned.
	Asked *rows.LedgerLine
	// Good is the item in an earlier run that ended well, and GoodAt that run's end.
	Good   *rows.RunItem
	GoodAt time.Time
}

// Open reports whether the run has not ended.
func (r *Run) Open() bool { return r != nil && r.State != rows.RunClosed }

// due returns the open items that nothing but a free processor is asked for.
func (r *Run) due(now time.Time) (list []rows.RunItem) {
	for _, it := range r.Look {
		if it.State == rows.ItemOpen && !it.NotBefore.After(now) {
			list = append(list, it)
		}
	}
	return list
}

// held returns the items at work.
func (r *Run) held() (list []rows.RunItem) {
	for _, it := range r.Look {
		if it.State == rows.ItemClaimed {
			list = append(list, it)
		}
	}
	return list
}

// Item is an item across runs, and in the run it is in now.
type Item struct {
	rows.Item
	Now *rows.RunItem // nil: in no open run
}

// Waiter is an item that is not closed, and its run.
type Waiter struct {
	Run string
	rows.RunItem
}

// Hosts are hosts by name; "*" is what holds for what the others leave open.
type Hosts map[string]rows.Host

// facts are those of one host; of an unknown one, too.
func (f Facts) host(name string) HostFacts {
	out := HostFacts{Clock: f.Clock, Host: f.Hosts[name]}
	out.Host.Name = name
	if all, ok := f.Hosts["*"]; ok && name != "*" {
		out.Default = &all
	}
	return out
}

// names returns the hosts of items, each once, in their order.
func hostsOf(items []rows.RunItem) (names []string) {
	for _, it := range items {
		if it.Host != "" && !slices.Contains(names, it.Host) {
			names = append(names, it.Host)
		}
	}
	return names
}
