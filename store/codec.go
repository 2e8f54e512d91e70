package store

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

// micros is how a moment is stored: microseconds since 1970 UTC, 0 for none.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func moment(us int64) time.Time {
	if us == 0 {
		return time.Time{}
	}
	return time.UnixMicro(us).UTC()
}

// raw returns stored JSON text, nil for "".
func raw(text string) json.RawMessage {
	if text == "" {
		return nil
	}
	return json.RawMessage(text)
}

// text writes a value as JSON text. The values are our own plain structs, which
// always marshal.
func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("store: %T does not marshal: %v", v, err))
	}
	return string(b)
}

// tallyText writes a page's tally; it is short, and written with every page.
func tallyText(t harvest.Tally) string {
	flags := int64(0)
	if t.NotModified {
		flags |= 1
	}
	if t.Partial {
		flags |= 2
	}
	b := make([]byte, 0, 48)
	for _, n := range [...]int64{int64(t.Pages), int64(t.Listed), int64(t.New), int64(t.Changed), int64(t.Same), int64(t.Deleted), int64(t.Quarantined), int64(t.Asked), t.Bytes, flags} {
		b = append(strconv.AppendInt(b, n, 10), ' ')
	}
	return string(b)
}

func readTally(stored string) (t harvest.Tally, err error) {
	var flags int64
	_, err = fmt.Sscan(stored, &t.Pages, &t.Listed, &t.New, &t.Changed, &t.Same, &t.Deleted, &t.Quarantined, &t.Asked, &t.Bytes, &flags)
	t.NotModified, t.Partial = flags&1 != 0, flags&2 != 0
	return t, err
}

func pauseText(p *rows.Pause) string {
	if p == nil {
		return ""
	}
	return text(p)
}

func readPause(stored string) (*rows.Pause, error) {
	if stored == "" {
		return nil, nil
	}
	var p rows.Pause
	if err := json.Unmarshal([]byte(stored), &p); err != nil {
		return nil, fmt.Errorf("stored pause: %w", err)
	}
	p.At, p.Until = p.At.UTC(), p.Until.UTC()
	return &p, nil
}

const sha256Prefix = "sha256:"

// The first byte of a stored hash says what follows.
const (
	hashDigest = 1 // the 32 bytes of a SHA-256
	hashText   = 2 // a fetcher's own
)

// packHash stores "sha256:…" in 33 bytes instead of 71.
func packHash(hash string) []byte {
	if digits, ok := strings.CutPrefix(hash, sha256Prefix); ok && len(digits) == 64 && digits == strings.ToLower(digits) {
		packed := make([]byte, 33)
		packed[0] = hashDigest
		if _, err := hex.Decode(packed[1:], []byte(digits)); err == nil {
			return packed
		}
	}
	return append([]byte{hashText}, hash...)
}

func unpackHash(b []byte) string {
	switch {
	case len(b) == 33 && b[0] == hashDigest:
		return sha256Prefix + hex.EncodeToString(b[1:])
	case len(b) > 0:
		return string(b[1:])
	default:
		return ""
	}
}

// codec compresses bodies and lists; safe at once.
type codec struct {
	enc *zstd.Encoder
	dec *zstd.Decoder
}

func newCodec() (*codec, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithLowerEncoderMem(true), zstd.WithEncoderCRC(false), zstd.WithWindowSize(1<<17))
	if err != nil {
		return nil, err
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(256<<20))
	if err != nil {
		return nil, err
	}
	return &codec{enc: enc, dec: dec}, nil
}

func (c *codec) close() {
	if c != nil {
		c.dec.Close()
	}
}

// pack returns compressed bytes that hold no more memory than they need.
func (c *codec) pack(content []byte) []byte {
	return bytes.Clone(c.enc.EncodeAll(content, nil))
}

func (c *codec) unpack(packed []byte) ([]byte, error) { return c.dec.DecodeAll(packed, nil) }
