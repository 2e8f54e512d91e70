package oaipmh

import (
	"encoding/json"
	"time"

	"github.com/vendemmia/vendemmia/fetchers/internal/pages"
	"github.com/vendemmia/vendemmia/harvest"
)

// checkpoint is the position of an item. Its size does not depend on the repository's.
type checkpoint struct {
	// Made is the fingerprint of url, set and prefix. If it changes, the harvest starts
	// from the beginning.
	Made string `json:"made,omitempty"`
	// From is where the next harvest begins: AsOf, the repository's clock at the
	// first response of the last one, minus the overlap.
	From time.Time `json:"from,omitzero"`
	AsOf time.Time `json:"as_of,omitzero"`
	// Granularity and Earliest are from Identify, or were found to work.
	Granularity granularity `json:"granularity,omitempty"`
	Earliest    time.Time   `json:"earliest,omitzero"`
	// Had: the set had records; Confirmed is when it was last known to exist, on
	// the repository's clock.
	Had       bool      `json:"had,omitempty"`
	Confirmed time.Time `json:"confirmed,omitzero"`
	// Identity requests uncompressed bodies, because compressed ones were damaged.
	Identity bool `json:"identity,omitempty"`
	// Moved is the fingerprint for the target of a permanent redirect: if the params
	// change to that address, the item continues.
	Moved  string `json:"moved,omitempty"`
	Naming naming `json:"naming,omitzero"`
	// Live is an unfinished harvest. Window is an unfinished harvest of a requested
	// window, which moves nothing else.
	Live   *pass `json:"live,omitempty"`
	Window *pass `json:"window,omitempty"`
}

// pass is an unfinished harvest: the current list and the remaining spans.
type pass struct {
	// Bounds are what it set out to harvest; Again whether it was to bring all
	// once more, Full whether it began at the beginning.
	Bounds span `json:"bounds,omitzero"`
	Again  bool `json:"again,omitempty"`
	Full   bool `json:"full,omitempty"`
	// First is the repository's clock at the first response.
	First time.Time `json:"first,omitzero"`
	// Todo are the spans after At, the next one last.
	Todo []span `json:"todo,omitempty"`
	At   *list  `json:"at,omitempty"`
	// Read and Taken count the responses and records since the harvest began, or
	// was cut at max_pages.
	Read  int64 `json:"read,omitempty"`
	Taken int64 `json:"taken,omitempty"`
	// Seen counts the records of lists that have ended. Cut: it was cut into
	// windows.
	Seen int64 `json:"seen,omitempty"`
	Cut  bool  `json:"cut,omitempty"`
}

// list is one unfinished ListRecords: a request and the progress of its tokens.
type list struct {
	span
	// Token asks for the next response, "" for the first; Expires is on our clock.
	Token   string    `json:"token,omitempty"`
	Expires time.Time `json:"expires,omitzero"`
	// Skip records of the response that is asked for next were committed; SkipID
	// is the last of them.
	Skip   int    `json:"skip,omitempty"`
	SkipID string `json:"skip_id,omitempty"`
	// Pages and Seen count responses and records; Size is completeListSize plus
	// one, 0 when it was not told.
	Pages int64 `json:"pages,omitempty"`
	Seen  int64 `json:"seen,omitempty"`
	Size  int64 `json:"size,omitempty"`
	loops
	order
	// Member: the first response named the set in its headers; Dublin: it held
	// Dublin Core. Later ones must do so too.
	Member bool `json:"member,omitempty"`
	Dublin bool `json:"dublin,omitempty"`
	// Tries counts restarts that came no further than Best records.
	Tries int   `json:"tries,omitempty"`
	Best  int64 `json:"best,omitempty"`
	// Trust is what must hold when a list was restarted at its last datestamp.
	Trust *trust `json:"trust,omitempty"`
}

// order is what a list showed of its datestamps.
type order struct {
	Low  time.Time `json:"low,omitzero"`
	High time.Time `json:"high,omitzero"`
	// Rises counts steps up; Falls: there was one down, or order is not to be
	// relied on. Before counts the records before those of High.
	Rises  int   `json:"rises,omitempty"`
	Falls  bool  `json:"falls,omitempty"`
	Before int64 `json:"before,omitempty"`
}

// trust is in the order of datestamps: of the list from From, Before records came
// before the restart, and Size were told.
type trust struct {
	From   time.Time `json:"from,omitzero"`
	Size   int64     `json:"size"`
	Before int64     `json:"before"`
}

// readCheckpoint reads a checkpoint; an unreadable one counts as none.
func readCheckpoint(raw json.RawMessage) checkpoint { return pages.Read[checkpoint](raw, nil) }

// holds reports whether the harvest of these params continues from the checkpoint.
func (c checkpoint) holds(made string) bool {
	return made == c.Made || c.Moved != "" && made == c.Moved
}

// restore reads a checkpoint; one of another source counts as none.
func restore(raw json.RawMessage, made string) checkpoint {
	c := readCheckpoint(raw)
	if !c.holds(made) {
		c = checkpoint{}
	}
	c.Made = made
	return c
}

func (c checkpoint) raw() json.RawMessage { return pages.Write(c) }

// made is the fingerprint of the params that decide which records there are.
func (p Params) made() string {
	s, _ := harvest.Fingerprint([]string{p.URL, p.Set, p.prefix(), p.From}) // text: it cannot fail
	return s
}

// Resume is harvest.Resumer: "from" is the date at which the next harvest begins.
func (f *Fetcher) Resume(req harvest.Request, position map[string]string) (json.RawMessage, error) {
	params, err := harvest.DecodeParams[Params](req.Params)
	if err != nil {
		return nil, err
	}
	for name := range position {
		if name != "from" {
			return nil, harvest.Errorf(harvest.KindMisconfigured, "go on from", name, "no such position; the only one is from=DATE")
		}
	}
	from, ok := parseTime(position["from"])
	if !ok {
		return nil, harvest.Errorf(harvest.KindMisconfigured, "go on from", "from", "%q is not a date; write 2026-05-01 or 2026-05-01T10:00:00Z", position["from"])
	}
	return checkpoint{Made: params.made(), From: from}.raw(), nil
}
