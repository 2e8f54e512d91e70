package harvest

import (
	"encoding/json"
	"fmt"
)

// Bounds of a page: small enough to be asked for twice, to drain in thirty
// seconds and to be committed whole.
const (
	MaxPageDocuments = 1000
	MaxPageRequests  = 20
)

// Page is one step of a fetcher: documents plus the checkpoint after them.
type Page struct {
	Documents []Document
	// Checkpoint is where to go on after this page is committed: any JSON value.
	Checkpoint json.RawMessage
	// Listed counts the entries the source listed on this page, new or not. It
	// is what tells an empty source from an unchanged one.
	Listed int
	// NotModified says that the source answered "nothing new" without a list
	// (HTTP 304, noRecordsMatch, an equal content hash).
	NotModified bool
	// Partial says that the page is known to be incomplete; Warnings say why.
	Partial  bool
	Warnings []string
	// Same counts listed entries that are known to be unchanged and that no
	// document stands for: a 304 for their page, an equal hash. Listed is the sum
	// of Same, Documents and Rejects.
	Same int
	// Rejects are records that could not be read; they are quarantined. A record
	// that is rejected again keeps its place there.
	Rejects []Reject
	// Resolved names those of Request.Unread that need no further request: they
	// were read, whatever their document's id, or the source has them no longer. A
	// document whose id is that of an unread record resolves it by itself.
	Resolved []string
	// Done and Total are progress in the source's own units; Total is 0 when
	// the source does not tell.
	Done, Total int64
	// Last promises that no page follows, so that the item can be closed in the
	// same transaction. Leaving it false is always right, only slower.
	Last bool
}

// Reject is one record that could not be read: its bytes and the reason.
type Reject struct {
	// ID is the record's identity at its source; empty where it has none that can
	// be read.
	ID     string `json:"id,omitempty"`
	Reason string `json:"reason"`
	Bytes  []byte `json:"bytes,omitempty"`
	// Where is what the fetcher needs to ask for this record again: an address, an
	// identifier, a window. It comes back as Unread.Where; it holds no secret.
	Where string `json:"where,omitempty"`
}

// Check reports a breach of the page contract as a KindInternal error.
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
