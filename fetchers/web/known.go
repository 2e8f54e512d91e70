package web

import (
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"hash/fnv"
	"slices"
	"strconv"
	"time"

	"github.com/vendemmia/vendemmia/fetchers/internal/answer"
)

// known is what a checkpoint remembers of addresses: bounded, packed, and never
// needed for correctness beyond asking less.
type known struct {
	entries map[uint64]*entry
	// order is that of packing; what is forgotten stays in it until then.
	order []*entry
	// packed is memory for packing, used again.
	packed []byte
	// size is what packing them takes.
	size int
	// fresh: there is nothing that can be forgotten in this walk.
	fresh bool
	// beyond counts what there was no room for.
	beyond int
}

// entry is one address. Its packed form is 48 bits of hash, age, flags, and what
// the flags announce.
type entry struct {
	key uint64
	// gone: it is forgotten.
	gone bool
	// age counts the walks since it was last seen; 0 is this one.
	age   byte
	flags byte
	// mod is the short hash of a sitemap's date, or how many rows a list had.
	mod uint32
	// check is a validator: see the check flags.
	check string
	// note is the document's id where that is not the address, and the next page
	// of a list.
	note string
}

const (
	flagDocument = 1 << iota // there is a document made of it
	flagMissed               // it was missing the last time
	flagList                 // it is a list
	flagMod                  // mod is set
	flagETag                 // check is an ETag,
	flagModified             // a Last-Modified,
	flagHash                 // or a short hash of the body
	flagNote                 // note is set
)

// flagNamed of a list: it has named something.
const flagNamed = flagDocument

const flagsCheck = flagETag | flagModified | flagHash

// Bounds of the packed table, in bytes. Past the softer one new addresses are
// kept without validators.
const (
	maxKnown   = 64 << 10
	softKnown  = 48 << 10
	maxCheck   = 80
	maxNote    = 200
	keyBytes   = 6
	maxAge     = 30
	entryBytes = keyBytes + 2
)

func keyOf(address string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(address)) // a hash never fails
	return h.Sum64() >> 16
}

// shortHash is of a body: two checksums that processors compute themselves. It
// finds changes; nobody has a reason to forge one.
func shortHash(b []byte) string {
	one, other := crc32.ChecksumIEEE(b), crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))
	return strconv.FormatUint(uint64(one)<<32|uint64(other), 36)
}

func modOf(mod string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(mod)) // the same
	return h.Sum32()
}

func (k *known) get(address string) *entry { return k.entries[keyOf(address)] }

// seen reports an address that this walk has met.
func (k *known) seen(address string) bool {
	e := k.get(address)
	return e != nil && e.age == 0
}

// put keeps an entry; where there is no room, old ones go first, and then it is
// kept without a validator, or not at all. Lists always find room: there are few.
// What was there before keeps its room.
func (k *known) put(address string, e entry) {
	e.trim()
	e.key, e.gone = keyOf(address), false
	at, had := k.entries[e.key], 0
	if at != nil {
		had = at.size()
		k.forget(at)
	}
	if !k.fit(&e, had) {
		k.beyond++
		return
	}
	if at == nil {
		at = &entry{}
		k.order = append(k.order, at)
	}
	*at = e
	k.entries[e.key] = at
	k.size += e.size()
}

// fit makes room for an entry that had some, or the entry smaller; false: there is
// none.
func (k *known) fit(e *entry, had int) bool {
	if e.flags&flagList != 0 || e.size() <= had {
		return true
	}
	if k.size+e.size() > softKnown {
		k.evict(softKnown - e.size())
	}
	if k.size+e.size() > softKnown {
		e.check, e.flags = "", e.flags&^flagsCheck
	}
	return k.size+e.size() <= maxKnown
}

func (k *known) forget(e *entry) {
	e.gone = true
	k.size -= e.size()
	delete(k.entries, e.key)
}

// trim keeps what fits a length byte; a note cut short would be another one.
func (e *entry) trim() {
	if len(e.check) > maxCheck {
		e.check, e.flags = "", e.flags&^flagsCheck
	}
	if len(e.note) > maxNote {
		e.note, e.flags = "", e.flags&^(flagNote|flagsCheck)
	}
}

func (e *entry) size() int {
	n := entryBytes
	if e.flags&flagMod != 0 {
		n += 4
	}
	if e.flags&flagsCheck != 0 {
		n += 1 + len(e.check)
	}
	if e.flags&flagNote != 0 {
		n += 1 + len(e.note)
	}
	return n
}

// evict forgets what was seen longest ago, never what this walk has seen or may
// yet see: what the last one saw.
func (k *known) evict(to int) {
	for k.size > to && !k.fresh {
		oldest := k.oldest()
		if k.fresh = oldest <= 1; k.fresh {
			return
		}
		for _, e := range k.entries {
			if e.age == oldest {
				k.forget(e)
			}
		}
	}
}

func (k *known) oldest() (age byte) {
	for _, e := range k.entries {
		age = max(age, e.age)
	}
	return age
}

// older begins a walk.
func (k *known) older() {
	k.fresh = false
	for _, e := range k.entries {
		if e.age++; e.age > maxAge {
			k.forget(e)
		}
	}
}

// pack appends the entries to b, in the order in which they came, as text.
func (k *known) pack(b []byte) []byte {
	k.order = slices.DeleteFunc(k.order, func(e *entry) bool { return e.gone })
	k.packed = k.packed[:0]
	for _, e := range k.order {
		k.packed = e.append(k.packed)
	}
	return base64.RawStdEncoding.AppendEncode(b, k.packed)
}

func (e *entry) append(b []byte) []byte {
	var raw [8]byte
	binary.BigEndian.PutUint64(raw[:], e.key)
	b = append(b, raw[8-keyBytes:]...)
	b = append(b, e.age, e.flags)
	if e.flags&flagMod != 0 {
		b = binary.BigEndian.AppendUint32(b, e.mod)
	}
	if e.flags&flagsCheck != 0 {
		b = append(append(b, byte(len(e.check))), e.check...)
	}
	if e.flags&flagNote != 0 {
		b = append(append(b, byte(len(e.note))), e.note...)
	}
	return b
}

// unpack reads what pack wrote; of anything else it takes what makes sense.
func unpack(s string) known {
	k := known{entries: map[uint64]*entry{}}
	b, err := base64.RawStdEncoding.DecodeString(s)
	if err != nil {
		return k
	}
	for len(b) >= entryBytes {
		var raw [8]byte
		copy(raw[8-keyBytes:], b)
		e := entry{age: b[keyBytes], flags: b[keyBytes+1]}
		if b = b[entryBytes:]; e.flags&flagMod != 0 {
			if len(b) < 4 {
				break
			}
			e.mod, b = binary.BigEndian.Uint32(b), b[4:]
		}
		ok := true
		if e.flags&flagsCheck != 0 {
			e.check, b, ok = short(b)
		}
		if ok && e.flags&flagNote != 0 {
			e.note, b, ok = short(b)
		}
		if !ok {
			break
		}
		if e.key = binary.BigEndian.Uint64(raw[:]); k.entries[e.key] == nil {
			k.entries[e.key], k.order = &e, append(k.order, &e)
			k.size += e.size()
		}
	}
	return k
}

func short(b []byte) (string, []byte, bool) {
	if len(b) == 0 || len(b) < 1+int(b[0]) {
		return "", nil, false
	}
	return string(b[1 : 1+b[0]]), b[1+b[0]:], true
}

// validators are what to ask by.
func (e *entry) validators() (v answer.Validators) {
	switch {
	case e == nil:
	case e.flags&flagETag != 0:
		v.ETag = e.check
	case e.flags&flagModified != 0:
		v.LastModified = longDate(e.check)
	}
	return v
}

// keep takes the strongest validator of an answer: the ETag, else the date, else
// the body's own hash.
func (e *entry) keep(a *fetched) {
	e.flags &^= flagsCheck
	switch date := shortDate(a.LastModified); {
	case a.ETag != "" && len(a.ETag) <= maxCheck:
		e.check, e.flags = a.ETag, e.flags|flagETag
	case date != "":
		e.check, e.flags = date, e.flags|flagModified
	default:
		e.check, e.flags = shortHash(a.Body), e.flags|flagHash
	}
}

func (e *entry) same(body []byte) bool {
	return e != nil && e.flags&flagHash != 0 && e.check == shortHash(body)
}

// lastModifiedForm is the one form of date that is written back as it came.
const lastModifiedForm = "Mon, 02 Jan 2006 15:04:05 GMT"

// shortDate packs a date; one that would not come out as it went in is "": a
// validator is sent back as it came.
func shortDate(s string) string {
	t, err := time.Parse(lastModifiedForm, s)
	if err != nil || t.Format(lastModifiedForm) != s {
		return ""
	}
	return strconv.FormatInt(t.Unix(), 36)
}

func longDate(s string) string {
	n, err := strconv.ParseInt(s, 36, 64)
	if err != nil {
		return ""
	}
	return time.Unix(n, 0).UTC().Format(lastModifiedForm)
}
