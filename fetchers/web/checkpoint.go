package web

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"

	"github.com/vendemmia/vendemmia/fetchers/internal/pages"
	"github.com/vendemmia/vendemmia/harvest"
)

// checkpoint is where an item goes on. Its size is bounded whatever the site's:
// a stack of lists no deeper than depth, and the packed table.
type checkpoint struct {
	// Made is the fingerprint of the params it was made with; Window the window.
	Made   string         `json:"made,omitempty"`
	Window harvest.Window `json:"window,omitzero"`
	// On: a walk has not come to its end. Full: it compares nothing with what is
	// known. Start is how many start pages it has begun with.
	On    bool    `json:"on,omitempty"`
	Full  bool    `json:"full,omitempty"`
	Start int     `json:"start,omitempty"`
	Stack []place `json:"stack,omitempty"`
	// Lists, Reads and Good count this walk's lists, the pages asked for that
	// lists name, and the lists that were read well.
	Lists int `json:"lists,omitempty"`
	Reads int `json:"reads,omitempty"`
	Good  int `json:"good,omitempty"`
	// Barren counts lists in a row that named nothing new, Fails the failures in
	// a row at the place where it stands.
	Barren int `json:"barren,omitempty"`
	Fails  int `json:"fails,omitempty"`
	// Before and Now count, for each selector, how many pages it was tried on and
	// how many it matched: in the walks before, and in this one.
	Before counts `json:"before,omitempty"`
	Now    counts `json:"now,omitempty"`
	Known  string `json:"known,omitempty"`
}

// place is a list that is being read.
type place struct {
	URL   string `json:"url"`
	Page  int    `json:"page"`
	Depth int    `json:"depth,omitempty"`
	// Skip entries are done, of the list whose entries hash to Hash; Child lists
	// below it too.
	Skip  int    `json:"skip,omitempty"`
	Child int    `json:"child,omitempty"`
	Hash  string `json:"hash,omitempty"`
	// Loss: not all of it came, so that it must be read whole the next time.
	Loss bool `json:"loss,omitempty"`
}

// counts is [tried, matched] by selector.
type counts map[string][2]int

func (c counts) add(key string, hit bool) {
	n := c[key]
	if n[0]++; hit {
		n[1]++
	}
	c[key] = n
}

// maxCounted is when old counts begin to fade.
const maxCounted = 1000

func (c counts) merge(o counts) {
	for key, n := range o {
		sum := [2]int{c[key][0] + n[0], c[key][1] + n[1]}
		if sum[0] > maxCounted {
			sum[0], sum[1] = sum[0]/2, sum[1]/2
		}
		c[key] = sum
	}
}

// restore reads a checkpoint; one that cannot be read is as none.
func restore(raw json.RawMessage) checkpoint {
	c := pages.Read(raw, checkpoint.sound)
	if c.Before == nil {
		c.Before = counts{}
	}
	if c.Now == nil {
		c.Now = counts{}
	}
	return c
}

func (c checkpoint) sound() bool {
	return c.Start >= 0 && c.Start <= len(c.Stack)+1<<20 && !slices.ContainsFunc(c.Stack, place.odd)
}

func (p place) odd() bool { return p.URL == "" || p.Skip < 0 || p.Child < 0 || p.Page < 0 }

// holds reports a walk of these params.
func (c checkpoint) holds(made string) bool { return c.Made == made }

// begin starts a walk.
func (c *checkpoint) begin(made string, w harvest.Window, full bool) {
	*c = checkpoint{Made: made, Window: w, On: true, Full: full, Before: c.Before, Now: counts{}}
}

// end closes it: what it counted becomes what was before, without the selectors
// nobody uses any more.
func (c *checkpoint) end(used map[string]bool) {
	c.Before.merge(c.Now)
	maps.DeleteFunc(c.Before, func(key string, _ [2]int) bool { return !used[key] })
	*c = checkpoint{Made: c.Made, Before: c.Before, Now: counts{}}
}

func (c *checkpoint) top() *place {
	if len(c.Stack) == 0 {
		return nil
	}
	return &c.Stack[len(c.Stack)-1]
}

func (c *checkpoint) pop() { c.Stack = c.Stack[:len(c.Stack)-1] }

// raw writes it with the table, which is most of it, put in last: it needs no
// escapes.
func (c checkpoint) raw(k *known) json.RawMessage {
	c.Known = ""
	b, _ := json.Marshal(c) // strings and numbers only: it cannot fail
	if k.size == 0 {
		return b
	}
	out := make([]byte, 0, len(b)+base64.RawStdEncoding.EncodedLen(k.size)+16)
	out = append(out, b[:len(b)-1]...)
	if len(b) > len("{}") {
		out = append(out, ',')
	}
	out = append(out, `"known":"`...)
	return append(k.pack(out), `"}`...)
}
