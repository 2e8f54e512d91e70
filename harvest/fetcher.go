package harvest

import (
	"context"
	"encoding/json"
	"iter"
	"time"
)

// Fetcher acquires documents from one kind of source.
//
// Fetch yields pages until the source has no more. The caller asks for page n+1 only
// after it has committed page n, and a later Fetch continues from the checkpoint of any
// committed page. A fetcher may send a few requests of the next page early, marked by
// ForPage. An error ends the sequence; the page yielded with it is ignored. Errors should
// be or wrap *Error: their Kind decides what happens next. Any other error counts as
// KindInternal.
//
// A fetcher keeps no state, does not sleep for long, does not retry across pages, logs no
// secrets and returns within a second after ctx ends. Many goroutines may use it at once.
type Fetcher interface {
	Fetch(ctx context.Context, req Request) iter.Seq2[Page, error]
}

// Request is what one Fetch is asked for.
type Request struct {
	// Item is the item's key, for messages only.
	Item string
	// Params are the item's parameters from the campaign file, with secrets resolved.
	// DecodeParams decodes them into the fetcher's own struct.
	Params json.RawMessage
	// Checkpoint is that of the last committed page; empty on the first fetch.
	Checkpoint json.RawMessage
	// Window limits the fetch to a span of time; zero ends are open.
	Window Window
	// Limit ends a trial after this many documents; 0 is no limit. A trial stores
	// nothing and keeps the checkpoint.
	Limit int
	// ForceRefresh asks for everything the source lists: validators in the checkpoint
	// are not sent and its content hashes are not compared.
	ForceRefresh bool
	// Unread are the item's quarantined records that nobody has accepted, at most
	// MaxUnread, those not seen for longest first. A fetcher requests them again if
	// its protocol allows it: by identifier, page or window. See Page.Resolved.
	Unread []Unread
	// Attempt counts from 1; LastAttempt is true if no retry will follow.
	Attempt     int
	LastAttempt bool
}

// MaxUnread is the most records in Request.Unread.
const MaxUnread = 100

// Unread is one record that an earlier fetch could not read.
type Unread struct {
	// ID is Reject.ID, or the digest of the record's bytes if that was empty.
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

// Contains reports whether at is in the window; the zero time, an unknown date, is.
func (w Window) Contains(at time.Time) bool {
	return at.IsZero() || !at.Before(w.From) && (w.Until.IsZero() || at.Before(w.Until))
}

// Describer is a fetcher that describes itself. Every fetcher of a fetchers.Set is one.
type Describer interface {
	Describe() Description
}

// Description is what validation, help, schema and docs show of a fetcher.
type Description struct {
	// Summary is one sentence, without the fetcher's name.
	Summary string
	// Params is the zero value of the params struct; DecodeParams lists its tags.
	Params any
	// Identity names the params that make an item's key if the campaign file sets
	// none; empty means a hash of all params.
	Identity []string
	// Aliases are former names that campaign files may still use.
	Aliases []string
	// Implied holds, by alias, params that the alias implies, as a JSON object. Params
	// in the file take precedence. See Imply.
	Implied map[string]json.RawMessage
	// Retired are names that campaign files used and no fetcher answers to, each with
	// what to use instead.
	Retired map[string]string
	// Protocol is true for protocols and documented APIs, such as OAI-PMH, where
	// robots.txt does not apply.
	Protocol bool
}

// Element is one item found by a Splitter. Its params are merged over the entry's.
type Element struct {
	Label  string          `json:"label,omitempty"`
	Params json.RawMessage `json:"params"`
}

// Splitter is a fetcher that asks the source for an entry's items (sets, OPML, sitemap).
// An error ends the sequence; an incomplete list must end with an error.
type Splitter interface {
	Split(ctx context.Context, req Request) iter.Seq2[Element, error]
}

// Finding is what a Prober saw at an address.
type Finding struct {
	// Sure is from 0, not this kind of source, to 100, certainly this kind.
	Sure int `json:"sure"`
	// Title is the source's own name; Detail a line for people.
	Title  string `json:"title,omitempty"`
	Detail string `json:"detail,omitempty"`
	// Facts are comparable properties of the source, in a fixed order: a table of many
	// sources has a column for each.
	Facts []Fact `json:"facts,omitempty"`
	// Params are params for a campaign entry.
	Params json.RawMessage `json:"params,omitempty"`
}

// Fact is a property of a source, for example "granularity", "YYYY-MM-DD".
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Prober is a fetcher that examines an address. It sends at most three requests and
// stores nothing.
type Prober interface {
	Probe(ctx context.Context, address string) (Finding, error)
}

// Exhaustive marks a fetcher that lists everything its source holds for an item when it
// starts without a checkpoint. Only then a full pass (`refresh`) deletes documents that
// were not listed.
type Exhaustive interface {
	Exhaustive()
}

// Resumer is a fetcher that makes a checkpoint from a position that a person or another
// harvester knows, for example "from": a time as the source writes it. Unknown names and
// invalid values return a KindMisconfigured error that lists the accepted names.
type Resumer interface {
	Resume(req Request, position map[string]string) (json.RawMessage, error)
}

// Continuer is a fetcher that knows which changes of params its checkpoints survive;
// `plan` shows the answer. Fetch must use the same code.
type Continuer interface {
	// Continues reports whether an item whose params change from before to now
	// continues from its checkpoint; if not, why says what happens instead, as a
	// clause. An empty checkpoint stands for any made from the params before.
	Continues(checkpoint, before, now json.RawMessage) (ok bool, why string)
}

// Keeper is a fetcher whose checkpoints hold something that a full pass needs, such as
// the naming of documents. Keep returns the checkpoint that the pass starts with, or nil.
// A fetch from it must list everything, as a fetch without a checkpoint does.
type Keeper interface {
	Keep(checkpoint json.RawMessage) json.RawMessage
}
