package polite

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
)

// decoder undoes a content coding (RFC 9110, section 8.4.1). Only gzip is asked
// for; deflate is so common that it is understood all the same.
func (c *Client) decoder(coding string, wire io.Reader) (io.Reader, error) {
	switch coding {
	case "":
		return wire, nil
	case "gzip", "x-gzip":
		return c.gunzip(wire)
	case "deflate":
		return inflate(wire)
	default:
		return nil, fmt.Errorf("%w: content coding %.40q was not asked for", errDamaged, coding)
	}
}

// gunzip takes an empty body for what it is: some servers announce gzip and
// send nothing.
func (c *Client) gunzip(wire io.Reader) (io.Reader, error) {
	r := bufio.NewReader(wire)
	if _, err := r.Peek(1); err != nil {
		return nil, err
	}
	if z, ok := c.gzips.Get().(*gzip.Reader); ok {
		return z, z.Reset(r)
	}
	return gzip.NewReader(r)
}

// recycle takes a decoder back that was read to its end.
func (c *Client) recycle(src io.Reader) {
	if z, ok := src.(*gzip.Reader); ok {
		c.gzips.Put(z)
	}
}

// inflate reads both meanings of deflate: with the zlib header, as the standard
// says, and without, as some servers send it.
func inflate(wire io.Reader) (io.Reader, error) {
	r := bufio.NewReader(wire)
	head, err := r.Peek(2)
	if err != nil {
		return nil, err
	}
	if head[0]&0x0f == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 {
		return zlib.NewReader(r)
	}
	return flate.NewReader(r), nil
}
