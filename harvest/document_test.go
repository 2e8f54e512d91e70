package harvest_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
)

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

func TestWindow(t *testing.T) {
	t.Parallel()
	require.True(t, harvest.Window{}.IsZero())
	require.False(t, harvest.Window{From: time.Unix(1, 0)}.IsZero())
	require.False(t, harvest.Window{Until: time.Unix(1, 0)}.IsZero())
	b, err := json.Marshal(harvest.Window{})
	require.NoError(t, err)
	require.Equal(t, "{}", string(b))
}
