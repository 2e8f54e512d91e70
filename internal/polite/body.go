package polite

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
)

// A body that grows to more than maxRatio times its transferred size, beyond its first
// MiB, is a decompression bomb. Real XML and HTML stay under 1:50.
const (
	maxRatio  = 200
	ratioFrom = 1 << 20
)

// body decodes and limits a response body. Its errors are *harvest.Error and are
// returned again by each further Read. Its end, or Close, ends the exchange.
type body struct {
	x      *exchange
	raw    io.ReadCloser
	wire   io.Reader // raw, counted
	src    io.Reader // wire, decoded; nil before the first Read
	coding string
	length int64 // as announced; -1: unknown
	out    int64
	kept   []byte // all of it, where the visitor wants it
	err    error
	closed atomic.Bool
}

// newBody wraps the body of resp and removes the content coding from its header.
func newBody(x *exchange, resp *http.Response) *body {
	b := &body{x: x, raw: resp.Body, wire: counter{x, resp.Body}, length: resp.ContentLength}
	b.coding = strings.ToLower(strings.TrimSpace(strings.Join(resp.Header.Values("Content-Encoding"), ",")))
	if b.coding == "identity" {
		b.coding = ""
	}
	if b.coding != "" {
		resp.Header.Del("Content-Encoding")
		resp.Header.Del("Content-Length")
		resp.ContentLength, resp.Uncompressed = -1, true
	}
	return b
}

// Read fails with the right kind if the body is too large, a bomb, truncated, late or
// damaged.
func (b *body) Read(p []byte) (int, error) {
	if b.err != nil || len(p) == 0 {
		return 0, b.err
	}
	n, err := b.read(p)
	b.out += int64(n)
	if over := b.out - b.x.client.settings.MaxBody; over > 0 {
		n, err = max(0, n-int(over)), errTooLarge
	} else if b.swells() {
		err = errBomb
	}
	if b.keeps() {
		b.kept = append(b.kept, p[:n]...)
	}
	if err == nil {
		return n, nil
	}
	b.end(err)
	return n, b.err
}

func (b *body) keeps() bool {
	return b.x.visitor.Raw != nil && b.x.status() < http.StatusMultipleChoices
}

func (b *body) read(p []byte) (int, error) {
	if b.length > b.x.client.settings.MaxBody && !b.x.partly {
		return 0, errTooLarge
	}
	if b.src == nil {
		src, err := b.x.client.decoder(b.coding, b.wire)
		if err != nil {
			return 0, err
		}
		b.src = src
	}
	return b.src.Read(p)
}

func (b *body) swells() bool {
	return b.coding != "" && b.out > ratioFrom && b.out > maxRatio*b.x.bytes.Load()
}

// end keeps the first error and ends the exchange.
func (b *body) end(err error) {
	if err == io.EOF {
		err = b.drain()
	}
	if err == io.EOF {
		b.err = io.EOF
		b.x.client.recycle(b.src)
		b.src = nil
		if b.keeps() && len(b.kept) > 0 {
			b.x.keep(b.kept)
		}
		b.x.finish(nil)
		return
	}
	e := b.x.explainBody(err)
	b.err = e
	b.raw.Close() // the error is already known
	b.x.finish(e)
}

// drain reads what follows a decoded stream, to detect truncation and to reuse the
// connection. It gives up after a few KiB.
func (b *body) drain() error {
	if b.coding == "" {
		return io.EOF
	}
	if _, err := io.CopyN(io.Discard, b.wire, 4<<10); err != nil {
		return err
	}
	return io.EOF
}

// Close ends the exchange and discards the rest. It may be called twice, and
// concurrently with Read.
func (b *body) Close() error {
	if !b.closed.CompareAndSwap(false, true) {
		return nil
	}
	err := b.raw.Close()
	b.x.finish(nil)
	return err
}
