package store

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

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

// raw reads stored JSON text; ” is none.
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

// How a stored body is encoded.
const (
	encodingPlain = 0
	encodingZstd  = 1
)

// compressFrom is the size below which compression costs more than it saves.
const compressFrom = 512

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

// pack returns a body as it is stored.
func (c *codec) pack(body []byte) (stored []byte, encoding int) {
	if len(body) < compressFrom {
		return body, encodingPlain
	}
	packed := c.enc.EncodeAll(body, make([]byte, 0, len(body)))
	if len(packed) >= len(body) {
		return body, encodingPlain
	}
	return packed, encodingZstd
}

func (c *codec) unpack(stored []byte, encoding int) ([]byte, error) {
	if encoding == encodingPlain {
		return stored, nil
	}
	return c.dec.DecodeAll(stored, nil)
}
