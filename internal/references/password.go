package references

import (
	"encoding/json"
	"regexp"
	"strings"
)

var withPassword = regexp.MustCompile(`^\s*[A-Za-z][A-Za-z0-9+.-]*://[^/?#@:\s]*:([^/?#\s]+)@`)

// PasswordReference replaces a literal password in the addresses that messages
// suggest.
const PasswordReference = "${secret:env:VENDEMMIA_SECRET_PASSWORD}"

// Password returns the literal password in an address; "" if it has none or has a
// reference in its place.
func Password(address string) string {
	from, to := passwordAt(address)
	return address[from:to]
}

// ReplacePassword returns address with by in place of its literal password. If by is
// "", the colon before the password is removed too.
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

// passwordAt returns the bounds of the literal password, equal if there is none. It
// works on the text, since an address with a reference is not a valid URL.
func passwordAt(address string) (from, to int) {
	if !strings.Contains(address, "@") || !strings.Contains(address, "://") {
		return 0, 0
	}
	shape := []byte(address)
	Replace(address, func(at int, ref string) string {
		copy(shape[at:], strings.Repeat("\x00", len(ref)))
		return ""
	})
	found := withPassword.FindSubmatchIndex(shape)
	if found == nil || strings.ContainsRune(string(shape[found[2]:found[3]]), 0) {
		return 0, 0
	}
	return found[2], found[3]
}

// AddressWithPassword returns the first address in a JSON value that has a literal
// password, with PasswordReference in place of the password; "" if there is none.
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
