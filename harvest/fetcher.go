package harvest

import (
	"context"
	"encoding/json"
	"iter"
	"time"
)

// Fetcher acquires documents from one kind of source.
//
// Fetch yields pages until the source has no more. Page n+1 is asked for only
// after page n has been committed, so a fetcher may yield again after any
// committed checkpoint and must be able to go on from it. It may send a few
// requests of the next page before that, marked by ForPage. An error ends the
// sequence; the page beside it is ignored. Errors should be (or wrap) *Error so
// that their Kind decides what happens next; any other error is KindInternal.
//
// A fetcher keeps no state of its own, never sleeps for long, does not retry
// across pages, logs no secrets and returns within a second once ctx ends. It
// may be used by many goroutines at once.
type Fetcher interface {
	Fetch(ctx context.Context, req Request) iter.Seq2[Page, error]
}

// Request says what one Fetch is to bring.
type Request struct {
	// Item is the item's key, for messages only.
	Item string
	// Params are the item's parameters as the campaign file gave them, secrets
	// resolved. DecodeParams turns them into the fetcher's own struct.
	Params json.RawMessage
	// Checkpoint is the last committed one; empty on the first fetch.
	Checkpoint json.RawMessage
	// Window bounds what is asked for; zero ends are open.
	Window Window
	// Limit ends a trial after so many documents; 0 is no limit. In a trial
	// nothing is stored and nothing moves.
	Limit int
	// Again asks for everything the source lists once more: validators and
	// content hashes in the checkpoint are not sent and not compared.
	Again bool
	// Unread are the item's records in quarantine that nobody has accepted, those
	// that were not met for longest first, at most MaxUnread. A fetcher asks for them
	// again where its protocol can: by identifier, by page, by window. See
	// Page.Resolved.
	Unread []Unread
	// Attempt counts from 1; LastAttempt says that no retry will follow.
	Attempt     int
	LastAttempt bool
}

// MaxUnread bounds Request.Unread, and so what a fetch asks for again.
const MaxUnread = 100

// Unread is one record that an earlier fetch could not read.
type Unread struct {
	// ID is Reject.ID, or the digest of the record's bytes where it had none.
	ID string
	// Where is Reject.Where: the fetcher's own note of how to ask for it.
	Where string
	Since time.Time
}

// Window is a span of time, From included, Until not; a zero time is open.
type Window struct {
	From  time.Time `json:"from,omitzero"`
	Until time.Time `json:"until,omitzero"`
}

// IsZero reports whether the window is open at both ends.
func (w Window) IsZero() bool { return w.From.IsZero() && w.Until.IsZero() }

// Contains reports whether a moment lies in the window; one that is not known
// does.
func (w Window) Contains(at time.Time) bool {
	return at.IsZero() || !at.Before(w.From) && (w.Until.IsZero() || at.Before(w.Until))
}

// Describer is a fetcher that describes itself; every fetcher of a Set is one.
type Describer interface {
	Describe() Description
}

// Description is what validation, help, schema and docs know of a fetcher.
type Description struct {
	// Summary is one sentence, without the fetcher's name.
	Summary string
	// Params is the zero value of the params struct; see Fields for its tags.
	Params any
	// Identity names the params that make an item's key when the campaign file
	// gives none. Empty: a hash of all params.
	Identity []string
	// Aliases are former names that campaign files may still use.
	Aliases []string
	// Implied are the params, a JSON object each, that an alias stands for beside
	// the fetcher; what the file says itself outranks them. See Imply.
	Implied map[string]json.RawMessage
	// Protocol is true where robots.txt is not customary (OAI-PMH, documented
	// APIs).
	Protocol bool
}

// Element is one item found by a Splitter: params to lay over the entry's own.
type Element struct {
	Label  string          `json:"label,omitempty"`
	Params json.RawMessage `json:"params"`
}

// Splitter lists an entry's items by asking the source (sets, OPML, sitemap).
// Yielded errors end the sequence; a partial list must end in an error.
type Splitter interface {
	Split(ctx context.Context, req Request) iter.Seq2[Element, error]
}

// Finding is what a Prober saw at an address.
type Finding struct {
	// Sure is from 0 (not this kind of source) to 100 (certainly).
	Sure int `json:"sure"`
	// Title is the source's own name; Detail a line for people.
	Title  string `json:"title,omitempty"`
	Detail string `json:"detail,omitempty"`
	// Facts are what one compares sources by, in a fixed order: one column each
	// in a table of many.
	Facts []Fact `json:"facts,omitempty"`
	// Params are a ready beginning of a campaign entry.
	Params json.RawMessage `json:"params,omitempty"`
}

// Fact is one thing a Prober found out: "granularity", "YYYY-MM-DD".
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Prober says what is at the other end of an address. It asks at most three
// requests and stores nothing.
type Prober interface {
	Probe(ctx context.Context, address string) (Finding, error)
}

// Counter says how many documents the source claims to have for a request.
type Counter interface {
	Count(ctx context.Context, req Request) (int64, error)
}

// Replayable marks a fetcher whose positions may be asked for again at any
// time, so that the runner may read one page ahead.
type Replayable interface {
	Replayable()
}

// Exhaustive marks a fetcher that lists everything its source holds for an item
// when it starts without a checkpoint. Only then may a full pass (`refresh`)
// take what it did not list for deleted.
type Exhaustive interface {
	Exhaustive()
}

// Resumer makes the checkpoint by which a fetch goes on from a position that a
// person or another harvester knows: "from" is a time as the source writes it.
// An unknown name or a value that is none is a KindMisconfigured error that
// says what there is.
type Resumer interface {
	Resume(req Request, position map[string]string) (json.RawMessage, error)
}

// Continuer is a fetcher that says which changes of params its checkpoints
// outlive: what plans promise. It decides by the code that it asks itself when it
// fetches.
type Continuer interface {
	// Continues reports whether an item whose params change goes on from its
	// checkpoint. An empty checkpoint stands for any that the params before made.
	// Where it does not, why says in a clause what happens instead.
	Continues(checkpoint, before, now json.RawMessage) (ok bool, why string)
}

// Keeper is a fetcher whose checkpoints know something that a full pass must not
// forget, such as how documents are named. Keep returns the checkpoint with which
// a pass begins: with it everything is listed as without any; nil is none.
type Keeper interface {
	Keep(checkpoint json.RawMessage) json.RawMessage
}
