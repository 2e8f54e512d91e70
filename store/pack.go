package store

import (
	"fmt"
)

// packSize is how many bytes of fields and bodies are compressed together: enough
// for neighbours to help each other, little enough to read one of them quickly.
// Below packFrom those of a lone document are kept in its row.
const (
	packSize = 32 << 10
	packFrom = 512
)

// pack holds fields and bodies of documents of one job.
type pack struct {
	content []byte // compressed
	live    int    // documents in it
	id      int64  // once it is stored
	used    int    // versions that point at it
}

// packer fills packs, one after the other.
type packer struct {
	codec  *codec
	packs  []pack
	buffer []byte
	live   int
}

func (p *packer) add(d *document, body []byte) {
	if len(d.fields)+len(body) == 0 {
		return
	}
	d.pack, d.packAt = len(p.packs)+1, len(p.buffer)
	p.buffer = append(append(p.buffer, d.fields...), body...)
	p.live++
	if len(p.buffer) >= packSize {
		p.flush()
	}
}

func (p *packer) flush() {
	p.packs = append(p.packs, pack{content: p.codec.pack(p.buffer), live: p.live})
	p.buffer, p.live = p.buffer[:0], 0
}

func (p *packer) finish() []pack {
	if p.live > 0 {
		p.flush()
	}
	return p.packs
}

// packID stores a pack of a job when its first document is needed.
func (b *batchWriter) packID(j *job, d *document) (int64, error) {
	if d.pack == 0 {
		return 0, nil
	}
	p := &j.packs[d.pack-1]
	p.used++
	if p.used > 1 {
		return p.id, nil
	}
	var err error
	p.id, err = b.sink.putPack(p)
	return p.id, err
}

// settlePacks corrects the packs of which not every document was needed after all.
func (b *batchWriter) settlePacks(j *job) error {
	for i := range j.packs {
		p := &j.packs[i]
		if p.used == 0 || p.used == p.live {
			continue
		}
		if err := b.sink.settlePack(p); err != nil {
			return err
		}
	}
	return nil
}

// resetPacks forgets what a transaction that failed had stored.
func (j *job) resetPacks() {
	for i := range j.packs {
		j.packs[i].id, j.packs[i].used = 0, 0
	}
}

// unpacker gives fields and bodies back, each pack read once.
type unpacker struct {
	q       querier
	codec   *codec
	id      int64
	content []byte
}

func (u *unpacker) part(pack int64, at, size int) ([]byte, error) {
	if u.id != pack {
		packed, found, err := first(u.q, scanBytes, `SELECT content FROM packs WHERE id = ?`, pack)
		if err == nil && !found {
			err = fmt.Errorf("pack %d is missing", pack)
		}
		if err != nil {
			return nil, err
		}
		if u.content, err = u.codec.unpack(packed); err != nil {
			return nil, err
		}
		u.id = pack
	}
	if at < 0 || size < 0 || at+size > len(u.content) {
		return nil, fmt.Errorf("pack %d holds %d bytes, not %d at %d", pack, len(u.content), size, at)
	}
	return u.content[at : at+size], nil
}
