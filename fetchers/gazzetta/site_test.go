package gazzetta

import (
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"
)

// Links lead to this site as a browser would follow them, without sessions and
// echoes; those to elsewhere lead nowhere.
func TestAddress(t *testing.T) {
	t.Parallel()
	s, err := newSite("http://127.0.0.1:8080/copy/", nil)
	require.NoError(t, err)
	const base = "http://127.0.0.1:8080/copy"
	for link, want := range map[string]string{
		"/rss/SG": base + "/rss/SG",
		"rss/SG":  base + "/rss/SG",
		"http://www.gazzettaufficiale.it/eli/id/2026/06/13/26A02924/SG":       base + "/eli/id/2026/06/13/26A02924/SG",
		"/atto/x/caricaArticolo;jsessionid=0a.b2?a=1&elenco30giorni=true&b=2": base + "/atto/x/caricaArticolo?a=1&b=2",
		"/atto/x?atto.tipoProvvedimento=DECRETO LEGISLATIVO":                  base + "/atto/x?atto.tipoProvvedimento=DECRETO+LEGISLATIVO",
		"/atto/x?atto.tipoProvvedimento=DECRETO+LEGISLATIVO%20":               base + "/atto/x?atto.tipoProvvedimento=DECRETO+LEGISLATIVO%20",
		"/atto/x?t=legalità\"<>":                                              base + "/atto/x?t=legalit%C3%A0%22%3C%3E",
		" /atto/\n\tx?a=1\r\n":                                                base + "/atto/x?a=1",
		"https://www.example.org/rss/SG":                                      "",
		"mailto:someone@gazzettaufficiale.it":                                 "",
		"%zz":                                                                 "",
	} {
		require.Equal(t, want, s.address(link), link)
	}
}

// Quotes come out of a page as they went in; what needs an escape keeps it.
func TestPlainQuotes(t *testing.T) {
	t.Parallel()
	for html, want := range map[string]string{
		`<pre>l'attivita' "A" &amp; &lt;b&gt; &amp;#39;</pre>`: `<pre>l'attivita' "A" &amp; &lt;b&gt; &amp;#39;</pre>`,
		`<pre title='a"b'>c"d<br/>'</pre>`:                     `<pre title="a&#34;b">c"d<br/>'</pre>`,
	} {
		doc, err := goquery.NewDocumentFromReader(strings.NewReader(html))
		require.NoError(t, err)
		got, err := goquery.OuterHtml(doc.Find("pre"))
		require.NoError(t, err)
		require.Equal(t, want, plainQuotes(got))
		again, err := goquery.NewDocumentFromReader(strings.NewReader(want))
		require.NoError(t, err)
		require.Equal(t, doc.Text(), again.Text())
	}
}

// A title keeps what is in brackets at its end, unless it is the act's own code.
func TestTitlesLoseTheirOwnCodeAlone(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"Misure urgenti (COVID19) (26A02924)": "Misure urgenti (COVID19)",
		"Misure urgenti (COVID19)":            "Misure urgenti (COVID19)",
		"Misure urgenti":                      "Misure urgenti",
	} {
		require.Equal(t, want, withoutCode(title, "26A02924"))
	}
}
