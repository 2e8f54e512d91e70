package activities

import (
	"cmp"
	"hash/fnv"
	"slices"

	"github.com/vendemmia/vendemmia/workflows/steps"
)

// chunkSize is how many items one activity takes: what the campaign says, else
// what suits a run of so many items.
func chunkSize(given, items int) int {
	if given > 0 {
		return given
	}
	return steps.AutoChunk(items)
}

// arrangement gives the items of one entry their places in dispatch order, in
// two passes over the list: count every item's host, then ask for its place.
// Neighbours in the order are on different hosts where chunks are of one item;
// larger chunks hold one host each and alternate between hosts, and what does
// not fill a chunk stands at the end, host by host. Its memory is a few bytes a
// host, however long the list is.
type arrangement struct {
	chunk int64
	slots map[uint64]int32 // by hash of the host
	hosts []hostPlaces     // in order of appearance
	// rounds[r] is the place, in chunks, of the first chunk of round r: the r-th
	// chunk of every host that has one.
	rounds []int64
}

type hostPlaces struct {
	count, used int64
	rank        int64 // among hosts, those with most items first
	tail        int64 // place of the first item that fills no chunk
}

func newArrangement() *arrangement { return &arrangement{slots: map[uint64]int32{}} }

func (a *arrangement) slot(host string) int32 {
	h := fnv.New64a()
	h.Write([]byte(host)) //nolint:errcheck // a hash never fails
	slot, ok := a.slots[h.Sum64()]
	if !ok {
		slot = int32(len(a.hosts))
		a.slots[h.Sum64()] = slot
		a.hosts = append(a.hosts, hostPlaces{})
	}
	return slot
}

// count notes one item of the first pass.
func (a *arrangement) count(host string) { a.hosts[a.slot(host)].count++ }

// settle ends the first pass.
func (a *arrangement) settle(chunk int) {
	a.chunk = int64(chunk)
	order := a.byCount()
	wide := len(order) // hosts that have a chunk in the round
	var chunks int64
	for r := int64(0); wide > 0; r++ {
		for wide > 0 && a.hosts[order[wide-1]].count/a.chunk <= r {
			wide--
		}
		if wide > 0 {
			a.rounds = append(a.rounds, chunks)
		}
		chunks += int64(wide)
	}
	tail := chunks * a.chunk
	for rank, slot := range order {
		h := &a.hosts[slot]
		h.rank, h.tail = int64(rank), tail
		tail += h.count % a.chunk
	}
}

// byCount lists the hosts, those with most items first.
func (a *arrangement) byCount() []int32 {
	order := make([]int32, len(a.hosts))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(x, y int32) int { return cmp.Compare(a.hosts[y].count, a.hosts[x].count) })
	return order
}

// place returns the place of the next item of a host, from 0. The second pass
// must meet the items of each host in the order of the first.
func (a *arrangement) place(host string) int64 {
	h := &a.hosts[a.slot(host)]
	n := h.used
	h.used++
	full := h.count - h.count%a.chunk
	if n >= full {
		return h.tail + n - full
	}
	return (a.rounds[n/a.chunk]+h.rank)*a.chunk + n%a.chunk
}
