package rows

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/vendemmia/vendemmia/internal/units"
)

// Pass is where an item is with its full passes: harvests from an empty
// checkpoint after which what the source no longer lists is deleted.
type Pass struct {
	// Number is that of the pass under way, else of the last one; 0: there was
	// none.
	Number int `json:"pass,omitempty"`
	// Begun is when the pass under way began; zero: none is.
	Begun time.Time `json:"begun,omitzero"`
	// Listed: the list of the pass under way is whole, and what is not on it is
	// being deleted.
	Listed bool `json:"listed,omitempty"`
	// DoneAt is when a pass last ended that could be trusted.
	DoneAt time.Time `json:"done_at,omitzero"`
	// TriedAt is when one ended that could not, and deleted nothing; zero once
	// another one could. Note says why; beside a pass under way, what is known
	// against it already.
	TriedAt time.Time `json:"tried_at,omitzero"`
	Note    string    `json:"note,omitempty"`
	// Kept is what the last pass that could be trusted left alive, because other
	// items still list it.
	Kept []Kept `json:"held,omitempty"`
	// Run is the run that last noted what the item listed. A checkpoint of
	// another run was moved without it.
	Run int64 `json:"-"`
}

// UnderWay reports whether a pass was begun and has not ended.
func (p Pass) UnderWay() bool { return !p.Begun.IsZero() }

// passAgain is the part of the time between passes after which one is made again
// that could not be trusted: soon, but a source with a lasting defect is not
// listed whole at every run.
const passAgain = 10

// Next is when the next pass is due of an item that has none under way. The first
// one is counted from when the item was first seen.
func (p Pass) Next(refresh time.Duration, firstSeen time.Time) time.Time {
	since := firstSeen
	if !p.DoneAt.IsZero() {
		since = p.DoneAt
	}
	due := since.Add(refresh)
	if again := p.TriedAt.Add(refresh / passAgain); !p.TriedAt.IsZero() && again.After(due) {
		return again
	}
	return due
}

// Sighting says that the documents and rejects of a page are noted as listed by
// the item.
type Sighting struct {
	Pass int
	// Unlisted: pages were committed before this one without being noted.
	Unlisted bool
}

// PassStart begins a pass of a claimed item, in place of one that is under way.
// Its checkpoint is emptied, so that the source lists everything.
type PassStart struct {
	Run   int64
	Ord   int64
	Epoch int64 // of the claim
	Item  units.Item
	Lane  string
	At    time.Time
	// Params and Extraction are the fingerprints that the checkpoint bears from
	// now on.
	Params, Extraction string
	// Kept is the checkpoint to begin with; empty is none.
	Kept json.RawMessage
}

// Sweep deletes, after the list of a pass was whole, what is no longer on it: at
// most a thousand documents a call, all of them or none.
//
// A document goes when the item listed it before but not in this pass, and no
// other item lists it. Else it stays, and is another item's from now on. Items in
// no file list nothing.
type Sweep struct {
	Run        int64
	Ord        int64
	Epoch      int64 // of the claim
	Item       units.Item
	Collection string
	Pass       int
	At         time.Time
	// Entries are those of the campaign, as it is defined now; an item of another
	// entry is in no file. The item's own is always among them.
	Entries []string
	// Whole: the run holds all items of its entries that there are today; others of
	// these entries are in no file.
	Whole bool
	// After is the Next of the call before; zero: from the beginning, which is
	// always right.
	After SweepPlace
}

// SweepPlace is how far a sweep has come. Only the store reads it.
type SweepPlace struct {
	ID     string // of the last listing looked at
	Before bool   // documents that were stored without being noted are looked at
	Number int64  // of the last change looked at
	Done   bool   // nothing is left
}

// Kept counts documents that an item no longer lists and that stay, because
// another one does.
type Kept struct {
	Item      units.Item `json:"item"`
	Documents int        `json:"documents"`
}

// AddKept adds what further steps found, in the order of the first.
func AddKept(to, more []Kept) []Kept {
	for _, h := range more {
		i := slices.IndexFunc(to, func(o Kept) bool { return o.Item == h.Item })
		if i < 0 {
			to = append(to, h)
			continue
		}
		to[i].Documents += h.Documents
	}
	return to
}

// Swept is the answer to one Sweep.
type Swept struct {
	Deleted int
	// Kept is what stays, of what this call looked at.
	Kept []Kept
	Next SweepPlace
	// Void says why the pass cannot be trusted; nothing was deleted then. Empty:
	// the reason is that it listed nothing at all, where there always was
	// something.
	Void  string
	Empty bool
}

// PassEnd finishes a pass with the settle that closes its item. Void is why it
// could not be trusted.
type PassEnd struct {
	Number int
	Void   string
	Kept   []Kept // of all sweeps
}
