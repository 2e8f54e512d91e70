package visit_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/visit"
)

func TestMovesOfParams(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ param, hops, want string }{
		{"http://a.example/feed", "http://a.example/feed https://a.example/feed", "https://a.example/feed"},
		{"http://a.example", "http://a.example/ https://a.example/", "https://a.example/"},
		{"http://a.example/oai", "http://a.example/oai?verb=Identify https://b.example/repo/oai?verb=Identify", "https://b.example/repo/oai"},
		{"http://a.example/?x=1", "http://a.example/?x=1&page=2 https://a.example/?x=1&page=2", "https://a.example/?x=1"},
		{"http://a.example/feed", "http://a.example/feed http://b.example/feed|http://b.example/feed https://b.example/rss", "https://b.example/rss"},
		{"http://a.example/?type=rss", "http://a.example/?type=rss http://a.example/feed.xml", "http://a.example/feed.xml"},
		{"http://a.example/", "http://a.example/?p=1 http://a.example/one-post", ""}, // another page's
		{"http://a.example/feed", "http://a.example/other http://b.example/other", ""},
		{"not an address", "http://a.example/ http://b.example/", ""},
	} {
		m := &visit.Moves{}
		for hop := range strings.SplitSeq(c.hops, "|") {
			from, to, _ := strings.Cut(hop, " ")
			u, err := url.Parse(from)
			require.NoError(t, err)
			v, err := url.Parse(to)
			require.NoError(t, err)
			m.Note(u, v, to)
		}
		params := []byte(`{"urls":["` + c.param + `"],"n":1}`)
		if c.want == "" {
			require.Empty(t, m.Warnings(params), c.param)
			continue
		}
		require.Equal(t, []string{harvest.Redact(c.param) + " has moved to " + c.want + "; write the new address into the file"}, m.Warnings(params), c.hops)
		require.Empty(t, m.Warnings(params), "once")
	}
}

func TestAMoveShowsNoSecrets(t *testing.T) {
	t.Parallel()
	m := &visit.Moves{}
	from, _ := url.Parse("http://u:pw@a.example/?token=s3cret")
	to, _ := url.Parse("https://u:pw@a.example/?token=s3cret")
	m.Note(from, to, "https://a.example/?token=***")
	text := strings.Join(m.Warnings([]byte(`{"url":"http://u:pw@a.example/?token=s3cret"}`)), "")
	require.Equal(t, "http://a.example/ has moved to https://a.example/?token=***; write the new address into the file", text)
}
