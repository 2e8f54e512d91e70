package polite

import (
	"strings"
	"unicode"
)

// userAgent adds the contact to the product as a comment (RFC 9110, section
// 10.1.5), inside the product's own comment where it ends in one.
func userAgent(product, contact string) string {
	contact = strings.Join(strings.Fields(strings.Map(plain, contact)), " ")
	if contact == "" {
		return product
	}
	if head, ok := strings.CutSuffix(product, ")"); ok {
		return head + "; contact " + contact + ")"
	}
	return product + " (contact " + contact + ")"
}

// plain drops what would end the comment or the header line.
func plain(r rune) rune {
	if unicode.IsControl(r) || strings.ContainsRune(`()\`, r) {
		return ' '
	}
	return r
}
