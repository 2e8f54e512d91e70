package web

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/internal/answer"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/paramspec"
)

const fuzzedFields = `{"url":"https://www.example.org/list","links":"a","next":"a[rel=next]","max_pages":3,"fields":{"title":{"css":"h1","all":false},` +
	`"n":{"css":"p","as":"number","decimal":"comma"},"d":{"css":"time","as":"date","zone":"Europe/Rome"},"u":{"css":"img","as":"url","all":true},"h":{"css":"p","as":"html"}}}`

// FuzzPages: whatever comes, reading it neither panics nor runs without end, and
// what comes out can be stored.
func FuzzPages(f *testing.F) {
	for _, seed := range []string{
		"<h1>x</h1><p>1.234,5</p><time datetime='2026-01-02'>", "<a href='?a'>1</a><a rel=next href='?b'>2</a>", "\xff\xfe<\x00h\x00", "<base href='//x/%'><a href='%zz'>", "<svg><a href=x>",
		"<meta charset=utf-16><p>\xc3\x28", "<time>3 de mayo de 2026</time><p>−1 000</p>",
	} {
		f.Add([]byte(seed), "text/html")
	}
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		client := &http.Client{Transport: always(func(r *http.Request) *http.Response {
			return reply(r, contentType, body)
		})}
		sum, err := harvest.Pump(t.Context(), New(client), harvest.Request{Params: json.RawMessage(fuzzedFields), Attempt: 1}, harvest.CommitFunc(
			func(_ contextOf, p harvest.Page) (harvest.Tally, error) {
				require.NoError(t, p.Check())
				for _, d := range p.Documents {
					_, err := json.Marshal(d.Fields)
					require.NoError(t, err)
					require.True(t, utf8.ValidString(d.ID+d.URL+d.Title))
					require.Equal(t, d.Kind == kindFile, !utf8.Valid(d.Body) || d.Kind == kindFile)
				}
				return harvest.PageTally(&p), nil
			}))
		require.LessOrEqual(t, sum.Pages, 20_000)
		if err != nil {
			require.NotEqual(t, harvest.KindInternal, harvest.KindOf(err), "%v", err)
		}
	})
}

// FuzzSitemap: a sitemap is read or refused.
func FuzzSitemap(f *testing.F) {
	for _, seed := range []string{"<urlset><url><loc>https://x/1</loc><lastmod>2026</lastmod></url></urlset>", "<sitemapindex><sitemap><loc>y</loc></sitemap></sitemapindex>", "\x1f\x8b", "https://x/\n", "<html>"} {
		f.Add([]byte(seed))
	}
	p, err := Params{URL: "https://x/", Sitemap: true}.compile()
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, body []byte) {
		s, err := p.readSitemap(fetched{Answer: answer.Answer{Body: body, Final: &url.URL{Scheme: "https", Host: "x", Path: "/"}}}, "https://x/")
		require.True(t, err == nil || harvest.KindOf(err) != harvest.KindInternal)
		require.LessOrEqual(t, len(s.pages)+len(s.children), maxSitemapLinks)
	})
}

// FuzzCheckpoint: any checkpoint is one, or none.
func FuzzCheckpoint(f *testing.F) {
	k := unpack("")
	k.put("https://x/1", entry{flags: flagDocument | flagETag, check: `"x"`})
	k.put("https://x/2", entry{flags: flagDocument | flagMod | flagNote, mod: 7, note: "id"})
	f.Add([]byte(checkpoint{On: true, Stack: []place{{URL: "https://x/", Page: 1, Skip: 3}}}.raw(&k)))
	f.Add([]byte(`{"on":true,"start":-1,"known":"AAAA"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		c := restore(raw)
		k := unpack(c.Known)
		again := restore(c.raw(&k))
		l := unpack(again.Known)
		require.Equal(t, k.pack(nil), l.pack(nil))
		if len(c.Stack) == 0 {
			return
		}
		client := &http.Client{Transport: always(func(r *http.Request) *http.Response { return reply(r, "text/html", []byte("<a href=/1>x</a>")) })}
		for _, err := range New(client).Fetch(t.Context(), harvest.Request{Params: json.RawMessage(fuzzedFields), Checkpoint: raw}) {
			require.NotEqual(t, harvest.KindInternal, harvest.KindOf(err))
		}
	})
}

func FuzzLike(f *testing.F) {
	f.Add("/a*b*", "/axxb")
	f.Fuzz(func(t *testing.T, pattern, s string) {
		require.True(t, like("*", s) && like(s+"*", s) && like(strings.ReplaceAll(s, "*", ""), strings.ReplaceAll(s, "*", "")))
		like(pattern, s)
	})
}

func TestKnownIsPackedAndUnpacked(t *testing.T) {
	t.Parallel()
	k := unpack("")
	for _, date := range []string{"Sun, 03 May 2026 07:30:00 GMT", "Sunday, 03-May-26 07:30:00 GMT", ""} {
		var e entry
		e.keep(&fetched{Answer: answer.Answer{Validators: answer.Validators{LastModified: date}, Body: []byte("x")}})
		k.put("https://x/"+date, e)
		got := unpack(string(k.pack(nil)))
		v := got.get("https://x/" + date).validators()
		require.Equal(t, date == "Sun, 03 May 2026 07:30:00 GMT", v.LastModified == date && date != "")
	}
	require.Equal(t, k.size, len(k.pack(nil))*3/4)
	for n := range 20_000 {
		k.put("https://x/"+time.Unix(int64(n), 0).String(), entry{flags: flagDocument | flagETag, check: `"0123456789abcdef"`})
	}
	require.LessOrEqual(t, len(k.pack(nil)), maxKnown*4/3+4)
	k.older()
	k.put("https://x/other", entry{flags: flagDocument | flagETag, check: `"other"`})
	require.Empty(t, k.get("https://x/0").validators().ETag+k.get("https://x/other").validators().ETag, "this walk may yet see what the last one saw")
	k.older()
	k.put("https://x/new", entry{flags: flagDocument | flagETag, check: `"new"`})
	require.Equal(t, `"new"`, k.get("https://x/new").validators().ETag, "what is old makes room")
}

func TestFieldsAreRead(t *testing.T) {
	t.Parallel()
	rome, err := time.LoadLocation("Europe/Rome")
	require.NoError(t, err)
	for text, want := range map[string]any{
		`{"css":"p","as":"number"} 1,234.50 €`:                                  1234.5,
		`{"css":"p","as":"number","decimal":"comma"} € 1.234,50`:                1234.5,
		`{"css":"p","as":"number"} −12 °C`:                                      int64(-12),
		`{"css":"p","as":"number"} 1 234 567`:                                   int64(1234567),
		`{"css":"p","as":"number"} 1.234,50 €`:                                  nil,
		`{"css":"p","as":"number"} 1,5`:                                         nil,
		`{"css":"p","as":"number","decimal":"comma"} 1.5`:                       nil,
		`{"css":"p","as":"number","decimal":"comma"} 12.345.678`:                int64(12345678),
		`{"css":"p","as":"number"} 12,34,567.5`:                                 12345.0*100 + 67.5,
		`{"css":"p","as":"number"} 1'234.5 CHF`:                                 1234.5,
		`{"css":"p","as":"number"} 12, 34`:                                      int64(12),
		`{"css":"p","as":"number"} 3 di 10`:                                     int64(3),
		`{"css":"p","as":"number"} 12 34`:                                       int64(12),
		`{"css":"p","as":"number"} n. 1,234.`:                                   int64(1234),
		`{"css":"p","match":"n\\. (\\d+)"} Delibera n. 17 del 3`:                "17",
		`{"css":"p","match":"\\d+"} Delibera n. 17 del 3`:                       "17",
		`{"css":"b","default":"none"} x`:                                        "none",
		`{"css":"p","as":"html"} <i>x</i>`:                                      "<p><i>x</i></p>",
		`{"css":"p","as":"date","zone":"Europe/Rome"} 3 maggio 2026 09:30`:      time.Date(2026, 5, 3, 9, 30, 0, 0, rome).UTC(),
		`{"css":"p","as":"date"} domenica 3 maggio 2026`:                        time.Date(2026, 5, 3, 0, 0, 0, 0, time.UTC),
		`{"css":"p","as":"date"} 3 de mayo de 2026`:                             time.Date(2026, 5, 3, 0, 0, 0, 0, time.UTC),
		`{"css":"p","as":"date"} le 1er août 2026`:                              nil,
		`{"css":"p","as":"date"} Sun, 03 May 2026 07:30:00 +0200`:               time.Date(2026, 5, 3, 5, 30, 0, 0, time.UTC),
		`{"css":"p","as":"date","layouts":["02/01/2006"]} 03/05/2026`:           time.Date(2026, 5, 3, 0, 0, 0, 0, time.UTC),
		`{"css":"p","as":"date"} 03/05/2026`:                                    nil,
		`{"css":"p","as":"date","layouts":["2 January 2006"]} 31 febbraio 2026`: nil,
		`{"css":"a","as":"url"} <a href="../x?a=1&amp;b#f">x</a>`:               "https://www.example.org/x?a=1&b#f",
		`{"css":"a","as":"url","all":true} <a href=1>x</a><a href=2>`:           []any{"https://www.example.org/a/1", "https://www.example.org/a/2"},
		`{"css":"p","as":"number"} many`:                                        nil,
		`"p" a <b>b</b><br>c  d`:                                                "a b c d",
	} {
		spec, body, _ := strings.Cut(text, "} ")
		if strings.HasPrefix(text, `"p"`) {
			spec, body = `"p"`, text[4:]
		} else {
			spec += "}"
		}
		var params Params
		require.NoError(t, json.Unmarshal([]byte(`{"url":"https://x/","fields":{"v":`+spec+`}}`), &params), text)
		p, err := params.compile()
		require.NoError(t, err)
		d, err := p.parse(fetched{Answer: answer.Answer{Body: []byte("<p>" + body), Final: &url.URL{Scheme: "https", Host: "www.example.org", Path: "/a/b"}}}, "https://www.example.org/a/b")
		require.NoError(t, err)
		i := 0
		for p.fields[i].name != "v" {
			i++
		}
		got, bad := p.fields[i].values(d.root, d.base)
		switch list, isList := want.([]any); {
		case want == nil:
			require.NotEmpty(t, bad, text)
		case isList:
			require.Equal(t, list, got, text)
		default:
			require.Empty(t, bad, text)
			require.Equal(t, []any{want}, got, text)
		}
	}
}

func TestBadParamsAreFoundBeforeTheyAreUsed(t *testing.T) {
	t.Parallel()
	for params, want := range map[string]string{
		`{"url":"x.org"}`:                                                     "http://",
		`{"url":"https://x/","links":"a["}`:                                   `links: "a[" is not a selector`,
		`{"url":"https://x/","links":"a","rows":"tr"}`:                        "rows and links",
		`{"url":"https://x/","sitemap":true,"links":"a"}`:                     "a sitemap has no links",
		`{"url":"https://x/","next":"a"}`:                                     "give links or rows",
		`{"url":"https://x/","links":"a","next":"a","page_param":"p"}`:        "one of them",
		`{"url":"https://x/","fields":{"t":{"cs":"a"}}}`:                      "did you mean css?",
		`{"url":"https://x/","fields":{"t":{"as":"txt"}}}`:                    "one of text",
		`{"url":"https://x/","fields":{"t":{"css":"a","match":"("}}}`:         "not a regular expression",
		`{"url":"https://x/","fields":{"t":{"css":"a","zone":"Roma"}}}`:       "Europe/Rome",
		`{"url":"https://x/","fields":{"published":{"css":"a","as":"text"}}}`: "fields.published",
		`{"url":"https://x/","fields":{"title":{"css":"a","all":true}}}`:      "fields.title",
		`{"url":"https://x/","fields":{"t":{"css":"a","as":"none"}}}`:         "for body alone",
		`{"url":"https://x/","links":"a","max_pages":9999}`:                   "at most 5000",
		`{"url":"https://x/","encoding":"klingon"}`:                           "not known",
		`{"url":"https://x/","revisit":"never"}`:                              "one of all, changed",
	} {
		problems := paramspec.Check(json.RawMessage(params), Params{})
		require.NotEmpty(t, problems, params)
		require.Contains(t, problems[0].Text, want, params)
	}
	require.Empty(t, paramspec.Check(json.RawMessage(`{"url":"${secret:env:U}"}`), Params{}))
}
