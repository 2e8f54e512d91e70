package web

import (
	"errors"
	"strings"
	"unsafe"

	"github.com/vendemmia/vendemmia/fetchers/internal/charsets"
)

// decode turns a body as it came into UTF-8 without a mark. The text may share
// memory with the body, which must not change any more.
func decode(body []byte, contentType, override string) string {
	return shared(charsets.Decode(body, charsets.Hints{Override: override, ContentType: contentType, HTML: true}))
}

// shared is body as text, without half of the memory of a page.
func shared(body []byte) string { return unsafe.String(unsafe.SliceData(body), len(body)) }

func checkEncoding(name string) error {
	if name == "" || charsets.Knows(name) {
		return nil
	}
	return errors.New("encoding " + name + " is not known; one such as utf-8, windows-1252, iso-8859-15, shift_jis")
}

// isText reports what can be a page: no zero bytes at its beginning.
func isText(text string) bool { return strings.IndexByte(text[:min(len(text), 1024)], 0) < 0 }
