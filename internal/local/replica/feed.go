package replica

import (
	"fmt"
	"maps"
	"time"
)

// feed is one feed's state; the house's lock guards it. Entries are not kept:
// they are made anew from the seed.
type feed struct {
	number  int
	name    string // "0017"
	paper   paper
	shape   Shape
	count   int         // entries so far
	edits   map[int]int // versions of entries; replaced, never changed
	version int         // of the whole
	fault   Fault
	next    []Fault // for the coming requests, before fault
	taken   int     // requests begun
	counts  Counts
}

func newFeed(c Config, i int) *feed {
	f := &feed{number: i, name: fmt.Sprintf("%04d", i), paper: newPaper(i), shape: c.Shape(i)}
	f.count = f.shape.Entries
	if f.count == 0 {
		f.count = c.Entries
	}
	f.fault = c.Faults[f.name]
	return f
}

func (f *feed) publish(n int) {
	f.count += n
	f.version++
}

// edit makes a later version of the newest n entries.
func (f *feed) edit(n int) {
	edits := maps.Clone(f.edits)
	if edits == nil {
		edits = map[int]int{}
	}
	for i := max(0, f.count-n); i < f.count; i++ {
		edits[i]++
	}
	f.edits = edits
	f.version++
}

// take returns the fault of this request.
func (f *feed) take() Fault {
	f.taken++
	if len(f.next) == 0 {
		return f.fault
	}
	fault := f.next[0]
	f.next = f.next[1:]
	return fault
}

// view is a feed at one moment; it may be read without the lock.
type view struct {
	feed
	seed  uint64
	start time.Time
	base  string // of the answering host: "http://127.0.0.2:8000"
	opens int    // entries at the start: the newest of them is at start
}

// entries lists what the feed lists, the newest first.
func (v view) entries() []Entry {
	first := 0
	if w := v.shape.Window; w > 0 {
		first = max(0, v.count-w)
	}
	list := make([]Entry, 0, v.count-first)
	for n := v.count - 1; n >= first; n-- {
		list = append(list, v.entry(n))
	}
	if v.fault.records != nil {
		list = v.fault.records(list)
	}
	return list
}

func (v view) entry(n int) Entry {
	at := v.start.Add(time.Duration(n-v.opens+1) * gap)
	e := v.paper.entry(v.seed, v.number, n, v.edits[n], at)
	if !v.shape.Format.hasIDs() {
		e.ID = ""
	}
	return e
}

// modified is Last-Modified: it moves with every change, in whole seconds.
func (v view) modified() time.Time { return v.start.Add(time.Duration(v.version) * time.Minute) }

func (v view) etag() string {
	tag := fmt.Sprintf(`"%s-%d-%d"`, v.name, v.count, v.version)
	if v.shape.Weak {
		return "W/" + tag
	}
	return tag
}

// url is the address of a page of the feed, from 1.
func (v view) url(page int) string {
	if page <= 1 {
		return v.base + "/feed/" + v.name
	}
	return fmt.Sprintf("%s/feed/%s?page=%d", v.base, v.name, page)
}
