package campaigns_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
)

func TestHostOf(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://www.example.org/a?b":   "www.example.org",
		"HTTP://WWW.Example.ORG.:8080/": "www.example.org",
		"http://Bücher.example/":        "xn--bcher-kva.example",
		"http://xn--bcher-kva.example/": "xn--bcher-kva.example",
		"http://b%C3%BCcher.example/":   "xn--bcher-kva.example",
		"http://under_score.example/":   "under_score.example",
		"http://[2001:DB8:0::1]:80/":    "2001:db8::1",
		"http://127.0.0.1:1234/":        "127.0.0.1",
		"ftp://example.org/":            "",
		"example.org":                   "",
		"http://a b/":                   "",
	} {
		require.Equal(t, want, campaigns.HostOf(address), address)
	}
}
