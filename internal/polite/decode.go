package polite

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
)

// decoder decodes a content coding (RFC 9110, section 8.4.1). Only gzip is requested;
// deflate is accepted because it is common.
func (c *Client) decoder(coding string, wire io.Reader) (io.Reader, error) {
	switch coding {
	case "":
		return wire, nil
	case "gzip", "x-gzip":
		return c.gunzip(wire)
	case "deflate":
		return inflate(wire)
	default:
		return nil, fmt.Errorf("%w: content coding %.40q is not supported", errDamaged, coding)
	}
}

// gunzip accepts an empty body, because some servers announce gzip and send nothing.
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

// recycle takes back a decoder that was read to its end.
func (c *Client) recycle(src io.Reader) {
	if z, ok := src.(*gzip.Reader); ok {
		c.gzips.Put(z)
	}
}

// inflate accepts both forms of deflate: with the zlib header, as the standard says,
// and without, as some servers send it.
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
