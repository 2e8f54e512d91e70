package oai

import (
	"slices"
	"strings"

	"github.com/stretchr/testify/require"
)

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
