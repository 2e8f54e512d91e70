package rows_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

func sampleDocument() harvest.Document {
	return harvest.Document{
		ID: "urn:1", URL: "https://x.org/1", Kind: "entry", Title: "Città", Parent: "p", MediaType: "text/html",
		Published: time.Date(2026, 5, 3, 16, 0, 0, 0, time.UTC), Body: []byte("<p>x</p>"),
		Fields: map[string]any{"authors": []any{"Ugo"}, "n": 3, "deep": map[string]any{"b": true, "a": nil}},
	}
}

func TestLine(t *testing.T) {
	t.Parallel()
	d := sampleDocument()
	b, err := json.Marshal(rows.NewLine("feed", &d))
	require.NoError(t, err)
	require.JSONEq(t, `{"id":"urn:1","fetcher":"feed","url":"https://x.org/1","kind":"entry","title":"Città","published":"2026-05-03T16:00:00Z",`+
		`"parent":"p","hash":"`+d.Sum()+`","media_type":"text/html","fields":{"authors":["Ugo"],"n":3,"deep":{"a":null,"b":true}},"body":"<p>x</p>"}`, string(b))

	binary := harvest.Document{ID: "b", Body: []byte{0xff, 0xfe}}
	l := rows.NewLine("", &binary)
	require.Empty(t, l.Body)
	require.Equal(t, harvest.Digest(binary.Body), l.BodyRef)
	b, err = json.Marshal(rows.NewLine("", &harvest.Document{ID: "c"}))
	require.NoError(t, err)
	require.NotContains(t, string(b), "published", "empty members are left out")
}
