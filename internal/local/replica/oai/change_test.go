package oai

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// since harvests what has changed since a moment.
func since(t *testing.T, r *Repository, moment time.Time, args ...string) (living, deleted []string) {
	t.Helper()
	d := ask(t, r.URL(), records(append(args, "from", moment.Format(secondsLayout))...)...)
	if d.code() == "noRecordsMatch" {
		return nil, nil
	}
	return ids(walk(t, r.URL(), 99, records(append(args, "from", moment.Format(secondsLayout))...)...))
}

func TestIncrementalHarvest(t *testing.T) {
	t.Parallel()
	r := started(t, Config{Records: 500, DeletedEvery: 25})
	begin := r.Clock()
	living, deleted := since(t, r, begin)
	require.Empty(t, append(living, deleted...))

	changed := r.Change(30)
	gone := r.Delete(10)
	added := r.Add(150)
	living, deleted = since(t, r, begin)
	want := append(slices.DeleteFunc(changed, func(id string) bool { return slices.Contains(gone, id) }), added...)
	require.Equal(t, want, living, "at the same second: from is included")
	require.Equal(t, gone, deleted)

	r.Advance(time.Hour)
	removed := r.Remove(20)
	require.Len(t, removed, 20)
	living, deleted = since(t, r, r.Clock())
	require.Empty(t, append(living, deleted...), "taken out silently")
	living, deleted = ids(walk(t, r.URL(), 99, records()...))
	require.Equal(t, r.Living(""), living)
	require.Equal(t, r.Deleted(""), deleted)
	require.Len(t, living, 500-20-10+150-20)
	require.Len(t, deleted, 20+10)
	require.Equal(t, "idDoesNotExist", ask(t, r.URL(), "verb", "GetRecord", "metadataPrefix", DC, "identifier", removed[0]).code())

	r.Revive(removed[0], gone[0], "oai:other:1", ID(99999))
	living, deleted = since(t, r, r.Clock())
	require.ElementsMatch(t, []string{removed[0], gone[0]}, living)
	require.Empty(t, deleted)
}

func TestChangeChangesContent(t *testing.T) {
	t.Parallel()
	r := New(Config{})
	before := map[string]string{}
	for _, id := range r.Living("") {
		before[id] = r.Metadata(id, DC)
	}
	changed := r.Change(5)
	require.Len(t, changed, 5)
	for id, was := range before {
		require.Equal(t, slices.Contains(changed, id), r.Metadata(id, DC) != was)
	}
	require.Len(t, r.Delete(2000), 1000, "no more than there are")
	require.Empty(t, r.Change(1))
}

func TestDeletedPolicies(t *testing.T) {
	t.Parallel()
	never := started(t, Config{Records: 300, DeletedEvery: 10, Deleted: Never})
	never.Delete(5)
	docs := walk(t, never.URL(), 99, records()...)
	living, deleted := ids(docs)
	require.Empty(t, deleted)
	require.Empty(t, never.Deleted(""))
	require.Equal(t, never.Living(""), living)
	require.Len(t, living, 300-30-5)
	require.Equal(t, "265", docs[0].Records.Token.Size)

	transient := started(t, Config{Records: 300, DeletedEvery: 10, Deleted: Transient})
	require.Len(t, transient.Deleted(""), 30)
	require.Len(t, transient.Forget(), 30)
	_, deleted = ids(walk(t, transient.URL(), 99, records()...))
	require.Empty(t, deleted)
}

func TestMoveIsNotAnnounced(t *testing.T) {
	t.Parallel()
	r := started(t, Config{Records: 300, Parts: 1})
	r.Advance(time.Hour)
	moved := r.Move(7, "col_1", "col_2")
	require.Len(t, moved, 7)
	living, deleted := since(t, r, r.Clock(), "set", "col_1")
	require.Empty(t, append(living, deleted...))
	living, _ = since(t, r, r.Clock(), "set", "col_2")
	require.Equal(t, moved, living)
	require.NotContains(t, r.Living("col_1"), moved[0])
	require.Panics(t, func() { r.Move(1, "col_1", "col_9") })
}

func TestListGoesOnWhileItChanges(t *testing.T) {
	t.Parallel()
	r := started(t, Config{Records: 350})
	was := r.Living("")
	d := ask(t, r.URL(), records()...)
	got := headers(d.Records.Records)
	begin := r.Clock()
	r.Advance(time.Minute)
	changed := append(r.Change(40), r.Add(10)...)
	removed := r.Remove(15)
	for _, d := range walk(t, r.URL(), 99, "verb", "ListRecords", "resumptionToken", d.Records.Token.Text) {
		got = append(got, headers(d.Records.Records)...)
	}
	var seen []string
	for _, h := range got {
		require.NotContains(t, seen, h.ID)
		seen = append(seen, h.ID)
	}
	for _, id := range was {
		require.True(t, slices.Contains(seen, id) || slices.Contains(removed, id), id)
	}
	living, _ := since(t, r, begin)
	for _, id := range changed {
		require.True(t, slices.Contains(living, id) || slices.Contains(removed, id), id)
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	r := started(t, Config{Records: 300})
	token := func() string { return ask(t, r.URL(), records()...).Records.Token.Text }
	again := func(text string) *document {
		return ask(t, r.URL(), "verb", "ListRecords", "resumptionToken", text)
	}
	text := token()
	require.Equal(t, again(text), again(text), "the same page again")
	require.Regexp(t, `[+/=]`, text, "it must be encoded in a URL")
	require.Equal(t, "badResumptionToken", again(text[1:]).code())
	require.Equal(t, "badResumptionToken", again(text+"x").code())
	require.Equal(t, "badResumptionToken", ask(t, r.URL(), "verb", "ListIdentifiers", "resumptionToken", text).code(), "of another verb")
	r.Advance(24 * time.Hour)
	require.Empty(t, again(text).code())
	r.Advance(time.Second)
	require.Equal(t, "badResumptionToken", again(text).code(), "after its expirationDate")
	text = token()
	r.ExpireTokens()
	require.Equal(t, "badResumptionToken", again(text).code())
	require.Empty(t, again(token()).code())
}

func TestBooks(t *testing.T) {
	t.Parallel()
	r := started(t, Config{Records: 250, CachePages: 9})
	for range 2 {
		walk(t, r.URL(), 99, records()...)
	}
	ask(t, r.URL(), "verb", "Identify")
	c := r.Counts()
	require.Equal(t, 7, c.Requests)
	require.Equal(t, 6, c.Pages)
	require.Equal(t, 500, c.Records)
	require.Equal(t, map[int]int{200: 7}, c.Statuses)
	require.Equal(t, map[string]int{"ListRecords": 6, "Identify": 1}, c.Verbs)
	require.Greater(t, c.Bytes, int64(500*1000))
	log := r.Requests()
	require.Equal(t, "oai_dc", log[0].Args.Get("metadataPrefix"))
	require.True(t, log[1].Args.Has("resumptionToken"))
	require.Equal(t, 50, log[2].Records)
	require.NotEmpty(t, log[0].Agent)
	r.Reset()
	require.Zero(t, r.Counts().Requests)
	r.Change(1)
	walk(t, r.URL(), 99, records()...)
	living, _ := ids(walk(t, r.URL(), 99, records("from", r.Clock().Format(secondsLayout))...))
	require.Len(t, living, 1, "not from the cache")
}

func TestDemoHolds(t *testing.T) {
	t.Parallel()
	c := Demo()
	c.Fault = Fault{}
	r := started(t, c)
	require.Len(t, r.Living(""), 1986)
	require.Len(t, r.Deleted(""), 14)
	require.Equal(t, []string{"col_1", "col_2"}, r.Sets())
	living, deleted := ids(walk(t, r.URL(), 200, records()...))
	require.Len(t, append(living, deleted...), 2000)
}
