package feed

import (
	"encoding/json"
	"hash/fnv"
	"strconv"

	"github.com/vendemmia/vendemmia/fetchers/internal/answer"
	"github.com/vendemmia/vendemmia/fetchers/internal/pages"
	"github.com/vendemmia/vendemmia/harvest"
)

// checkpoint is where an item goes on. It is small whatever the feed's size.
type checkpoint struct {
	// Made is the fingerprint of the params it was made with.
	Made string `json:"made,omitempty"`
	// URL is where permanent redirects led from the configured address.
	URL string `json:"url,omitempty"`
	// ETag and LastModified are the validators of the feed itself, as they came;
	// Hash is the digest of its body; Listed counts its entries. They are set
	// only when the feed was read whole and without a fault, so that a fault is
	// seen again.
	ETag         string `json:"etag,omitempty"`
	LastModified string `json:"last_modified,omitempty"`
	Hash         string `json:"hash,omitempty"`
	Listed       int    `json:"listed,omitempty"`
	// Seen are short hashes of the ids at the beginning of the feed: where they
	// come again, older pages are known.
	Seen []string `json:"seen,omitempty"`
	// Part is a document that was yielded up to entry Skip.
	Part *part `json:"part,omitempty"`
	// Walk is a way through older pages that has not come to its end.
	Walk *walk `json:"walk,omitempty"`
}

type part struct {
	URL  string `json:"url"`
	Hash string `json:"hash"`
	Skip int    `json:"skip"`
}

// walk is the next page to ask for, and how many were read with how many
// entries. It ends at a page that has an entry of Known; without any it goes to
// the last page there is.
type walk struct {
	URL     string   `json:"url"`
	Known   []string `json:"known,omitempty"`
	Pages   int      `json:"pages"`
	Entries int      `json:"entries"`
	// Run is what was read of it in this run.
	Run amount `json:"run"`
}

const maxSeen = 40

// readCheckpoint reads a checkpoint; one that cannot be read is as none.
func readCheckpoint(raw json.RawMessage) checkpoint { return pages.Read[checkpoint](raw, nil) }

// holds reports a checkpoint from which these params go on.
func (c checkpoint) holds(made string) bool { return c.Made == made }

// restore reads a checkpoint. One of other params keeps what is known of ids
// alone, unless its way was not at its end: that is begun again.
func restore(raw json.RawMessage, made string) checkpoint {
	c := readCheckpoint(raw)
	switch {
	case c.holds(made):
	case c.Walk == nil:
		c = checkpoint{Seen: c.Seen}
	default:
		c = checkpoint{}
	}
	c.Made = made
	return c
}

func (c checkpoint) raw() json.RawMessage { return pages.Write(c) }

func (c checkpoint) validators() answer.Validators {
	return answer.Validators{ETag: c.ETag, LastModified: c.LastModified}
}

// forget drops what would keep the feed from being read.
func (c *checkpoint) forget() { c.ETag, c.LastModified, c.Hash, c.Listed = "", "", "", 0 }

// moved keeps a permanent move: the feed is asked for there from now on.
func (c *checkpoint) moved(a answer.Answer) {
	if a.Moved != "" {
		c.URL = a.Moved
	}
}

func shorten(id string) string {
	h := fnv.New32a()
	h.Write([]byte(id)) // a hash never fails
	return strconv.FormatUint(uint64(h.Sum32()), 36)
}

func seenOf(docs []harvest.Document) []string {
	var seen []string
	for _, d := range docs[:min(len(docs), maxSeen)] {
		seen = append(seen, shorten(d.ID))
	}
	return seen
}
