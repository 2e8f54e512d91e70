package oai

import (
	"slices"

	"github.com/stretchr/testify/require"
)

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
