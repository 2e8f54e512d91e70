package feed

import (
	"bytes"
	"errors"
	"regexp"

	"github.com/vendemmia/vendemmia/fetchers/internal/charsets"
)

// illegalReference is a reference to a character that is forbidden itself.
var illegalReference = regexp.MustCompile(`&#(?:0*(?:[0-8]|1[1245678]|19|2[0-9]|3[01])|[xX]0*(?:[0-8bBcCeEfF]|1[0-9a-fA-F]|[fF]{3}[eEfF]));`)

// repair turns a body as it came into text a parser can read: UTF-8 without
// byte order mark, XML declaration, leading junk and characters XML forbids. It
// never fails.
func repair(body []byte, contentType, override string) []byte {
	clean := strip(charsets.Decode(body, charsets.Hints{Override: override, ContentType: contentType}))
	if bytes.Contains(clean, []byte("&#")) {
		clean = illegalReference.ReplaceAll(clean, nil)
	}
	return trimJunk(clean)
}

func checkEncoding(name string) error {
	if name == "" || charsets.Knows(name) {
		return nil
	}
	return errors.New("encoding " + name + " is not known; one such as utf-8, windows-1252, iso-8859-15, utf-16le")
}

func firstOf(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// legal reports a character of XML 1.0, section 2.2.
func legal(r rune) bool {
	return r >= 0x20 && r != 0xfffe && r != 0xffff || r == '\t' || r == '\n' || r == '\r'
}

// suspect reports bytes that may be part of a forbidden character: controls,
// and what U+FFFE and U+FFFF begin with.
func suspect[T string | []byte](text T) bool {
	for i := range len(text) {
		if b := text[i]; b < 0x20 && b != '\t' && b != '\n' && b != '\r' || b == 0xef && i+1 < len(text) && text[i+1] == 0xbf {
			return true
		}
	}
	return false
}

// strip removes the characters XML forbids from valid UTF-8.
func strip(text []byte) []byte {
	if !suspect(text) {
		return text
	}
	return bytes.Map(func(r rune) rune {
		if !legal(r) {
			return -1
		}
		return r
	}, text)
}

// trimJunk drops what stands before the first "<" or "{", if it is not long
// enough to be a text of its own, and the XML declaration: it names a charset
// that is not the text's any more, and a version 1.1 the parser refuses.
func trimJunk(text []byte) []byte {
	text = bytes.TrimLeft(text, " \t\r\n\ufeff")
	if i := bytes.IndexAny(text[:min(len(text), maxJunk)], "<{"); i > 0 {
		text = text[i:]
	}
	for bytes.HasPrefix(text, []byte("<?xml")) {
		end := bytes.Index(text, []byte("?>"))
		if end < 0 {
			break
		}
		text = bytes.TrimLeft(text[end+2:], " \t\r\n\ufeff")
	}
	return text
}

const maxJunk = 64 << 10
