package polite

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMaskURL(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://u:p@h/x#frag":                                                "https://h/x",
		"https://h/x?a=1&token=abc&b=2":                                       "https://h/x?a=1&token=***&b=2",
		"https://h/x?API_KEY=abc;q=vino+rosso":                                "https://h/x?API_KEY=***;q=vino+rosso",
		"https://h/x?apiKey=a&accessToken=b&sig=c":                            "https://h/x?apiKey=***&accessToken=***&sig=***",
		"https://h/x?X-Amz-Signature=abc&X-Amz-Security-Token=d&X-Amz-Date=1": "https://h/x?X-Amz-Signature=***&X-Amz-Security-Token=***&X-Amz-Date=1",
		"https://h/x?%74oken=abc":                                             "https://h/x?%74oken=***",
		"https://h/x?auth[pass]=a&user[name]=b":                               "https://h/x?auth[pass]=***&user[name]=b",
		"https://h/x?PHPSESSID=a&client_secret=b":                             "https://h/x?PHPSESSID=***&client_secret=***",
		"https://h/x?verb=ListRecords&resumptionToken=a1":                     "https://h/x?verb=ListRecords&resumptionToken=a1",
		"https://h/x?pageToken=a1&next_token=b&pagination_token=c":            "https://h/x?pageToken=a1&next_token=b&pagination_token=c",
		"https://h/x?author=eco&keyword=rosa&passage=2&design=1":              "https://h/x?author=eco&keyword=rosa&passage=2&design=1",
		"https://h/x?token=&token":                                            "https://h/x?token=&token",
		"https://h/x?%zz=1&password=a%zz":                                     "https://h/x?%zz=1&password=***",
		"https://h/x?u=https%3A%2F%2Fu%3Ap%40k%2F%3Fkey%3Dabc":                "https://h/x?u=https%3A%2F%2Fk%2F%3Fkey%3D%2A%2A%2A",
		"https://h/x?u=https://k/y":                                           "https://h/x?u=https://k/y",
	} {
		u, err := url.Parse(address)
		require.NoError(t, err)
		require.Equal(t, want, MaskURL(u))
		require.Equal(t, address, u.String(), "the address itself is left alone")
	}
}

func FuzzMaskURL(f *testing.F) {
	f.Add("https://h/x?a=1", "token", "b=2")
	f.Add("http://u:p@h:80/%zz?;;&&=", "X-Amz-Signature", "%zz&u=http://x?y=z&")
	f.Add("https://h?u=http%3A%2F%2Fk%3Fq", "api_key", "")
	f.Fuzz(func(t *testing.T, address, name, rest string) {
		const secret = "geheim7f3a"
		u, err := url.Parse(address)
		if err != nil || u.Scheme == "" || u.Host == "" || strings.Contains(rest, "#") || strings.Contains(address+name+rest, secret) {
			return
		}
		for _, name := range []string{name, "token", "Api-Key", "my_password", "sig"} {
			c := *u
			c.User = url.UserPassword(secret, secret)
			c.RawQuery = u.RawQuery + "&" + url.QueryEscape(name) + "=" + secret + "&" + rest
			text := MaskURL(&c)
			if secretName(name) {
				require.NotContains(t, text, secret, name)
			}
			if again, err := url.Parse(text); err == nil && !strings.Contains(text, "%3A%2F%2F") {
				require.Equal(t, text, MaskURL(again))
			}
		}
	})
}
