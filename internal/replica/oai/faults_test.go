package oai

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// broken is a repository of 350 records, 100 a page, seen through a fault.
type broken struct {
	*testing.T
	r    *Repository
	base string
}

func (b broken) ask(args ...string) *document { b.Helper(); return ask(b, b.base, args...) }

func (b broken) walk(args ...string) []*document { b.Helper(); return walk(b, b.base, 12, args...) }

func (b broken) next(d *document) []string {
	b.Helper()
	require.NotNil(b, d.all().Token)
	return []string{"verb", "ListRecords", "resumptionToken", d.all().Token.Text}
}

func (b broken) get(args ...string) (*http.Response, []byte) {
	b.Helper()
	resp, body, err := get(b, b.base, args...)
	require.NoError(b, err)
	return resp, body
}

// whole requires that a list is all there, each record once.
func (b broken) whole(docs []*document) {
	b.Helper()
	living, deleted := ids(docs)
	require.Equal(b, b.r.Living(""), living)
	require.Equal(b, b.r.Deleted(""), deleted)
}

// statuses are those of the same request, asked again and again.
func (b broken) statuses(n int, args ...string) (list []int) {
	for range n {
		resp, _ := b.get(args...)
		list = append(list, resp.StatusCode)
	}
	return list
}

// wellFormed reports whether the strict parser reads it, entities left alone.
func wellFormed(body []byte) bool {
	d := xml.NewDecoder(bytes.NewReader(body))
	for {
		if _, err := d.Token(); err != nil {
			return err == io.EOF
		}
	}
}

// text requires what must stand in the first page, and whether a strict parser
// reads it.
func text(parses bool, parts ...string) func(b broken) {
	return func(b broken) {
		_, body := b.get(records()...)
		for _, part := range parts {
			require.Contains(b, string(body), part)
		}
		require.Equal(b, parses, wellFormed(body))
	}
}

func readable(b broken) { b.whole(b.walk(records()...)) }

func both(checks ...func(b broken)) func(b broken) {
	return func(b broken) {
		for _, check := range checks {
			check(b)
		}
	}
}

func always(status int) func(b broken) {
	return func(b broken) { require.Equal(b, []int{status, status}, b.statuses(2, "verb", "Identify")) }
}

func onceOnly(status int) func(b broken) {
	return func(b broken) {
		require.Equal(b, []int{status, 200, 200}, b.statuses(3, "verb", "Identify"))
		require.Equal(b, []int{status, 200}, b.statuses(2, records()...))
	}
}

func tokensAre(status int) func(b broken) {
	return func(b broken) {
		d := b.ask(records()...)
		require.Equal(b, []int{status, status}, b.statuses(2, b.next(d)...))
	}
}

func emptyIs(status int) func(b broken) {
	return func(b broken) {
		require.Equal(b, []int{status}, b.statuses(1, records("from", "2030-01-01")...))
		readable(b)
	}
}

func refusesTokens(b broken) {
	d := b.ask(records()...)
	require.Len(b, d.Records.Records, 100)
	require.Equal(b, badToken, b.ask(b.next(d)...).code())
	require.Equal(b, badToken, b.ask("verb", "ListSets", "resumptionToken", "x").code())
}

func endless(b broken) []*document {
	docs := b.walk(records()...)
	require.Len(b, docs, 12)
	return docs
}

func differentTokens(b broken, docs []*document) {
	seen := map[string]bool{}
	for _, d := range docs {
		seen[d.Records.Token.Text] = true
	}
	require.Len(b, seen, len(docs))
}

// checks are what every fault must be seen to do, by name.
func checks() map[string]func(b broken) {
	all := map[string]func(b broken){}
	for _, some := range []map[string]func(b broken){flowChecks(), statusChecks(), listChecks(), tokenChecks(), contentChecks(), hostileChecks(), argumentChecks()} {
		for name, check := range some {
			all[name] = check
		}
	}
	return all
}

func TestEveryFaultDoesWhatItSays(t *testing.T) {
	t.Parallel()
	all := checks()
	seen := map[string]bool{}
	for _, f := range Faults() {
		require.NotEmpty(t, f.Does)
		require.NotContains(t, f.Does, "\n")
		require.False(t, seen[f.Name], f.Name)
		require.Contains(t, all, f.Name)
		seen[f.Name] = true
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			r := started(t, Config{Records: 350, DeletedEvery: 50, Collections: 2})
			all[f.Name](broken{t, r, r.FaultURL(f.Name)})
		})
	}
	require.Len(t, all, len(seen), "a check of a fault that is none")
}

func flowChecks() map[string]func(b broken) {
	took := func(b broken, name string, args []string, least time.Duration) {
		begin := time.Now()
		ask(b, b.r.FaultURL(name), args...)
		require.GreaterOrEqual(b, time.Since(begin), least)
	}
	return map[string]func(b broken){
		"slow-pages": func(b broken) { took(b, "slow-pages:40", []string{"verb", "Identify"}, 40*time.Millisecond) },
		"growing-delay": func(b broken) {
			b.base = b.r.FaultURL("growing-delay:30")
			one := b.ask(records()...)
			two := b.ask(b.next(one)...)
			took(b, "growing-delay:30", b.next(two), 60*time.Millisecond)
		},
		"hang": hangs,
		"hang-up": func(b broken) {
			_, _, err := get(b, b.base, "verb", "Identify")
			require.ErrorIs(b, err, io.EOF)
			require.Equal(b, 1, b.r.Counts().Statuses[0])
		},
		"cut-stream": func(b broken) {
			one := b.ask(records()...)
			_, body, err := get(b, b.base, b.next(one)...)
			require.ErrorIs(b, err, io.ErrUnexpectedEOF)
			require.InDelta(b, 50, bytes.Count(body, []byte("</record>")), 3, "the middle of the second page")
		},
		"drip": func(b broken) {
			resp, slow := b.get("verb", "Identify")
			require.Equal(b, int64(len(slow)), resp.ContentLength)
			require.True(b, wellFormed(slow))
			took(b, "drip:20", []string{"verb", "Identify"}, 200*time.Millisecond)
		},
	}
}

func hangs(b broken) {
	ctx, cancel := context.WithTimeout(b.Context(), 50*time.Millisecond)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, b.base+"?verb=Identify", nil)
	require.NoError(b, err)
	_, err = client(b).Do(req) //nolint:bodyclose // there is none
	require.ErrorIs(b, err, context.DeadlineExceeded)

	done := make(chan error, 1)
	req, err = http.NewRequestWithContext(context.WithoutCancel(ctx), http.MethodGet, b.base+"?verb=ListSets", nil)
	require.NoError(b, err)
	c := client(b)
	go func() {
		_, err := c.Do(req) //nolint:bodyclose // there is none
		done <- err
	}()
	require.Eventually(b, func() bool { return b.r.Counts().Verbs["ListSets"] == 1 }, time.Minute, time.Millisecond)
	b.r.Close() // ends what hangs
	require.Error(b, <-done)
}

func statusChecks() map[string]func(b broken) {
	waits := func(status int, seconds bool) func(b broken) {
		return both(onceOnly(status), func(b broken) {
			begin := time.Now().Truncate(time.Second) // the header has whole seconds
			resp, _ := b.get("verb", "ListSets")
			after := resp.Header.Get("Retry-After")
			when, err := http.ParseTime(after)
			require.Equal(b, seconds, after == "1")
			require.Equal(b, seconds, err != nil)
			if !seconds {
				require.False(b, when.Before(begin.Add(time.Second)), "a second from then")
				require.False(b, when.After(time.Now().Add(time.Second)), "a second from now")
			}
		})
	}
	return map[string]func(b broken){
		"server-error": always(500), "server-error-once": onceOnly(500), "forbidden": always(403),
		"error-after": func(b broken) {
			docs := []*document{b.ask(records()...)}
			for range 2 {
				docs = append(docs, b.ask(b.next(docs[len(docs)-1])...))
			}
			require.Equal(b, []int{500, 500}, b.statuses(2, b.next(docs[2])...))
		},
		"no-default-agent": func(b broken) {
			require.Equal(b, []int{403}, b.statuses(1, "verb", "Identify"))
			for agent, want := range map[string]int{"Vendemmia/1": 200, "": 403, "Go-http-client/2.0": 403} {
				w := inside(b.r, "GET", Path+"/fault/no-default-agent?verb=Identify", "", "User-Agent", agent)
				require.Equal(b, want, w.Code, agent)
			}
		},
		"tokens-422": tokensAre(422), "tokens-500": tokensAre(500),
		"empty-window-422": emptyIs(422), "empty-window-500": emptyIs(500),
		"errors-with-status": func(b broken) {
			resp, body := b.get("verb", "none")
			require.Equal(b, 400, resp.StatusCode)
			require.Equal(b, "badVerb", parse(b, body).code())
			readable(b)
		},
		"busy-seconds": waits(503, true), "busy-date": waits(503, false), "too-many": waits(429, true),
		"busy-always": always(503),
		"moved": func(b broken) {
			resp, _ := b.get(records("set", "col_1")...)
			require.Equal(b, 302, resp.StatusCode)
			require.Equal(b, b.r.URL()+"?metadataPrefix=oai_dc&set=col_1&verb=ListRecords", resp.Header.Get("Location"))
			resp, _, err := get(b, b.r.URL(), records("set", "fault:moved")...)
			require.NoError(b, err)
			require.Equal(b, b.r.URL()+"?metadataPrefix=oai_dc&verb=ListRecords", resp.Header.Get("Location"))
		},
		"moved-in-circle": func(b broken) {
			resp, _ := b.get("verb", "Identify")
			to, err := resp.Location()
			require.NoError(b, err)
			require.Equal(b, b.base+"?verb=Identify", to.String())
		},
	}
}

func listChecks() map[string]func(b broken) {
	return map[string]func(b broken){
		"endless-list": func(b broken) {
			docs := endless(b)
			differentTokens(b, docs)
			b.whole(docs[:4])
			b.whole(docs[4:8])
		},
		"repeated-token": func(b broken) {
			docs := endless(b)
			for _, d := range docs[2:] {
				require.Equal(b, docs[0].Records.Token.Text, d.Records.Token.Text)
				require.Equal(b, docs[1].Records.Records, d.Records.Records)
			}
		},
		"same-page": func(b broken) {
			docs := endless(b)
			differentTokens(b, docs)
			for _, d := range docs {
				require.Equal(b, docs[0].Records.Records, d.Records.Records)
			}
		},
		"empty-pages": func(b broken) {
			docs := b.walk(records()...)
			b.whole(docs)
			var sizes []int
			for _, d := range docs {
				sizes = append(sizes, len(d.Records.Records))
			}
			require.Equal(b, []int{100, 0, 0, 100, 0, 0, 100, 0, 0, 50}, sizes)
		},
		"endless-empty-pages": func(b broken) {
			docs := endless(b)
			differentTokens(b, docs)
			for i, d := range docs {
				require.Equal(b, i == 0, len(d.Records.Records) == 100)
				require.Equal(b, i != 0, len(d.Records.Records) == 0)
			}
		},
		"overlapping-pages": func(b broken) {
			docs := b.walk(records()...)
			require.Len(b, docs, 4)
			for i := 1; i < len(docs); i++ {
				require.Equal(b, docs[i-1].Records.Records[99].Header.ID, docs[i].Records.Records[0].Header.ID)
			}
			living, _ := ids(docs)
			require.Equal(b, b.r.Living(""), slices.Compact(living))
		},
		"no-records-later": func(b broken) {
			d := b.ask(records()...)
			require.Len(b, d.Records.Records, 100)
			require.Equal(b, "noRecordsMatch", b.ask(b.next(d)...).code())
		},
		"no-records-at-end": func(b broken) {
			docs := b.walk(records()...)
			require.Len(b, docs, 5)
			require.Equal(b, "noRecordsMatch", docs[4].code())
			b.whole(docs)
		},
		"early-end": func(b broken) {
			d := b.ask(records()...)
			require.Equal(b, token{Size: "350", Cursor: "0"}, *d.Records.Token)
			require.Len(b, d.Records.Records, 100)
		},
		"no-token-at-end": func(b broken) {
			docs := b.walk(records()...)
			require.Nil(b, docs[3].Records.Token)
			b.whole(docs)
		},
		"always-a-token": func(b broken) {
			d := b.ask(records("set", "col_1:part_1")...)
			require.Empty(b, d.Records.Token.Text)
			require.Nil(b, ask(b, b.r.URL(), records("set", "col_1:part_1")...).Records.Token)
		},
		"size-changes": func(b broken) {
			var sizes []string
			for _, d := range b.walk(records()...) {
				sizes = append(sizes, d.Records.Token.Size)
			}
			require.Len(b, slices.Compact(sizes), 4)
		},
		"size-is-estimate": func(b broken) {
			docs := b.walk(records()...)
			require.Equal(b, "10000", docs[0].Records.Token.Size)
			b.whole(docs)
		},
		"no-size": func(b broken) {
			docs := b.walk(records()...)
			require.Equal(b, token{Text: docs[0].Records.Token.Text}, *docs[0].Records.Token)
			b.whole(docs)
		},
		"internal-exception": func(b broken) {
			require.Equal(b, "InternalException", b.ask(records()...).code())
			require.Empty(b, b.ask(records()...).code())
		},
		"internal-exception-always": func(b broken) {
			require.Equal(b, "InternalException", b.ask(records()...).code())
			require.Equal(b, "InternalException", b.ask(records()...).code())
		},
	}
}

func tokenChecks() map[string]func(b broken) {
	return map[string]func(b broken){
		"bad-token": refusesTokens,
		"expired-tokens": both(refusesTokens, func(b broken) {
			require.Equal(b, "2026-05-03T07:59:59Z", b.ask(records()...).Records.Token.Expires)
		}),
		"bad-token-once": func(b broken) {
			docs := b.walk(records()...)
			require.Len(b, docs, 4)
			require.Equal(b, badToken, docs[3].code())
			b.whole(b.walk(records()...))
		},
		"token-once": func(b broken) {
			d := b.ask(records()...)
			require.Empty(b, b.ask(b.next(d)...).code())
			require.Equal(b, badToken, b.ask(b.next(d)...).code())
			b.r.Reset()
			readable(b)
		},
		"set-lost": func(b broken) {
			docs := b.walk(records("set", "col_1")...)
			for _, h := range docs[0].all().Headers {
				require.True(b, strings.HasPrefix(h.Sets[0], "col_1:"))
			}
			require.True(b, slices.ContainsFunc(docs[1].all().Headers, func(h header) bool { return !strings.HasPrefix(h.Sets[0], "col_1:") }))
		},
		"prefix-lost": func(b broken) {
			docs := b.walk("verb", "ListRecords", "metadataPrefix", MARC)
			require.Empty(b, docs[0].Records.Records[0].Metadata.DC.Title)
			require.NotEmpty(b, docs[1].Records.Records[0].Metadata.DC.Title)
		},
		"window-lost": func(b broken) {
			docs := b.walk(records("until", "2019-12-31")...)
			_, healthy, err := get(b, b.r.URL(), records("until", "2019-12-31")...)
			require.NoError(b, err)
			require.Equal(b, parse(b, healthy).Records.Records, docs[0].Records.Records)
			living, _ := ids(docs)
			require.Len(b, living, len(b.r.Living("")))
		},
		"strange-token": both(readable, func(b broken) {
			token := b.ask(records()...).Records.Token.Text
			for _, c := range []string{" ", "%", "&", "#", "à", "<", "+"} {
				require.Contains(b, token, c)
			}
		}),
		"raw-token": func(b broken) {
			token := b.ask(records()...).Records.Token.Text
			require.Equal(b, badToken, b.ask("verb", "ListRecords", "resumptionToken", token).code())
			w := inside(b.r, "GET", Path+"/fault/raw-token?verb=ListRecords&resumptionToken="+token, "")
			require.Len(b, parse(b, w.Body.Bytes()).Records.Records, 100)
		},
	}
}

func contentChecks() map[string]func(b broken) {
	title := func(want string) func(b broken) { return text(false, "<dc:title>"+want) }
	begins := func(want string) func(b broken) {
		return func(b broken) {
			_, body := b.get(records()...)
			require.Equal(b, want, string(body[:len(want)]))
		}
	}
	return map[string]func(b broken){
		"control-characters": title("\x0b\x1f"), "illegal-references": title("&#x0B;&#0;&#xFFFF;"), "html-entities": title("&nbsp;"),
		"malformed-utf8": title("\xe9\xff"), "bare-ampersands": title("Sali & tabacchi, 1 < 2"),
		"php-notice": begins("<br />\n<b>Notice</b>"), "trailing-garbage": text(true, "</OAI-PMH>\n\n<b>Warning"),
		"blank-lines-first": begins("\n\n<?xml"), "cut-xml": text(false, "<record>"),
		"empty-body": func(b broken) {
			resp, body := b.get(records()...)
			require.Equal(b, 200, resp.StatusCode)
			require.Empty(b, body)
		},
		"html": func(b broken) {
			resp, body := b.get(records()...)
			require.Equal(b, 200, resp.StatusCode)
			require.True(b, bytes.HasPrefix(body, []byte("<!DOCTYPE html>")))
		},
		"lying-charset": both(text(false, declaration), func(b broken) {
			_, body := b.get(records()...)
			require.False(b, utf8.Valid(body))
			require.Contains(b, string(body), "Universit\xe0")
		}),
		"latin1": func(b broken) {
			resp, body := b.get(records()...)
			require.Equal(b, "text/xml", resp.Header.Get("Content-Type"))
			require.Contains(b, string(body), `encoding="ISO-8859-1"`)
			require.Contains(b, string(body), "Universit\xe0")
		},
		"lying-header": func(b broken) {
			resp, body := b.get(records()...)
			require.Equal(b, "text/xml; charset=ISO-8859-1", resp.Header.Get("Content-Type"))
			require.True(b, utf8.Valid(body) && wellFormed(body))
		},
		"no-charset": func(b broken) {
			resp, _ := b.get(records()...)
			require.Equal(b, "text/xml", resp.Header.Get("Content-Type"))
		},
		"html-header": func(b broken) {
			resp, body := b.get(records()...)
			require.Equal(b, "text/html; charset=utf-8", resp.Header.Get("Content-Type"))
			require.True(b, wellFormed(body))
		},
		"byte-order-mark": text(true, "\xef\xbb\xbf<?xml"),
		"namespaces-on-root": both(text(true, "<metadata><oai_dc:dc xsi:schemaLocation="), func(b broken) {
			require.NotEmpty(b, b.ask(records()...).Records.Records[0].Metadata.DC.Title, "still the same names")
		}),
		"namespaces-missing": both(text(true, "<metadata><oai_dc:dc xsi:schemaLocation="), func(b broken) {
			require.Empty(b, b.ask(records()...).Records.Records[0].Metadata.DC.Title)
		}),
		"no-namespace": text(true, "<OAI-PMH xmlns:xsi="),
		"prefixed":     both(readable, text(true, "<oai:OAI-PMH ", "<oai:record><oai:header><oai:identifier>", "</oai:resumptionToken>")),
		"decoys":       both(readable, text(true, "<!-- <record> -->", "<![CDATA[</record>")),
		"odd-spacing":  text(true, "<record\n\tid='a>b'\n>", "</record\n >", "status = 'deleted'"),
		"with-about":   both(readable, text(true, "</metadata><about>")),
		"records-without-id": func(b broken) {
			for i, h := range b.ask(records()...).all().Headers {
				require.Equal(b, i%10 == 9, h.ID == "")
			}
		},
		"bad-datestamps": func(b broken) {
			for i, h := range b.ask(records()...).all().Headers {
				require.Equal(b, i%10 == 9, h.Stamp == "0000-00-00")
			}
		},
		"broken-records": func(b broken) {
			_, body := b.get(records()...)
			require.False(b, wellFormed(body))
			require.Equal(b, 10, bytes.Count(body, []byte("<dc:title>"))-bytes.Count(body, []byte("</dc:title>")))
		},
		"empty-metadata": func(b broken) {
			for i, e := range b.ask(records()...).Records.Records {
				require.Equal(b, i%10 == 9 || e.Header.Status == "deleted", e.Metadata.Inner == "")
			}
		},
	}
}

func hostileChecks() map[string]func(b broken) {
	small := func(b broken, name string) []byte {
		b.base = b.r.FaultURL(name)
		_, body := b.get(records()...)
		return body
	}
	return map[string]func(b broken){
		"entity-bomb":     text(false, "<!DOCTYPE OAI-PMH [<!ENTITY a0", `<!ENTITY a10 "&a9;`, "<dc:title>&a10;"),
		"external-entity": text(false, `SYSTEM "file:///etc/passwd"`, "<dc:title>&file;"),
		"huge-body":       func(b broken) { require.Greater(b, len(small(b, "huge-body:3")), 3<<20) },
		"huge-record":     func(b broken) { require.Greater(b, len(small(b, "huge-record:3")), 3<<20) },
		"deep-nesting": func(b broken) {
			require.Equal(b, 500, bytes.Count(small(b, "deep-nesting:500"), []byte("<dc:a>")))
		},
		"unannounced-gzip": func(b broken) {
			resp, body := b.get(records()...)
			require.Equal(b, "identity", resp.Header.Get("Content-Encoding"))
			require.True(b, wellFormed(unpack(b, body)))
		},
		"broken-gzip": func(b broken) {
			resp, body := b.get(records()...)
			require.Equal(b, "gzip", resp.Header.Get("Content-Encoding"))
			require.Equal(b, []byte{0x1f, 0x8b}, body[:2])
			w := inside(b.r, "GET", Path+"?"+query4(records()), "", "Accept-Encoding", "gzip")
			require.Less(b, len(body), w.Body.Len())
		},
		"not-gzip": func(b broken) {
			resp, body := b.get(records()...)
			require.Equal(b, "gzip", resp.Header.Get("Content-Encoding"))
			require.True(b, wellFormed(body))
		},
		"gzip-bomb": func(b broken) {
			body := small(b, "gzip-bomb:20")
			require.Less(b, len(body), 200<<10)
			require.Len(b, unpack(b, body), 20<<20)
		},
	}
}

func argumentChecks() map[string]func(b broken) {
	const exact = "2020-01-01T00:00:00Z"
	return map[string]func(b broken){
		"no-selective": both(readable, func(b broken) {
			require.Equal(b, "badArgument", b.ask(records("from", "2020-01-01")...).code())
			require.Equal(b, "badArgument", b.ask(records("until", "2020-01-01")...).code())
		}),
		"ignores-window": func(b broken) { b.whole(b.walk(records("from", "2024-01-01")...)) },
		"refuses-seconds": func(b broken) {
			require.Equal(b, "YYYY-MM-DDThh:mm:ssZ", b.ask("verb", "Identify").Identify.Granularity)
			require.Equal(b, "badArgument", b.ask(records("from", exact)...).code())
			require.Empty(b, b.ask(records("from", "2020-01-01")...).code())
		},
		"answers-days": func(b broken) {
			require.Equal(b, "YYYY-MM-DDThh:mm:ssZ", b.ask("verb", "Identify").Identify.Granularity)
			for _, h := range b.ask(records("from", exact)...).all().Headers {
				require.Len(b, h.Stamp, len(daysLayout))
			}
			require.Len(b, b.ask("verb", "GetRecord", "metadataPrefix", DC, "identifier", ID(1)).Record[0].Header.Stamp, len(daysLayout))
		},
		"no-post": func(b broken) {
			require.Equal(b, 405, inside(b.r, "POST", Path+"/fault/no-post", "verb=Identify").Code)
			readable(b)
		},
		"granularity-lower-case": func(b broken) {
			require.Equal(b, "yyyy-mm-ddthh:mm:ssz", b.ask("verb", "Identify").Identify.Granularity)
		},
		"earliest-in-other-form": func(b broken) {
			require.Equal(b, "2015-01-01", b.ask("verb", "Identify").Identify.Earliest)
			days := New(Config{Days: true})
			w := inside(days, "GET", Path+"/fault/earliest-in-other-form?verb=Identify", "")
			require.Equal(b, "2015-01-01T00:00:00Z", parse(b, w.Body.Bytes()).Identify.Earliest)
		},
		"earliest-too-late": func(b broken) {
			require.Equal(b, "2026-05-03T08:00:00Z", b.ask("verb", "Identify").Identify.Earliest)
			require.Empty(b, b.ask(records("until", "2020-01-01")...).code(), "though there are older ones")
		},
	}
}

func TestFaultsBySetAndCall(t *testing.T) {
	t.Parallel()
	r := started(t, Config{Records: 350})
	docs := walk(t, r.URL(), 9, records("set", "fault:empty-pages:1")...)
	require.Len(t, docs, 7, "the tokens remember the fault and its N")
	require.Equal(t, []string{"col_1:part_1", "fault:empty-pages:1"}, docs[0].all().Headers[0].Sets)
	require.Equal(t, "fault:error-after:250", MustNamed("error-after").Set())
	require.Len(t, walk(t, r.URL(), 9, records()...), 4, "others are not concerned")

	codes := func(n int) (list []int) {
		for range n {
			resp, _, err := get(t, r.URL(), "verb", "Identify")
			require.NoError(t, err)
			list = append(list, resp.StatusCode)
		}
		return list
	}
	r.Break(MustNamed("forbidden"))
	r.BreakNext(2, MustNamed("server-error"))
	r.BreakNext(1, Fault{})
	require.Equal(t, []int{500, 500, 200, 403, 403}, codes(5))
	r.BreakNext(9, MustNamed("server-error"))
	r.Heal()
	require.Equal(t, []int{200}, codes(1))
	var faults []string
	for _, q := range r.Requests()[11:] {
		faults = append(faults, q.Fault)
	}
	require.Equal(t, []string{"server-error", "server-error", "", "forbidden", "forbidden", ""}, faults)
	require.Equal(t, http.StatusForbidden, inside(New(Config{Fault: MustNamed("forbidden")}), "GET", Path+"?verb=Identify", "").Code)
	require.Panics(t, func() { MustNamed("none") })
	_, ok := Named("cut-stream:x")
	require.False(t, ok)
}

// BenchmarkPages renders pages of 1,000 records of about 1.1 kB without a
// network; cached ones show what a harvester's benchmark pays.
func BenchmarkPages(b *testing.B) {
	for _, cached := range []int{0, 1000} {
		r := New(Config{Records: 100_000, Page: 1000, CachePages: cached})
		b.Run(fmt.Sprintf("cache=%d", cached), func(b *testing.B) {
			target := Path + "?" + query4(records())
			n := 0
			for b.Loop() {
				w := inside(r, http.MethodGet, target, "")
				n += 1000
				b.SetBytes(int64(w.Body.Len()))
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "records/s")
		})
	}
}
