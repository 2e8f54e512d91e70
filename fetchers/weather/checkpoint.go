package weather

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/fetchers/internal/continues"
	"github.com/vendemmia/vendemmia/fetchers/internal/pages"
	"github.com/vendemmia/vendemmia/harvest"
)

// fresh is how long a fetch that was cut goes on where it stood: what it has read
// before is no older. Then all places are asked for anew.
const fresh = time.Hour

// checkpoint is where an item goes on.
type checkpoint struct {
	// Made is the fingerprint of the params it was made with.
	Made string `json:"made,omitempty"`
	// At is the next place of a fetch that began at Began (Unix seconds) and was
	// cut; After is the last document read of that place. Again: it reads all.
	At    int    `json:"at,omitempty"`
	After string `json:"after,omitempty"`
	Began int64  `json:"began,omitempty"`
	Again bool   `json:"again,omitempty"`
	// Known is what was said of each place, in the order of the params.
	Known []*known `json:"known,omitempty"`
}

// known is a forecast that was read whole: its short digest, how many times it
// lists, and what MET Norway says of it: until when (Unix seconds) it holds, and its
// validator.
type known struct {
	Hash         string `json:"hash"`
	Listed       int    `json:"listed"`
	Until        int64  `json:"until,omitempty"`
	LastModified string `json:"modified,omitempty"`
}

func readCheckpoint(raw json.RawMessage) checkpoint { return pages.Read(raw, checkpoint.sound) }

func (c checkpoint) sound() bool { return c.At >= 0 }

func (c checkpoint) holds(made string) bool { return c.Made == made }

// restore reads a checkpoint. One of other params is as none, and so is the place
// of a fetch that is too old, or that left out what this one is to read.
func restore(req harvest.Request, made string, now time.Time, places int) checkpoint {
	c := readCheckpoint(req.Checkpoint)
	if !c.holds(made) {
		c = checkpoint{Made: made}
	}
	old := now.Sub(time.Unix(c.Began, 0)) > fresh || now.Unix() < c.Began
	if c.At >= places || old || req.ForceRefresh && !c.Again {
		c.At, c.After, c.Again = 0, "", req.ForceRefresh
	}
	if c.At == 0 && c.After == "" {
		c.Began = now.Unix()
	}
	c.Known = slices.Grow(c.Known, places)[:min(len(c.Known), places)]
	for len(c.Known) < places {
		c.Known = append(c.Known, nil)
	}
	return c
}

// done ends the fetch: the next one begins with the first place.
func (c *checkpoint) done() { c.At, c.After, c.Began, c.Again = 0, "", 0, false }

// hash is a short digest of what a place has.
func hash(docs []harvest.Document) string {
	var sums strings.Builder
	for i := range docs {
		sums.WriteString(docs[i].ID + docs[i].Sum())
	}
	return strings.TrimPrefix(harvest.Digest([]byte(sums.String())), "sha256:")[:16]
}

func (c checkpoint) raw() json.RawMessage { return pages.Write(c) }

// Continues is harvest.Continuer: with other params everything is asked for once
// more.
func (f *Fetcher) Continues(raw, before, now json.RawMessage) (bool, string) {
	return continues.Check(raw, before, now, Params.made, readCheckpoint(raw).holds, "all places are asked for once more")
}
