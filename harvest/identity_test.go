package harvest_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
)

func TestKey(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		params   string
		identity []string
		want     string
	}{
		{`{"url":"https://x.org","prefix":"oai_dc"}`, []string{"url"}, "https://x.org"},
		{`{"url":"https://x.org","set":"a"}`, []string{"url", "set"}, "https://x.org a"},
		{`{"url":"https://x.org"}`, []string{"url", "set"}, "https://x.org"},
		{`{"series":12345678}`, []string{"series"}, "12345678"},
		{`{"lat":44.4072}`, []string{"lat"}, "44.4072"},
	} {
		got, err := harvest.Key(json.RawMessage(c.params), c.identity)
		require.NoError(t, err)
		require.Equal(t, c.want, got, c.params)
	}
}

func TestKeyOfParamsWithoutIdentity(t *testing.T) {
	t.Parallel()
	key := func(params string, identity ...string) string {
		k, err := harvest.Key(json.RawMessage(params), identity)
		require.NoError(t, err)
		require.Regexp(t, `^[0-9a-f]{16}$`, k)
		return k
	}
	require.Equal(t, "ee4a8f426e16f44e", key(`{"place":"Genova","lat":44.4}`), "keys name checkpoints: they must never change")
	require.Equal(t, key(`{"place":"Genova","lat":44.4}`), key(` {"lat":44.40, "place":"Genova"}`), "order and spaces do not count")
	require.NotEqual(t, key(`{"place":"Genova"}`), key(`{"place":"Roma"}`))
	require.Equal(t, key(`{"set":"a"}`), key(`{"set":"a"}`, "url", "set"), "without its first param there is no identity")
	require.Equal(t, key(`{"url":"","set":"a"}`), key(`{"url":"","set":"a"}`, "url", "set"))
	require.Equal(t, key(`{}`), key(``))
	_, err := harvest.Key(json.RawMessage(`[]`), nil)
	require.Error(t, err)
}

func TestItemString(t *testing.T) {
	t.Parallel()
	require.Equal(t, "news / feed / ansa", harvest.Item{Campaign: "news", Entry: "feed", Key: "ansa"}.String())
}

func sampleDocument() harvest.Document {
	return harvest.Document{
		ID: "urn:1", URL: "https://x.org/1", Kind: "entry", Title: "Città", Parent: "p", MediaType: "text/html",
		Published: time.Date(2026, 5, 3, 16, 0, 0, 0, time.UTC), Body: []byte("<p>x</p>"),
		Fields: map[string]any{"authors": []any{"Ugo"}, "n": 3, "deep": map[string]any{"b": true, "a": nil}},
	}
}

// TestSumIsForEver: stores hold these digests; another one would make every
// document look changed.
func TestSumIsForEver(t *testing.T) {
	t.Parallel()
	d := sampleDocument()
	require.Equal(t, "sha256:0b1c29e9e8474bb705b3d0090041767ffb93b1034923e988baf97e8ce2591736", d.Sum())
}

func TestSum(t *testing.T) {
	t.Parallel()
	base := sampleDocument()
	for name, change := range map[string]func(*harvest.Document){
		"id":             func(d *harvest.Document) { d.ID = "urn:2" },
		"zone":           func(d *harvest.Document) { d.Published = d.Published.In(time.FixedZone("", 7200)) },
		"kind of number": func(d *harvest.Document) { d.Fields["n"] = 3.0 },
	} {
		d := sampleDocument()
		change(&d)
		require.Equal(t, base.Sum(), d.Sum(), "%s is no content", name)
	}
	for name, change := range map[string]func(*harvest.Document){
		"url":         func(d *harvest.Document) { d.URL += "/" },
		"kind":        func(d *harvest.Document) { d.Kind = "act" },
		"title":       func(d *harvest.Document) { d.Title = "" },
		"moved text":  func(d *harvest.Document) { d.Title, d.Parent = d.Title+d.Parent, "" },
		"published":   func(d *harvest.Document) { d.Published = d.Published.Add(time.Nanosecond) },
		"no date":     func(d *harvest.Document) { d.Published = time.Time{} },
		"deleted":     func(d *harvest.Document) { d.Deleted = true },
		"media type":  func(d *harvest.Document) { d.MediaType = "text/plain" },
		"body":        func(d *harvest.Document) { d.Body = append(d.Body, 0) },
		"a field":     func(d *harvest.Document) { d.Fields["n"] = 4 },
		"no fields":   func(d *harvest.Document) { d.Fields = nil },
		"fixed hash":  func(d *harvest.Document) { d.Hash = "sha256:own" },
		"field gone":  func(d *harvest.Document) { delete(d.Fields, "authors") },
		"field added": func(d *harvest.Document) { d.Fields["x"] = "" },
	} {
		d := sampleDocument()
		change(&d)
		require.NotEqual(t, base.Sum(), d.Sum(), "%s is content", name)
	}
	none, empty := harvest.Document{ID: "a"}, harvest.Document{ID: "a", Fields: map[string]any{}}
	require.Equal(t, none.Sum(), empty.Sum())
}

func TestLine(t *testing.T) {
	t.Parallel()
	d := sampleDocument()
	b, err := json.Marshal(harvest.NewLine("feed", &d))
	require.NoError(t, err)
	require.JSONEq(t, `{"id":"urn:1","fetcher":"feed","url":"https://x.org/1","kind":"entry","title":"Città","published":"2026-05-03T16:00:00Z",`+
		`"parent":"p","hash":"`+d.Sum()+`","media_type":"text/html","fields":{"authors":["Ugo"],"n":3,"deep":{"a":null,"b":true}},"body":"<p>x</p>"}`, string(b))

	binary := harvest.Document{ID: "b", Body: []byte{0xff, 0xfe}}
	l := harvest.NewLine("", &binary)
	require.Empty(t, l.Body)
	require.Equal(t, harvest.Digest(binary.Body), l.BodyRef)
	b, err = json.Marshal(harvest.NewLine("", &harvest.Document{ID: "c"}))
	require.NoError(t, err)
	require.NotContains(t, string(b), "published", "empty members are left out")
}

func TestWindow(t *testing.T) {
	t.Parallel()
	require.True(t, harvest.Window{}.IsZero())
	require.False(t, harvest.Window{From: time.Unix(1, 0)}.IsZero())
	require.False(t, harvest.Window{Until: time.Unix(1, 0)}.IsZero())
	b, err := json.Marshal(harvest.Window{})
	require.NoError(t, err)
	require.Equal(t, "{}", string(b))
}
