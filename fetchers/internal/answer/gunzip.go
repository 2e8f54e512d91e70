package answer

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// What is more than maxRatio times as long as it came, beyond its first MiB, is a
// bomb: real XML stays under 1:50.
const (
	maxRatio  = 200
	ratioFrom = 1 << 20
)

// Zipped reports a body that is compressed without a header that says so.
func Zipped(body []byte) bool { return bytes.HasPrefix(body, []byte{0x1f, 0x8b}) }

// Gunzip decompresses such a body. It stops beyond most bytes and at a decompression
// bomb, and returns what it has beside the error.
func Gunzip(body []byte, most int64) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	most = min(most, max(ratioFrom, maxRatio*int64(len(body))))
	out, err := io.ReadAll(io.LimitReader(z, most+1))
	switch {
	case int64(len(out)) <= most:
		return out, err
	case most < maxRatio*int64(len(body)):
		return out[:most], fmt.Errorf("it is longer than %d MiB", most>>20)
	}
	return out[:most], errors.New("it decompresses to more than 200 times its transferred size")
}
