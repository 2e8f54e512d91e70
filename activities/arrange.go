package activities

import (
	"cmp"
	"hash/fnv"
	"slices"
)

// arrangement gives the items of one entry their places, in two passes over the
// list: count every item's host, then ask for its place. The n-th items of all
// hosts stand together, hosts with many items first, so that neighbours are on
// different hosts. Its memory is a few bytes a host, however long the list is.
type arrangement struct {
	slots map[uint64]int32 // by hash of the host
	hosts []hostPlaces     // in order of appearance
	// rounds[n] is the place of the first of the n-th items.
	rounds []int64
}

type hostPlaces struct {
	count, used int64
	rank        int64 // among hosts, those with most items first
}

func newArrangement() *arrangement { return &arrangement{slots: map[uint64]int32{}} }

func (a *arrangement) slot(host string) int32 {
	h := fnv.New64a()
	h.Write([]byte(host)) // a hash never fails
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
func (a *arrangement) settle() {
	order := make([]int32, len(a.hosts))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(x, y int32) int { return cmp.Compare(a.hosts[y].count, a.hosts[x].count) })
	for rank, slot := range order {
		a.hosts[slot].rank = int64(rank)
	}
	places, wide := int64(0), len(order) // hosts that have an n-th item
	for n := int64(0); ; n++ {
		for wide > 0 && a.hosts[order[wide-1]].count <= n {
			wide--
		}
		if wide == 0 {
			return
		}
		a.rounds, places = append(a.rounds, places), places+int64(wide)
	}
}

// place returns the place of the next item of a host, from 0. The second pass
// must meet the items of each host in the order of the first.
func (a *arrangement) place(host string) int64 {
	h := &a.hosts[a.slot(host)]
	h.used++
	return a.rounds[h.used-1] + h.rank
}
