package harvest

import (
	"encoding/json"
	"regexp"
	"strings"
)

// PasswordReference stands for a password in the address that a person should have
// written.
const PasswordReference = "${secret:env:VENDEMMIA_SECRET_PASSWORD}"

// Password returns the password that is written out in an address; "" where there
// is none, or a reference stands in its place.
func Password(address string) string {
	from, to := passwordAt(address)
	return address[from:to]
}

// ReplacePassword returns an address with something else in the place of the
// password that is written out in it; for "", its colon goes too.
func ReplacePassword(address, by string) string {
	from, to := passwordAt(address)
	if from == to {
		return address
	}
	if by == "" {
		from--
	}
	return address[:from] + by + address[to:]
}

// passwordAt looks at the text: what holds a reference, or any letter in its
// password, is no valid address.
func passwordAt(address string) (from, to int) {
	if !strings.Contains(address, "@") || !strings.Contains(address, "://") {
		return 0, 0
	}
	shape := []byte(address)
	ReplaceReferences(address, func(at int, ref string) string {
		copy(shape[at:], strings.Repeat("\x00", len(ref)))
		return ""
	})
	found := regexp.MustCompile(`^\s*[A-Za-z][A-Za-z0-9+.-]*://[^/?#@:\s]*:([^/?#\s]+)@`).FindSubmatchIndex(shape)
	if found == nil || strings.ContainsRune(string(shape[found[2]:found[3]]), 0) {
		return 0, 0
	}
	return found[2], found[3]
}

// AddressWithPassword returns the first address in a JSON value that has its password
// written out, with PasswordReference in its place; "" where there is none.
func AddressWithPassword(raw json.RawMessage) string {
	first := ""
	if !strings.Contains(string(raw), "@") && !strings.Contains(string(raw), `\u`) {
		return ""
	}
	_, err := MapAllStrings(raw, func(text string) string {
		if first == "" && Password(text) != "" {
			first = ReplacePassword(text, PasswordReference)
		}
		return text
	})
	if err != nil {
		return ""
	}
	return first
}
