package instagram

import (
	"encoding/json"
	"hash/fnv"
	"slices"
	"strconv"

	"github.com/vendemmia/vendemmia/fetchers/internal/continues"
	"github.com/vendemmia/vendemmia/fetchers/internal/pages"
	"github.com/vendemmia/vendemmia/harvest"
)

// checkpoint is where an item goes on. The API's cursors are not kept: they do not
// last.
type checkpoint struct {
	// Made is the fingerprint of the params it was made with; Tag is the id of the
	// hashtag.
	Made string `json:"made,omitempty"`
	Tag  string `json:"tag,omitempty"`
	// Done are short hashes of posts at the beginning of the list when it was last read
	// to its end, Seen those that were read since. Again: Seen are of a fetch that reads
	// everything.
	Done  []string `json:"done,omitempty"`
	Seen  []string `json:"seen,omitempty"`
	Again bool     `json:"again,omitempty"`
}

// maxDone is how many posts are remembered of a list in the order of time.
const maxDone = 50

func readCheckpoint(raw json.RawMessage) checkpoint { return pages.Read(raw, checkpoint.sound) }

func (c checkpoint) sound() bool { return len(c.Done) <= maxBacklog && len(c.Seen) <= maxBacklog }

func (c checkpoint) holds(made string) bool { return c.Made == made }

// restore reads a checkpoint; one of other params is as none.
func restore(req harvest.Request, made string) checkpoint {
	c := readCheckpoint(req.Checkpoint)
	if !c.holds(made) {
		c = checkpoint{Made: made}
	}
	if req.ForceRefresh != c.Again {
		c.Seen, c.Again = nil, req.ForceRefresh
	}
	return c
}

// finish ends a way through the list: what was read is what is known from now on.
func (c *checkpoint) finish(order bool) {
	most := maxBacklog
	if order {
		most = maxDone
	}
	all := append(slices.Clone(c.Seen), c.Done...)
	c.Done, c.Seen, c.Again = all[:min(len(all), most)], nil, false
}

func (c checkpoint) raw() json.RawMessage { return pages.Write(c) }

func shorten(id string) string {
	h := fnv.New64a()
	h.Write([]byte(id)) // a hash never fails
	return strconv.FormatUint(h.Sum64()>>24, 36)
}

// Continues is harvest.Continuer: with another account, hashtag or other files the list
// is read once more.
func (f *Fetcher) Continues(raw, before, now json.RawMessage) (bool, string) {
	return continues.Check(raw, before, now, Params.made, readCheckpoint(raw).holds, "the newest posts are read once more, as many as backlog says")
}
