package polite

import (
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// masked replaces a secret in the ledger.
const masked = "***"

// maskDepth is how deep addresses inside query values are masked.
const maskDepth = 3

// MaskURL returns an address as the ledger keeps it: without userinfo and
// fragment, and with the values of secret-looking query parameters replaced by
// ***. Paging tokens are no secrets: an audit needs them.
func MaskURL(u *url.URL) string { return maskURL(u, maskDepth) }

func maskURL(u *url.URL, depth int) string {
	c := *u
	c.User, c.Fragment, c.RawFragment = nil, "", ""
	c.RawQuery = maskQuery(u.RawQuery, depth)
	return c.String()
}

// maskQuery works on the raw query, so that the rest stays as it was sent.
func maskQuery(query string, depth int) string {
	var b strings.Builder
	for len(query) > 0 {
		i := strings.IndexAny(query, "&;")
		if i < 0 {
			b.WriteString(maskPair(query, depth))
			break
		}
		b.WriteString(maskPair(query[:i], depth))
		b.WriteByte(query[i])
		query = query[i+1:]
	}
	return b.String()
}

func maskPair(pair string, depth int) string {
	name, value, ok := strings.Cut(pair, "=")
	if !ok || value == "" {
		return pair
	}
	if secretName(unescape(name)) {
		return name + "=" + masked
	}
	return name + "=" + maskValue(value, depth)
}

// maskValue masks an address that is itself a query value.
func maskValue(value string, depth int) string {
	plain := unescape(value)
	if !strings.Contains(plain, "://") {
		return value
	}
	u, err := url.Parse(plain)
	if err != nil || depth == 0 {
		return masked
	}
	if u.User == nil && u.RawQuery == "" && u.Fragment == "" {
		return value
	}
	return url.QueryEscape(maskURL(u, depth-1))
}

func unescape(s string) string {
	if plain, err := url.QueryUnescape(s); err == nil {
		return plain
	}
	return s
}

// secretName reports whether a parameter's name says that its value is secret.
func secretName(name string) bool {
	words := split(name)
	if len(words) == 0 || paging(words) {
		return false
	}
	for _, w := range words {
		switch w {
		case "key", "auth", "oauth", "authorization", "sig", "pass", "pwd", "sid", "session", "jwt", "bearer", "hmac":
			return true
		}
	}
	low := strings.Join(words, "")
	for _, part := range []string{"token", "apikey", "secret", "password", "passwd", "signature", "credential", "sessid", "sessionid"} {
		if strings.Contains(low, part) {
			return true
		}
	}
	return false
}

// paging recognizes resumptionToken, page_token, next_key and similar names.
func paging(words []string) bool {
	switch last := words[len(words)-1]; last {
	case "resumptiontoken", "pagetoken", "nexttoken":
		return true
	case "token", "key":
		return slices.ContainsFunc(words, func(w string) bool {
			return slices.Contains([]string{"resumption", "page", "next", "pagination", "continuation", "cursor"}, w)
		})
	default:
		return false
	}
}

// split splits a name into words, at punctuation and before capitals.
func split(name string) []string {
	var b strings.Builder
	last := ' '
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			r = ' '
		case unicode.IsUpper(r) && unicode.IsLower(last):
			b.WriteByte(' ')
		}
		last = r
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.Fields(b.String())
}
