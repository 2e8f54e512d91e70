package feed_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/feed"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/paramspec"
)

func (s *source) probe(t *testing.T, path string) (harvest.Finding, error) {
	t.Helper()
	prober, ok := feed.New(s.Client()).(harvest.Prober)
	require.True(t, ok)
	return prober.Probe(t.Context(), s.URL+path)
}

func TestProbe(t *testing.T) {
	t.Parallel()
	s := newSource(t)
	page := `<html><head><title> Front
page</title><base href="/news/"><link rel="stylesheet" href="a.css"><link rel="alternate" hreflang="en" href="/en">` +
		`<link rel="alternate" type="application/atom+xml" title="All" href="all.xml"><link rel="alternate" type="application/rss+xml" href="/two"></head></html>`
	s.set("/feed", text(rss("<language>it</language>", 3, 9, 4), ""))
	s.set("/news/all.xml", text(rss("", 1), ""))
	s.set("/page", text(page, ""))
	s.set("/other", text("<html><title>Nothing</title></html>", ""))
	s.set("/list", text(`<opml><body><outline xmlUrl="https://x.org/1"/></body></opml>`, ""))
	s.set("/lies", text(`<html><link rel="alternate" type="application/rss+xml" href="/other"></html>`, ""))
	s.set("/numbers", text(`<rss><channel><item><guid>17</guid></item></channel></rss>`, ""))

	direct, err := s.probe(t, "/feed")
	require.NoError(t, err)
	require.Equal(t, 100, direct.Sure)
	require.Equal(t, "T", direct.Title)
	require.Equal(t, "RSS 2.0 · 3 entries · last 2026-01-10", direct.Detail)
	require.JSONEq(t, `{"url":"`+s.URL+`/feed"}`, string(direct.Params))
	require.Equal(t, []harvest.Fact{{Name: "format", Value: "RSS 2.0"}, {Name: "entries", Value: "3"}, {Name: "unreadable", Value: "0"}, {Name: "newest", Value: "2026-01-10"}}, direct.Facts)

	named, err := s.probe(t, "/page")
	require.NoError(t, err)
	require.Equal(t, 80, named.Sure)
	require.JSONEq(t, `{"url":"`+s.URL+`/news/all.xml"}`, string(named.Params))
	require.Contains(t, named.Detail, "names 1 more: "+s.URL+"/two")

	list, err := s.probe(t, "/list")
	require.NoError(t, err)
	require.JSONEq(t, `{"opml":"`+s.URL+`/list"}`, string(list.Params))

	other, err := s.probe(t, "/other")
	require.NoError(t, err)
	require.Equal(t, 0, other.Sure)
	require.Equal(t, "Nothing", other.Title)

	lies, err := s.probe(t, "/lies")
	require.NoError(t, err)
	require.Less(t, lies.Sure, 50)
	require.Empty(t, lies.Params)

	numbers, err := s.probe(t, "/numbers")
	require.NoError(t, err)
	require.JSONEq(t, `{"url":"`+s.URL+`/numbers","id_prefix":"127.0.0.1:"}`, string(numbers.Params))

	_, err = s.probe(t, "/nowhere")
	require.Equal(t, harvest.KindGone, harvest.KindOf(err))
	for _, f := range []harvest.Finding{direct, named, list, numbers} {
		require.Empty(t, paramspec.Check(f.Params, feed.Params{}), "ready to use")
	}
}
