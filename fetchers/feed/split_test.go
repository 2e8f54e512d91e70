package feed_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/feed"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/paramspec"
)

const opml = `<?xml version="1.0" encoding="ISO-8859-1"?>
<opml version="2.0"><head><title>Elenco</title></head><body>
<outline text="Italia">
  <outline type="rss" text="Uno" title="Primo" xmlUrl="https://www.example.org/1.xml" htmlUrl="https://www.example.org/"/>
  <outline type="rss" text="Citt` + "\xe0" + ` &amp; paesi" xmlUrl="/2.xml"></outline>
  <outline text="spento" isComment="true" xmlUrl="https://www.example.org/3.xml"/>
</outline>
<outline text="Doppio" xmlURL="https://www.example.org/1.xml">
</body></opml>`

func (s *source) split(t *testing.T, params string) (elements []harvest.Element, err error) {
	t.Helper()
	splitter, ok := feed.New(s.Client()).(harvest.Splitter)
	require.True(t, ok)
	for e, err := range splitter.Split(t.Context(), harvest.Request{Params: json.RawMessage(params)}) {
		if err != nil {
			return elements, err
		}
		elements = append(elements, e)
	}
	return elements, nil
}

func TestSplit(t *testing.T) {
	t.Parallel()
	s := newSource(t)
	whole := opml[:len(opml)-len("\n</body></opml>")] + "</outline></body></opml>"
	s.set("/list", text(whole, ""))
	got, err := s.split(t, `{"opml":"`+s.URL+`/list"}`)
	require.NoError(t, err)
	require.Equal(t, []harvest.Element{
		{Label: "Primo", Params: json.RawMessage(`{"url":"https://www.example.org/1.xml"}`)},
		{Label: "Città & paesi", Params: json.RawMessage(`{"url":"` + s.URL + `/2.xml"}`)},
	}, got)
	for _, e := range got {
		require.Empty(t, paramspec.Check(e.Params, feed.Params{}))
	}
}

func TestHalfAListIsNone(t *testing.T) {
	t.Parallel()
	s := newSource(t)
	for name, body := range map[string]string{
		"cut": opml[:len(opml)/2], "unbalanced": opml, "a feed": rss("", 1), "a page": "<html></html>", "no XML": "no",
	} {
		s.set("/list", text(body, ""))
		got, err := s.split(t, `{"opml":"`+s.URL+`/list"}`)
		require.Equal(t, harvest.KindBroken, harvest.KindOf(err), name)
		require.Empty(t, got, name)
	}
	_, err := s.split(t, `{"opml":"`+s.URL+`/nowhere"}`)
	require.Equal(t, harvest.KindGone, harvest.KindOf(err))
	_, err = s.split(t, `{"url":"`+s.URL+`/feed"}`)
	require.Equal(t, harvest.KindMisconfigured, harvest.KindOf(err))
}

func TestAListIsNoFeed(t *testing.T) {
	t.Parallel()
	s := newSource(t)
	r := s.fetch(t, nil, func(r *harvest.Request) { r.Params = json.RawMessage(`{"opml":"` + s.URL + `/list"}`) })
	require.Equal(t, harvest.KindMisconfigured, harvest.KindOf(r.err))
	require.ErrorContains(t, r.err, "split")
}
