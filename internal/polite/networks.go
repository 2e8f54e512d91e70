package polite

import "net/netip"

// inside names the kind of a non-public address; "" if it is public. The lists follow
// the IANA registries of special-purpose addresses (RFC 6890).
func inside(a netip.Addr) string {
	switch {
	case !a.IsValid() || a.IsUnspecified():
		return "an unspecified address"
	case a.IsLoopback():
		return "a loopback address"
	case a.IsPrivate():
		return "a private address"
	case a.IsLinkLocalUnicast():
		return "a link-local address"
	case a.IsMulticast():
		return "a multicast address"
	case a.Is4():
		return inside4(a.As4())
	default:
		return inside6(a)
	}
}

func inside4(b [4]byte) string {
	switch {
	case b[0] == 0:
		return "an address of this network"
	case b[0] == 100 && b[1]&0xc0 == 64:
		return "a carrier's shared address"
	case b[0] == 192 && b[1] == 0 && b[2] == 0, b[0] >= 240:
		return "a reserved address"
	case b[0] == 198 && b[1]&0xfe == 18:
		return "a benchmarking address"
	default:
		return ""
	}
}

// inside6 checks the embedded IPv4 address of NAT64 and 6to4.
func inside6(a netip.Addr) string {
	b := a.As16()
	switch {
	case within(a, "64:ff9b::/96"):
		return inside(netip.AddrFrom4([4]byte(b[12:])))
	case within(a, "2002::/16"):
		return inside(netip.AddrFrom4([4]byte(b[2:6])))
	case within(a, "fec0::/10"), within(a, "64:ff9b:1::/48"):
		return "a site-local address"
	case within(a, "::/96"), within(a, "100::/64"), within(a, "2001::/32"):
		return "a reserved address"
	default:
		return ""
	}
}

func within(a netip.Addr, prefix string) bool { return netip.MustParsePrefix(prefix).Contains(a) }
