package storetest

import (
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/visit"
)

func documentTests() map[string]func(*testing.T, Store) {
	return map[string]func(*testing.T, Store){
		"new, changed, same":                  documentVersions,
		"tombstones":                          documentTombstones,
		"every member comes back":             documentWhole,
		"bodies of every size":                documentBodies,
		"text that no database likes":         documentText,
		"pages as they came":                  documentRaw,
		"filters, order and counting":         documentFilters,
		"the feed has every change once":      documentFeed,
		"reading slowly while writing":        documentSlowly,
		"a hash of the fetcher's own decides": documentOwnHash,
		"collections keep ids apart":          documentCollections,
	}
}

func documentVersions(t *testing.T, s Store) {
	require.Equal(t, 2, harvestOnce(t, s, "1", doc("d1", "one"), doc("d2", "two")).New)
	tally := harvestOnce(t, s, "2", doc("d1", "one"), doc("d2", "two, changed"), doc("d3", "three"))
	require.Equal(t, harvest.Tally{Pages: 1, Listed: 3, New: 1, Changed: 1, Same: 1}, tally)
	require.Equal(t, rows.Counts{Documents: 3, Versions: 1, Changes: 4, Pages: 2}, counts(t, s))

	d, err := s.Document(t.Context(), "news", "d2")
	require.NoError(t, err)
	require.Equal(t, "two, changed", d.Line.Body)
	require.Equal(t, 2, d.Version)
	require.EqualValues(t, 3, d.Change)
	require.Equal(t, "news-2", d.Run)
	history, err := s.History(t.Context(), "news", "d2", true)
	require.NoError(t, err)
	require.Len(t, history, 2)
	require.Equal(t, "changed", history[0].Op)
	require.Equal(t, "new", history[1].Op)
	require.Equal(t, "two", history[1].Document.Line.Body)
	require.Equal(t, "news-1", history[1].Document.Run)

	tally = harvestOnce(t, s, "3", doc("d1", "one"), doc("d2", "two, changed"), doc("d3", "three"), doc("d4", "four"), doc("d5", "five"))
	require.Equal(t, harvest.Tally{Pages: 1, Listed: 5, New: 2, Same: 3}, tally)
}

func documentTombstones(t *testing.T, s Store) {
	gone := func(id string) harvest.Document { return harvest.Document{ID: id, Deleted: true} }
	harvestOnce(t, s, "1", doc("d1", "one"))
	require.EqualValues(t, 1, health(t, s, "a").Documents)
	tally := harvestOnce(t, s, "2", gone("d1"), gone("never-seen"))
	require.Equal(t, 2, tally.Deleted)
	require.EqualValues(t, 0, health(t, s, "a").Documents)
	later := gone("d1")
	later.Published = noon()
	tally = harvestOnce(t, s, "3", later, gone("never-seen"))
	require.Equal(t, 2, tally.Same, "deleted again is the same, whatever the tombstone carries")
	require.Equal(t, rows.Counts{Deleted: 2, Versions: 1, Changes: 3, Pages: 3}, counts(t, s))
	d, err := s.Document(t.Context(), "news", "d1")
	require.NoError(t, err)
	require.True(t, d.Line.Deleted)
	require.Empty(t, d.Line.Body)

	tally = harvestOnce(t, s, "4", doc("d1", "one"))
	require.Equal(t, 1, tally.Changed, "it came back")
	require.EqualValues(t, 1, health(t, s, "a").Documents)
	changes := all(t, s.Changes(t.Context(), rows.ChangeFilter{}))
	ops := make([]string, len(changes))
	for i, c := range changes {
		ops[i] = c.Op + " " + c.Document.Line.ID
	}
	require.Equal(t, []string{"new d1", "deleted d1", "deleted never-seen", "changed d1"}, ops)
}

func documentWhole(t *testing.T, s Store) {
	d := harvest.Document{
		ID: "oai:x:1", URL: "https://example.org/1?a=b", Kind: "record", Title: "A <title> & more", Published: time.Date(1965, 1, 2, 3, 4, 5, 6000, time.UTC),
		Parent: "oai:x", MediaType: "text/xml", Fields: map[string]any{"creator": []any{"A", "B"}, "n": 1.5, "yes": true}, Body: []byte("<record/>"),
	}
	epoch := harvest.Document{ID: "oai:x:2", Published: time.Unix(0, 0).UTC()}
	harvestOnce(t, s, "1", d, epoch)
	got, err := s.Document(t.Context(), "news", d.ID)
	require.NoError(t, err)
	require.Equal(t, rows.NewLine("feed", &d), got.Line)
	require.Equal(t, rows.Document{
		Collection: "news", Campaign: "news", Entry: "feed", Key: "a", Line: got.Line, Version: 1, Change: 1,
		FirstSeen: noon(), ChangedAt: noon(), Run: "news-1", Size: 9,
	}, got)
	got, err = s.Document(t.Context(), "news", epoch.ID)
	require.NoError(t, err)
	require.Equal(t, epoch.Published, got.Line.Published, "1970 is a date as any other")
	_, err = s.Document(t.Context(), "news", "")
	require.ErrorIs(t, err, rows.ErrNotFound, "no name is nobody's name")
	_, err = s.Document(t.Context(), "news", "nowhere")
	require.ErrorIs(t, err, rows.ErrNotFound)
}

func documentBodies(t *testing.T, s Store) {
	bodies := map[string]string{"none": "", "short": "x", "kilobyte": strings.Repeat("abcdefg ", 140), "page": strings.Repeat("lorem ipsum ", 4000), "blob": strings.Repeat("dolor sit ", 9000)}
	docs := make([]harvest.Document, 0, len(bodies)+1)
	for id, body := range bodies {
		docs = append(docs, doc(id, body))
	}
	binary := doc("binary", "\xff\xfe\x00\x01")
	harvestOnce(t, s, "1", append(docs, binary)...)
	for _, alone := range []string{"short", "kilobyte"} {
		harvestOnce(t, s, "alone-"+alone, doc("alone-"+alone, bodies[alone]))
		bodies["alone-"+alone] = bodies[alone]
	}
	for id, body := range bodies {
		d, err := s.Document(t.Context(), "news", id)
		require.NoError(t, err)
		require.Equal(t, body, d.Line.Body, id)
		require.EqualValues(t, len(body), d.Size)
		require.Equal(t, id == "blob", d.Line.BodyRef != "", id)
	}
	d, err := s.Document(t.Context(), "news", "binary")
	require.NoError(t, err)
	require.Equal(t, harvest.Digest(binary.Body), d.Line.BodyRef)
	require.Empty(t, d.Line.Body, "a line of JSON cannot hold it")
	require.Equal(t, string(binary.Body), blob(t, s, d.Line.BodyRef))
	for d, err := range s.Documents(t.Context(), rows.DocumentFilter{Bodies: true}) {
		require.NoError(t, err)
		require.Equal(t, bodies[d.Line.ID], d.Line.Body)
	}
	for d, err := range s.Documents(t.Context(), rows.DocumentFilter{}) {
		require.NoError(t, err)
		require.Empty(t, d.Line.Body, "not asked for")
	}
}

func documentText(t *testing.T, s Store) {
	ids := []string{"nul\x00byte", "bad\xffutf8", "quote'\"`; --", "<&>\u2028", "ünï cødé 漢字", strings.Repeat("long", 250)}
	docs := make([]harvest.Document, len(ids))
	for i, id := range ids {
		docs[i] = harvest.Document{ID: id, Title: id, URL: id, Kind: "k\xff"}
	}
	require.Equal(t, len(ids), harvestOnce(t, s, "1", docs...).New)
	require.Equal(t, len(ids), harvestOnce(t, s, "2", docs...).Same)
	require.Equal(t, 1, harvestOnce(t, s, "3", docs[2]).Same)
	require.Equal(t, 1, harvestOnce(t, s, "4", docs[0]).Same)
	require.EqualValues(t, len(ids), counts(t, s).Documents)
	d, err := s.Document(t.Context(), "news", ids[2])
	require.NoError(t, err)
	require.Equal(t, ids[2], d.Line.Title)
}

// A page as it came is there with the ledger line that names it, or not at all.
func documentRaw(t *testing.T, s Store) {
	noise := make([]byte, 200_000)
	rand.NewChaCha8([32]byte{}).Read(noise) // never fails
	pages := []string{"<html>", strings.Repeat("<p>much the same</p>", 50_000), string(noise), "<html>"}
	run := openRun(t, s, "1", "a")
	it := one(t, s, run, 1)
	w := page(it, "d1")
	for _, content := range pages {
		p, err := s.PackRaw(t.Context(), []byte(content))
		require.NoError(t, err)
		require.Equal(t, harvest.Digest([]byte(content)), p.Digest)
		w.Raw = append(w.Raw, p)
		w.Ledger = append(w.Ledger, visit.Exchange{At: noon(), Method: "GET", URL: "https://x.example/", Host: "x.example", Raw: p.Digest})
	}
	require.Empty(t, w.Raw[2].Packed, "large however it is packed: it is stored already")
	late := w
	late.Epoch = it.Epoch - 1
	require.ErrorIs(t, s.Write(t.Context(), late).Err, rows.ErrFenced)
	_, err := s.Blob(t.Context(), w.Raw[0].Digest)
	require.ErrorIs(t, err, rows.ErrNotFound, "nor is its page")
	commit(t, s, it, w)
	for i, p := range w.Raw {
		require.Equal(t, pages[i], blob(t, s, p.Digest))
	}
	for _, wrong := range []string{harvest.Digest([]byte("never kept")), "", "sha256:../../etc/passwd", "sha256:" + strings.Repeat("../", 21) + "x"} {
		_, err = s.Blob(t.Context(), wrong)
		require.ErrorIs(t, err, rows.ErrNotFound, wrong)
	}
}

func blob(t *testing.T, s Store, digest string) string {
	t.Helper()
	r, err := s.Blob(t.Context(), digest)
	require.NoError(t, err)
	defer r.Close()
	content, err := io.ReadAll(r)
	require.NoError(t, err)
	return string(content)
}

func documentFilters(t *testing.T, s Store) {
	run := openRun(t, s, "1", "a", "b")
	got := claim(t, s, run, 1, 2)
	first := page(got.Items[0], "a1", "a2", "a3")
	first.Page.Page.Documents[2].Kind = "act"
	commit(t, s, got.Items[0], closed(first, outcomes.Done))
	second := page(got.Items[1], "b1", "b2")
	second.At = noon().Add(time.Hour)
	second.Page.Collection = "acts"
	second.Page.Page.Documents[1].Deleted = true
	commit(t, s, got.Items[1], closed(second, outcomes.Done))

	ids := func(f rows.DocumentFilter) (list []string) {
		for _, d := range all(t, s.Documents(t.Context(), f)) {
			list = append(list, d.Line.ID)
		}
		return list
	}
	yes, no := true, false
	require.Equal(t, []string{"b2", "b1", "a3", "a2", "a1"}, ids(rows.DocumentFilter{}), "the last changed first")
	require.Equal(t, []string{"b2", "b1"}, ids(rows.DocumentFilter{Limit: 2}))
	require.Equal(t, []string{"b2", "b1"}, ids(rows.DocumentFilter{Collection: "acts"}))
	require.Equal(t, []string{"b2", "b1"}, ids(rows.DocumentFilter{Key: "b", Campaign: "news", Entry: "feed"}))
	require.Equal(t, []string{"b2"}, ids(rows.DocumentFilter{Deleted: &yes}))
	require.Equal(t, []string{"a3"}, ids(rows.DocumentFilter{Kind: "act"}))
	require.Equal(t, []string{"b1"}, ids(rows.DocumentFilter{Deleted: &no, Since: noon().Add(time.Minute)}))
	require.Equal(t, []string{"a2"}, ids(rows.DocumentFilter{ID: "a2"}))
	require.Empty(t, ids(rows.DocumentFilter{Campaign: "other"}))

	for by, want := range map[string]map[string]int64{
		"": {"": 4}, "collection": {"news": 3, "acts": 1}, "campaign": {"news": 4}, "kind": {"entry": 3, "act": 1},
		"item": {"news / feed / a": 3, "news / feed / b": 1},
	} {
		n, err := s.CountDocuments(t.Context(), rows.DocumentFilter{}, by)
		require.NoError(t, err)
		require.Equal(t, want, n, by)
	}
	_, err := s.CountDocuments(t.Context(), rows.DocumentFilter{}, "id; DROP TABLE documents")
	require.Equal(t, harvest.KindMisconfigured, harvest.KindOf(err))
}

func documentFeed(t *testing.T, s Store) {
	harvestOnce(t, s, "1", doc("d1", "one"), doc("d2", "two"))
	harvestOnce(t, s, "2", doc("d1", "one, changed"))
	changes := all(t, s.Changes(t.Context(), rows.ChangeFilter{Bodies: true}))
	require.Len(t, changes, 3)
	require.Equal(t, "one", changes[0].Document.Line.Body, "as it was then")
	require.Equal(t, "one, changed", changes[2].Document.Line.Body)
	require.EqualValues(t, 3, changes[2].Number)
	require.Len(t, all(t, s.Changes(t.Context(), rows.ChangeFilter{After: 2})), 1)
	require.Len(t, all(t, s.Changes(t.Context(), rows.ChangeFilter{Limit: 2})), 2)
	require.Len(t, all(t, s.Changes(t.Context(), rows.ChangeFilter{Campaign: "news", Collection: "news"})), 3)
	require.Empty(t, all(t, s.Changes(t.Context(), rows.ChangeFilter{Collection: "other"})))
	last, err := s.LastChange(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 3, last)
}

func documentSlowly(t *testing.T, s Store) {
	docs := make([]harvest.Document, 900)
	for i, key := range keys(len(docs)) {
		docs[i] = doc(key, "x")
	}
	harvestOnce(t, s, "1", docs...)
	seen := 0
	for d, err := range s.Documents(t.Context(), rows.DocumentFilter{Bodies: true}) {
		require.NoError(t, err)
		require.NotEmpty(t, d.Line.Body)
		if seen%300 == 0 {
			harvestOnce(t, s, "during-"+d.Line.ID, doc("during-"+d.Line.ID, "x"))
		}
		seen++
	}
	require.Equal(t, 900, seen, "what came later stands in front of the reader")
}

func documentOwnHash(t *testing.T, s Store) {
	d := doc("d1", "at 12:00")
	d.Hash = "v1"
	harvestOnce(t, s, "1", d)
	d.Body = []byte("at 12:01")
	require.Equal(t, 1, harvestOnce(t, s, "2", d).Same)
	d.Hash = "v2"
	require.Equal(t, 1, harvestOnce(t, s, "3", d).Changed)
	got, err := s.Document(t.Context(), "news", "d1")
	require.NoError(t, err)
	require.Equal(t, "v2", got.Line.Hash)
	d.Hash = strings.Repeat("x", 32)
	harvestOnce(t, s, "4", d)
	got, err = s.Document(t.Context(), "news", "d1")
	require.NoError(t, err)
	require.Equal(t, d.Hash, got.Line.Hash)
}

func documentCollections(t *testing.T, s Store) {
	run := openRun(t, s, "1", "a", "b")
	for i, it := range claim(t, s, run, 1, 2).Items {
		w := page(it, "same-id")
		w.Page.Collection = []string{"x", "y"}[i]
		_, tally := commit(t, s, it, w)
		require.Equal(t, 1, tally.New)
	}
	require.EqualValues(t, 2, counts(t, s).Documents)
}
