package campaignfiles

import (
	"net/url"
	"strings"
)

// CampaignName makes a name of an address' host: www.ansa.it is ansa.
func CampaignName(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "source"
	}
	labels := strings.Split(strings.TrimPrefix(strings.ToLower(u.Hostname()), "www."), ".")
	if len(labels) > 1 && !strings.ContainsAny(labels[len(labels)-1], "0123456789") {
		labels = labels[:len(labels)-1]
	}
	name := strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.Join(labels, "-")), "-")
	if name = name[:min(len(name), 60)]; name == "" {
		return "source"
	}
	return name
}
