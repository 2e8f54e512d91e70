package oaipmh

import (
	"fmt"
	"hash/maphash"
	"strconv"

	"github.com/vendemmia/vendemmia/fetchers/oaipmh/internal/wire"
)

// loops sees a list that goes in a circle. A ring of the last responses finds
// short circles at once; a mark that is set anew after 1, 2, 4, 8 … responses
// finds long ones (Brent's way).
type loops struct {
	Ring []string `json:"ring,omitempty"`
	Mark string   `json:"mark,omitempty"`
	Lap  int64    `json:"lap,omitempty"`
	Left int64    `json:"left,omitempty"`
	// Empty and Stale count responses in a row without records, and without new
	// ones.
	Empty int `json:"empty,omitempty"`
	Stale int `json:"stale,omitempty"`
}

const (
	maxRing  = 24
	maxEmpty = 5
	maxStale = 3
)

// know adds a hash; true when it was there before.
func (l *loops) know(hash string) bool {
	for _, h := range l.Ring {
		if h == hash {
			return true
		}
	}
	if l.Ring = append(l.Ring, hash); len(l.Ring) > maxRing {
		l.Ring = append([]string(nil), l.Ring[1:]...)
	}
	return false
}

// pass goes one response on; true when the mark comes again.
func (l *loops) pass(hash string) bool {
	if l.Mark == hash {
		return true
	}
	if l.Left--; l.Left < 0 {
		l.Lap = max(1, 2*l.Lap)
		l.Mark, l.Left = hash, l.Lap
	}
	return false
}

// fnv64 is FNV-1a: stable over processes, as a checkpoint must be.
func fnv64(h uint64, s string) uint64 {
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return (h ^ 0xff) * 1099511628211
}

const fnvStart = 14695981039346656037

func hashOf(kind string, texts ...string) string {
	h := uint64(fnvStart)
	for _, t := range texts {
		h = fnv64(h, t)
	}
	return kind + strconv.FormatUint(h, 36)
}

func hashRecords(records []wire.Record) string {
	h := uint64(fnvStart)
	for i := range records {
		h = fnv64(h, records[i].ID)
	}
	return "p" + strconv.FormatUint(h, 36)
}

// turn takes a response into account and says what is wrong with the list, ""
// while it goes on. asked is the token it answers; fresh whether it has records
// that were not seen of late.
func (l *loops) turn(asked string, r *wire.Response, fresh bool) string {
	if len(r.Records) == 0 {
		if l.Empty++; l.Empty > maxEmpty {
			return fmt.Sprintf("%d responses in a row have a token but no records", l.Empty)
		}
	} else {
		l.Empty = 0
		page := hashRecords(r.Records)
		if l.know(page) || l.pass(page) {
			return "the same page came again"
		}
	}
	if r.Token.Value == asked || l.know(hashOf("t", r.Token.Value)) {
		return "the same token came again"
	}
	if fresh {
		l.Stale = 0
	} else if len(r.Records) > 0 {
		l.Stale++
	}
	if l.Stale >= maxStale {
		return fmt.Sprintf("%d responses in a row brought nothing new", l.Stale)
	}
	return ""
}

// recent remembers identifiers seen of late, in bounded memory: a newer one may
// push out an older.
type recent struct {
	seed  maphash.Seed
	slots []uint64
}

const recentSlots = 1 << 13

// add reports whether one of the records is new.
func (m *recent) add(records []wire.Record) (fresh bool) {
	if m.slots == nil {
		m.seed, m.slots = maphash.MakeSeed(), make([]uint64, recentSlots)
	}
	for i := range records {
		h := maphash.String(m.seed, records[i].ID)
		slot := &m.slots[h%recentSlots]
		fresh = fresh || *slot != h
		*slot = h
	}
	return fresh
}

func (m *recent) forget() { clear(m.slots) }
