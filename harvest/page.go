package harvest

import (
	"encoding/json"
	"fmt"
)

// Limits of a page. A page is fetched again after a crash, ends within thirty seconds
// when a worker stops, and is committed as a whole.
const (
	MaxPageDocuments = 1000
	MaxPageRequests  = 20
)

// Page is one step of a fetch: documents and the checkpoint after them.
type Page struct {
	Documents []Document
	// Checkpoint is the position to continue from after this page: any JSON value.
	Checkpoint json.RawMessage
	// Listed counts the entries that the source listed on this page, new or not. It
	// distinguishes an empty source from an unchanged one.
	Listed int
	// NotModified is true if the source reported no changes instead of a list (HTTP
	// 304, noRecordsMatch, an equal content hash).
	NotModified bool
	// Partial is true if the page is known to be incomplete; Warnings give the reasons.
	Partial  bool
	Warnings []string
	// Same counts listed entries that are known to be unchanged (a 304 for their page,
	// an equal hash) and have no Document here. Listed is the sum of Same, Documents and
	// Rejects.
	Same int
	// Rejects are records that could not be read. They go into quarantine; a record
	// that is already there stays the same entry.
	Rejects []Reject
	// Resolved lists the IDs of Request.Unread that need no further request: they were
	// read, under whatever document id, or no longer exist. A document with the ID of an
	// unread record resolves it without being listed here.
	Resolved []string
	// Done and Total are progress in the source's own units; Total is 0 if unknown.
	Done, Total int64
	// Last is true if no page follows, so that the same transaction can close the item.
	// It may always be false; closing then takes a second transaction.
	Last bool
}

// Reject is a record that could not be read.
type Reject struct {
	// ID is the record's identity at its source; empty if that cannot be read.
	ID     string `json:"id,omitempty"`
	Reason string `json:"reason"`
	Bytes  []byte `json:"bytes,omitempty"`
	// Where is what the fetcher needs to request this record again: an address,
	// identifier or window. It returns as Unread.Where. It must not hold a secret.
	Where string `json:"where,omitempty"`
}

// Check returns a KindInternal error for a page that breaks the contract: too many
// documents, a checkpoint that is not JSON, a document without an id.
func (p *Page) Check() error {
	if n := len(p.Documents); n > MaxPageDocuments {
		return breach("a page of %d documents; at most %d", n, MaxPageDocuments)
	}
	if len(p.Checkpoint) > 0 && !json.Valid(p.Checkpoint) {
		return breach("a checkpoint that is not JSON")
	}
	for i := range p.Documents {
		if p.Documents[i].ID == "" {
			return breach("document %d of a page has no id", i+1)
		}
	}
	return nil
}

func breach(format string, args ...any) error {
	return &Error{Kind: KindInternal, Op: "check page", Err: fmt.Errorf("the fetcher yielded "+format, args...)}
}
