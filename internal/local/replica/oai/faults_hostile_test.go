package oai

import (
	"bytes"

	"github.com/stretchr/testify/require"
)

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
