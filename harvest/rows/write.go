package rows

import (
	"errors"
	"fmt"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/units"
	"github.com/vendemmia/vendemmia/internal/visit"
)

// What a write may be refused with. Test with errors.Is.
var (
	// ErrFenced: the claim or the checkpoint version is no longer ours; the page
	// is dropped and the item belongs to somebody else.
	ErrFenced = errors.New("fenced: another worker holds this item, or its checkpoint has moved")
	// ErrStopped: somebody stopped the run. The page of this write was committed; do
	// not ask for the next one.
	ErrStopped = errors.New("the run is being stopped")
	// ErrNotFound: no such thing in this store.
	ErrNotFound = errors.New("not found")
	// ErrDamaged: what is stored is not what was written. `starter store verify`
	// finds out what else is.
	ErrDamaged = errors.New("what is stored is not what was written; starter store verify tells the extent, a backup helps")
	// ErrRestored: the store is of another epoch than the caller knew.
	ErrRestored = errors.New("this store was restored from a copy")
)

// Claim asks for due items of a run: for the one at Ord, or, when it is shared,
// for any of a queue.
//
// An attempt is known by its epoch; it gets nothing once a younger one has asked
// on the same seat (for one item: of the item). What an older attempt on the seat
// still holds, and what attempts from before Dead hold, was running when its
// worker died: it is open again with Lost one more. An item that has lost two
// workers is handed out alone, after all others, so that a poisoned one can only
// kill itself.
type Claim struct {
	Run    int64
	Ord    int64
	Shared bool
	Queue  string
	Seat   int64 // which of the activities that share the queue
	Epoch  int64 // the attempt's start, microseconds since 1970
	Dead   int64 // every attempt that began before is over; 0: not known
	Worker string
	Max    int  // 0: nothing is taken
	Idle   bool // the attempt runs nothing now
	Now    time.Time
}

// Claimed is what a Claim got.
type Claimed struct {
	Items []ClaimedItem
	// Left counts the items asked for that are open and not handed out, up to a
	// hundred (a thousand where nothing was to be taken); NextAt is when the
	// earliest of them is due (zero: none is open). Busy: somebody holds some.
	Left   int
	NextAt time.Time
	Busy   bool
	// Stop and Paused are the run's.
	Stop   string
	Paused string
}

// ClaimedItem is an item with the checkpoint it goes on from and what is known
// of it from earlier runs.
type ClaimedItem struct {
	RunItem
	Campaign   string
	Lane       string
	Checkpoint units.Checkpoint // Version 0: none yet
	// Always: the source listed something the last time it was asked with
	// success.
	Always bool
	Paused *Pause
	// Pass is where the item is with its full passes, in the default lane;
	// FirstSeen when it was first made, and Moved the run that moved the
	// checkpoint last (0: none, or by hand).
	Pass      Pass
	FirstSeen time.Time
	Moved     int64
	// Quarantined: there is something of the item in quarantine that is neither
	// resolved nor accepted.
	Quarantined bool
}

// Write is one atomic step of one item: a page, the end of an attempt, or both.
// Writes of different items are grouped into one transaction; each succeeds or
// fails alone.
type Write struct {
	Run      int64
	Ord      int64
	Epoch    int64 // of the claim
	Item     units.Item
	Lane     string
	Fetcher  string
	At       time.Time
	Page     *PageWrite       // nil: no page
	Settle   *Settle          // nil: the item stays claimed
	Ledger   []visit.Exchange // since the last write
	Raw      []RawPage        // that lines of Ledger name
	Attempt  int
	Worker   string
	Progress Progress
}

// RawPage is a page as it came, compressed. It is stored with the ledger line that
// names its digest.
type RawPage struct {
	Digest string
	Packed []byte // nil: it was large, and is stored already
}

// Progress is done of total, in the source's own units; 0 total: unknown.
type Progress struct {
	Done  int64
	Total int64
}

// PageWrite is a page ready to be committed. Seq is the item's last page plus
// one; (run, ord, seq) is unique, so a page whose COMMIT answer was lost is
// found again rather than stored twice.
type PageWrite struct {
	Seq        int
	Collection string
	Page       harvest.Page
	// Version is the checkpoint version that was read; the new one is one more.
	Version            int64
	Params, Extraction string
	// Sighting, where set, notes what the page lists.
	Sighting *Sighting
}

// Settle ends a claim: closed for good, or open again.
type Settle struct {
	State     ItemState // ItemClosed or ItemOpen
	Outcome   outcomes.Outcome
	Why       string
	Kind      harvest.Kind
	Error     string
	NotBefore time.Time // when open again
	// Queue moves an item that is open again to another queue; empty: as it is.
	Queue string
	// HostRests, where set, is until when the item's host takes no request: its other
	// items of the run that were not tried yet wait as long.
	HostRests time.Time
	// Attempts and Throttles are what is added to the item's own.
	Attempts  int
	Throttles int
	// Evidence is the answer that came instead of the expected one; it is kept among
	// the failures when the item is closed.
	Evidence []byte
	// Evaluate, where set, fills in the other fields once the item's tally of the whole
	// run and its unread records are known, this write's page included: only the store
	// knows which documents of a page are new. It is called inside the transaction, and
	// once more when that is repeated; it must be fast and not use the store. State must
	// be set too, to what Evaluate returns. Written.Outcome is the result.
	Evaluate func(harvest.Tally, Unread) Settle
	// Pass, where set, finishes a pass when the item is closed.
	Pass *PassEnd
}

// Evaluated returns the settle with all fields set, for an item's tally of the run.
func (s Settle) Evaluated(t harvest.Tally, u Unread) Settle {
	if s.Evaluate == nil {
		return s
	}
	judged := s.Evaluate(t, u)
	judged.Evaluate, judged.Pass = s.Evaluate, s.Pass
	return judged
}

// Unread counts the records of an item that could not be read: neither read since,
// nor gone from their source, nor accepted. In the default lane those of all lanes
// count.
type Unread struct {
	Records int
	Since   time.Time // when the oldest of them was first rejected
	Now     int       // rejected by this run
}

// Asking is what was asked for a run apart from its pages: a source for its
// items.
type Asking struct {
	Run     int64
	Item    units.Item // whom the lines are under
	Attempt int
	Worker  string
	Lines   []visit.Exchange
}

// OrdAsking is the ordinal of ledger lines of an Asking: they belong to no item
// of the run.
const OrdAsking = -1

// Written is the answer to one Write. Err is nil, ErrFenced, ErrStopped or what
// the store said; Tally is the page's; Unread is as the write left it; Outcome is
// the item's, where the write settled it.
type Written struct {
	Tally   harvest.Tally
	Unread  Unread
	Outcome outcomes.Outcome
	Err     error
}

// Ref returns "news@7".
func Ref(campaign string, version int) string { return fmt.Sprintf("%s@%d", campaign, version) }
