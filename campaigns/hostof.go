package campaigns

import (
	"net/url"

	"github.com/vendemmia/vendemmia/campaigns/internal/values"
)

// HostOf names the host of an address as `hosts:` does, whatever its port; "" where
// the text is no http address.
func HostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return values.Host(u.Hostname())
}
