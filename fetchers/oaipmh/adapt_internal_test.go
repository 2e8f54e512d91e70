package oaipmh

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/oaipmh/internal/wire"
)

// TestAPanicSetsOneRecordAside: an adapter without its hash panics for every
// record, and for none of the others.
func TestAPanicSetsOneRecordAside(t *testing.T) {
	t.Parallel()
	text := []byte(`<OAI-PMH><ListRecords><record><header><identifier>1</identifier></header></record><record><header/></record></ListRecords></OAI-PMH>`)
	r, err := wire.Scan(text)
	require.NoError(t, err)
	a := newAdapter(response{Response: r, text: text}, naming{})
	a.sum = nil
	docs, rejects := a.documents(r.Records)
	require.Empty(t, docs)
	require.Len(t, rejects, 2)
	require.Equal(t, "1", rejects[0].ID)
	require.Contains(t, rejects[0].Reason, "panic")
	require.Equal(t, "identifier=1", rejects[0].Where)
}

// TestHostileRecordsCostLittle: fields beyond measure set the record aside,
// declarations beyond measure are not copied into every record.
func TestHostileRecordsCostLittle(t *testing.T) {
	t.Parallel()
	var names, nested strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&names, "<a%d>x</a%d>", i, i)
		fmt.Fprintf(&nested, "<a%d><b>x</b></a%d>", i, i)
	}
	record := func(metadata string) string {
		return "<record><header><identifier>1</identifier></header><metadata><dc>" + metadata + "</dc></metadata></record>"
	}
	for name, metadata := range map[string]string{"names": names.String(), "nested": nested.String(), "depth": strings.Repeat("<a>", 100_000) + strings.Repeat("</a>", 100_000)} {
		text := []byte("<OAI-PMH><ListRecords>" + record(metadata) + record("<title>y</title>") + "</ListRecords></OAI-PMH>")
		begin := time.Now()
		r, err := wire.Scan(text)
		require.NoError(t, err)
		docs, rejects := newAdapter(response{Response: r, text: text}, naming{}).documents(r.Records)
		require.Len(t, rejects, 1, name)
		require.Contains(t, rejects[0].Reason, "more than", name)
		require.Len(t, docs, 1, name)
		require.Less(t, time.Since(begin), time.Minute, name)
	}
	huge := strings.Repeat("u", 1<<20)
	text := []byte(`<OAI-PMH xmlns="` + huge + `" xmlns:dc="y"><ListRecords>` + strings.Repeat(record("<dc:title>y</dc:title>"), 1000) + "</ListRecords></OAI-PMH>")
	r, err := wire.Scan(text)
	require.NoError(t, err)
	docs, _ := newAdapter(response{Response: r, text: text}, naming{}).documents(r.Records)
	require.Contains(t, string(docs[0].Body), `xmlns:dc="y"`)
	require.Less(t, len(docs[0].Body), 1000)
}

// TestManyBadRecordsCostLittle: the bytes as they came are looked for only so
// often.
func TestManyBadRecordsCostLittle(t *testing.T) {
	t.Parallel()
	body := []byte("<OAI-PMH><ListRecords>" + strings.Repeat("<record><header/>"+strings.Repeat("x", 1500)+"&nbsp;<b></record>", 9_000) + "</ListRecords></OAI-PMH>")
	text := wire.Clean(body, "")
	begin := time.Now()
	r, err := wire.Scan(text)
	require.NoError(t, err)
	ans := response{Response: r, text: text}
	ans.Body = body
	_, rejects := newAdapter(ans, naming{}).documents(r.Records)
	require.Greater(t, len(rejects), 100)
	require.Contains(t, string(rejects[0].Bytes), "&nbsp;")
	require.Less(t, time.Since(begin), time.Minute)
}
