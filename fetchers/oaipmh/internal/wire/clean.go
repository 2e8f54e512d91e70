package wire

import (
	"bytes"
	"encoding/binary"

	"github.com/vendemmia/vendemmia/fetchers/internal/charsets"
)

// Clean turns a body as it came into UTF-8 of legal XML 1.0 characters (section
// 2.2), without byte order mark and with references a parser can resolve. A
// sound body comes back as it is, uncopied. override names the charset where the
// repository is wrong about it. Clean never fails; see charsets.Decode.
func Clean(body []byte, override string) []byte {
	text := charsets.Decode(body, charsets.Hints{Override: override})
	if !legalText(text) {
		text = bytes.Map(func(r rune) rune {
			if !legal(r) {
				return -1
			}
			return r
		}, text)
	}
	return resolve(text)
}

// legal reports a character of XML 1.0, section 2.2. Surrogates cannot come: the
// text is UTF-8.
func legal(r rune) bool {
	return r >= 0x20 && r != 0xfffe && r != 0xffff || r == '\t' || r == '\n' || r == '\r'
}

const (
	ones   = 0x0101010101010101
	sevens = 0x7f * ones
)

// zeros marks the bytes of x that are zero, exactly.
func zeros(x uint64) uint64 { return ^((x&sevens + sevens) | x | sevens) }

// legalText reports valid UTF-8 without characters that XML forbids, eight bytes
// at a time.
func legalText(b []byte) bool {
	i := 0
	for ; i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		low := zeros(x & (0xe0 * ones)) // below a blank
		if low != 0 && low&^(zeros(x^0x09*ones)|zeros(x^0x0a*ones)|zeros(x^0x0d*ones)) != 0 {
			return false
		}
	}
	for ; i < len(b); i++ {
		if b[i] < 0x20 && b[i] != '\t' && b[i] != '\n' && b[i] != '\r' {
			return false
		}
	}
	return !bytes.Contains(b, []byte("\xef\xbf\xbe")) && !bytes.Contains(b, []byte("\xef\xbf\xbf"))
}
