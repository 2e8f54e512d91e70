package site

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"hash/fnv"
	"net/http"
	"strconv"
	"strings"

	"golang.org/x/text/encoding/charmap"
)

// Pages that stand before the real one, or in its place.
const (
	Challenge = `<!DOCTYPE html><html><head><title>Just a moment...</title></head><body><div id="cf-browser-verification">Checking your browser</div></body></html>`
	Login     = `<!DOCTYPE html><html><head><title>Accesso</title></head><body><form method="post"><input name="user"><input type="password" name="pass"><button>Entra</button></form></body></html>`
	NotFound  = `<!DOCTYPE html><html><head><title>Pagina non trovata | Comune</title></head><body><h1>Pagina non trovata</h1></body></html>`
	Redesign  = `<!DOCTYPE html><html><head><title>Comune</title></head><body><div class="hero"><h2>Il nuovo sito</h2></div></body></html>`
)

const style = "<style>body{font:16px/1.5 sans-serif;margin:0}nav a{color:#036}.card>h2{margin:0}@media(max-width:40em){nav{display:none}}</style>"

// frame is what every page has around its own.
func frame(title, body string) string {
	return `<!DOCTYPE html>
<html lang="it">
<head>
<meta charset="utf-8">
<title>` + title + ` | Comune di Prova</title>
<link rel="stylesheet" href="/style.css">
` + style + `
<script>window.dataLayer=window.dataLayer||[];if(1<2&&"</p>"){dataLayer.push({"page":"x"})}</script>
</head>
<body class="page">
<header><a class="logo" href="/"><img src="/logo.png" alt="Comune"></a>
<nav><ul><li><a href="/list">Atti</a></li><li><a href="/rows">Albo pretorio</a></li><li><a href="/?a=1&amp;b=2">Servizi &amp; orari</a></li></ul></nav>
</header>
` + body + `
<footer><p>© Comune di Prova – P. IVA 00000000000</p></footer>
</body>
</html>
`
}

const words = "La giunta comunale delibera di approvare il progetto di riqualificazione della piazza, perché così è stato chiesto dai cittadini. "

// render writes page n in its version.
func render(n, version int, c Config) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<main id="content"><article class="act"><h1 class="act__title">Delibera n. %d: è approvata</h1>
<p class="meta">Pubblicata il <time datetime="%s">%s</time>, importo <span class="amount">%s €</span></p>
<div class="body">
`, n, Date(n), Date(n), Amount(n))
	if version > 0 {
		fmt.Fprintf(&b, "<p>Revisione %d.</p>\n", version)
	}
	for i := 0; b.Len()+2200 < c.Size; i++ {
		fmt.Fprintf(&b, `<section class="part"><h2>Articolo %d</h2><p>%s<a href="/acts/%d">vedi <em>anche</em></a>.</p><ul><li>punto %d</li><li>punto <b>%d</b></li></ul></section>
`, i+1, words, (n+i)%max(1, c.Pages), i, i+1)
	}
	b.WriteString(`</div><table class="files"><tbody><tr><th>Allegato</th><th>Peso</th></tr><tr><td><a href="/files/1.pdf">Testo</a></td><td>1,2 MB</td></tr></tbody></table></article></main>`)
	return frame("Delibera n. "+strconv.Itoa(n), b.String())
}

// Date is the day of page n.
func Date(n int) string { return fmt.Sprintf("2026-%02d-%02d", 1+n/28%12, 1+n%28) }

// Amount is the sum on page n, as Italian offices write it.
func Amount(n int) string { return fmt.Sprintf("%d.%03d,50", 1+n/1000, n%1000) }

func (s *Site) encode(text string) []byte {
	if s.config.Charset == "" {
		return []byte(text)
	}
	text = strings.Replace(text, `<meta charset="utf-8">`, `<meta charset="`+s.config.Charset+`">`, 1)
	b, err := charmap.Windows1252.NewEncoder().Bytes([]byte(text))
	if err != nil {
		return []byte(text)
	}
	return b
}

func sum(b []byte) uint64 {
	h := fnv.New64a()
	h.Write(b) // a hash never fails
	return h.Sum64()
}

func (s *Site) serveList(w http.ResponseWriter, r *http.Request) {
	list := number(r.URL.Query(), "page")
	numbers, lists := s.on(list)
	var b strings.Builder
	b.WriteString(`<main><h1>Atti</h1><ul class="acts">`)
	for _, n := range numbers {
		fmt.Fprintf(&b, `<li><a href="/acts/%d#top">Delibera %d</a> <a class="also" href="/acts/%d">leggi</a></li>`+"\n", n, n, n)
	}
	if len(numbers) == 0 {
		b.WriteString(`</ul><ul><li class="none">Nessun risultato</li>`)
	}
	b.WriteString("</ul>" + more("/list", list, lists) + "</main>")
	s.send(w, r, s.contentType(), s.encode(frame("Atti", b.String())))
}

func (s *Site) serveRows(w http.ResponseWriter, r *http.Request) {
	list := number(r.URL.Query(), "page")
	numbers, lists := s.on(list)
	var b strings.Builder
	b.WriteString(`<main><table class="rows"><thead><tr><th>Atto</th></tr></thead><tbody>`)
	for _, n := range numbers {
		fmt.Fprintf(&b, `<tr data-id="%d"><td><a href="/acts/%d">Delibera n. %d: perché</a></td><td class="date">%s</td><td class="amount">%s</td></tr>`+"\n",
			n, n, n, Date(n), Amount(n))
	}
	b.WriteString("</tbody></table>" + more("/rows", list, lists) + "</main>")
	s.send(w, r, s.contentType(), s.encode(frame("Albo", b.String())))
}

// serveCalendar has a page for every month there will ever be.
func (s *Site) serveCalendar(w http.ResponseWriter, r *http.Request) {
	month := number(r.URL.Query(), "page")
	body := fmt.Sprintf(`<main><h1>Mese %d</h1><ul class="acts"><li><a href="/acts/0">sempre questo</a></li></ul><a rel="next" href="/calendar?page=%d">avanti</a></main>`, month, month+1)
	s.send(w, r, s.contentType(), s.encode(frame("Calendario", body)))
}

// serveMaze answers for any address below it with a relative link further down.
func serveMaze(w http.ResponseWriter, r *http.Request) {
	deeper := strings.TrimSuffix(r.URL.Path, "/") + "/maze/x"
	Answer{Body: frame("Labirinto", `<main><ul class="acts"><li><a href="`+deeper+`">oltre</a></li></ul><a rel="next" href="`+deeper+`/">avanti</a></main>`)}.send(w)
}

const sitemapSpace = `xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"`

func (s *Site) sitemapOf(host string, numbers []int) []byte {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?><urlset ` + sitemapSpace + ">\n")
	for _, n := range numbers {
		s.mu.Lock()
		version := s.versions[n]
		s.mu.Unlock()
		fmt.Fprintf(&b, "<url><loc>http://%s%s</loc><lastmod>2026-05-03T10:00:%02dZ</lastmod></url>\n", host, Path(n), version)
	}
	return []byte(b.String() + "</urlset>")
}

func (s *Site) serveSitemap(w http.ResponseWriter, r *http.Request) {
	pages, _ := s.size()
	all := make([]int, pages)
	for i := range all {
		all[i] = i
	}
	s.send(w, r, "application/xml", s.sitemapOf(r.Host, all))
}

func (s *Site) serveIndex(w http.ResponseWriter, r *http.Request) {
	_, lists := s.size()
	var b strings.Builder
	b.WriteString(`<sitemapindex ` + sitemapSpace + ">")
	for i := range lists {
		fmt.Fprintf(&b, "<sitemap><loc>http://%s/parts/%d.xml.gz</loc></sitemap>\n", r.Host, i+1)
	}
	s.send(w, r, "text/xml", []byte(b.String()+"</sitemapindex>"))
}

func (s *Site) servePart(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSuffix(r.PathValue("n"), ".gz"), ".xml"))
	numbers, lists := s.on(n)
	if err != nil || n < 1 || n > lists {
		Answer{Status: http.StatusNotFound, Body: NotFound}.send(w)
		return
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(s.sitemapOf(r.Host, numbers)) // a buffer takes everything
	z.Close()                             // the same
	s.send(w, r, "application/x-gzip", b.Bytes())
}
