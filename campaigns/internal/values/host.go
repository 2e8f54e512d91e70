package values

import (
	"net/netip"
	"strings"

	"golang.org/x/net/idna"
)

// Host writes the name of a host as it is asked for: small letters, without a dot at
// its end, other scripts encoded (xn--…), and an IPv6 address in its one form. What
// is not a name comes back as it is.
func Host(name string) string {
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	if a, err := netip.ParseAddr(name); err == nil {
		return a.String()
	}
	if ascii, err := idna.Lookup.ToASCII(name); err == nil {
		return ascii
	}
	return name
}
