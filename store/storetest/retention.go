package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/units"
	"github.com/vendemmia/vendemmia/internal/visit"
)

func retentionTests() map[string]func(*testing.T, Store) {
	return map[string]func(*testing.T, Store){
		"nothing goes unasked":              keepAll,
		"runs, but not the last":            keepRuns,
		"items of closed runs":              keepItems,
		"replaced versions":                 keepVersions,
		"versions of a shared collection":   keepShared,
		"ledger lines and raw answers":      keepLedger,
		"only the campaign that is meant":   keepOthers,
		"each campaign by its own rule":     keepEach,
		"settled failures, never open ones": keepSettled,
		"events, but not the last":          keepEvents,
		"lists that something names":        keepLists,
		"hosts of which something is said":  keepHosts,
		"what remains still names its runs": keepNames,
	}
}

// days runs one item a day, with one document that changes each time.
func days(t *testing.T, s Store, n int) {
	t.Helper()
	for i := range n {
		at := noon().AddDate(0, 0, i)
		r := newRun(fmt.Sprint("day-", i), "")
		r.StartedAt = at
		run := ask(t, s, r).Run.ID
		require.NoError(t, s.AddItems(t.Context(), run, runItems("a")))
		_, err := s.SealRun(t.Context(), run, 1, time.Time{})
		require.NoError(t, err)
		it := one(t, s, run, 1)
		w := page(it, "d1")
		w.At = at
		w.Page.Page.Documents[0].Body = []byte(fmt.Sprint("day ", i))
		w.Page.Page.Documents = append(w.Page.Page.Documents, doc("same", "same"), doc(fmt.Sprint("own-", i), "own"), doc("d2", fmt.Sprint("also ", i)))
		w.Ledger = []visit.Exchange{{At: at, Method: "GET", Host: "example.org", Status: 200, Raw: harvest.Digest([]byte(fmt.Sprint(i)))}}
		commit(t, s, it, closed(w, outcomes.Done))
		require.NoError(t, s.FinishRun(t.Context(), rows.Finish{Run: run, Outcome: outcomes.Done, At: at.Add(time.Minute), Summary: []byte(`{}`)}))
	}
}

func clean(t *testing.T, s Store, rules ...rows.Retention) rows.Removed {
	t.Helper()
	got, err := s.Clean(t.Context(), rules...)
	require.NoError(t, err)
	return got
}

func keepAll(t *testing.T, s Store) {
	days(t, s, 3)
	before := counts(t, s)
	require.Zero(t, clean(t, s, rows.Retention{}))
	require.Equal(t, before, counts(t, s))
}

func keepRuns(t *testing.T, s Store) {
	days(t, s, 6)
	r := rows.Retention{Runs: noon().AddDate(0, 0, 4), KeepRuns: 3}
	require.Equal(t, 3, clean(t, s, r).Runs, "four are old enough, the last three stay")
	require.Zero(t, clean(t, s, r).Runs)
	list, err := s.Runs(t.Context(), rows.RunFilter{})
	require.NoError(t, err)
	require.Len(t, list, 3)
	_, err = s.FindRun(t.Context(), "news-day-0")
	require.ErrorIs(t, err, rows.ErrNotFound)
	require.Equal(t, rows.RunClosed, ask(t, s, newRun("day-0", "")).Run.State, "its id is still known")
	require.EqualValues(t, 6, counts(t, s).Pages, "what was brought is still counted")
}

func keepItems(t *testing.T, s Store) {
	days(t, s, 3)
	open := openRun(t, s, "open", "a")
	require.Equal(t, 2, clean(t, s, rows.Retention{Items: noon().AddDate(0, 0, 2)}).Items)
	r, err := s.FindRun(t.Context(), "news-day-0")
	require.NoError(t, err)
	items, err := s.RunItems(t.Context(), r.ID, rows.ItemFilter{})
	require.NoError(t, err)
	require.Empty(t, items)
	totals, err := s.Totals(t.Context(), r.ID)
	require.NoError(t, err)
	require.Equal(t, outcomes.Done, totals[0].Outcome, "the table stays with the run")
	require.Equal(t, 4, totals[0].Tally.New)
	require.EqualValues(t, 3, counts(t, s).Pages)
	require.Len(t, claim(t, s, open, 1, 1).Items, 1)
	require.EqualValues(t, 5, health(t, s, "a").Documents-1)
}

func keepVersions(t *testing.T, s Store) {
	days(t, s, 5)
	before := counts(t, s)
	require.EqualValues(t, 8, before.Versions)
	require.Equal(t, 4, clean(t, s, rows.Retention{Versions: noon().AddDate(0, 0, 3)}).Versions, "replaced on day 1 and 2")
	after := counts(t, s)
	require.EqualValues(t, 4, after.Versions)
	require.Equal(t, before.Documents, after.Documents)
	history, err := s.History(t.Context(), "news", "d1", true)
	require.NoError(t, err)
	bodies := make([]string, len(history))
	for i, h := range history {
		bodies[i] = h.Document.Line.Body
	}
	require.Equal(t, []string{"day 4", "day 3", "day 2"}, bodies)
	for d, err := range s.Documents(t.Context(), rows.DocumentFilter{Bodies: true}) {
		require.NoError(t, err)
		require.NotEmpty(t, d.Line.Body)
	}
	last, err := s.LastChange(t.Context())
	require.NoError(t, err)
	days6 := harvestOnce(t, s, "after", doc("d1", "after"))
	require.Equal(t, 1, days6.Changed)
	next, err := s.LastChange(t.Context())
	require.NoError(t, err)
	require.Equal(t, last+1, next, "numbers are never used again")
}

// Another campaign keeps for ever what it replaced; what came later goes after it.
func keepShared(t *testing.T, s Store) {
	bring := func(campaign string, n int) {
		r := newRun(fmt.Sprint(n), "")
		r.Campaign = campaign
		run := ask(t, s, r).Run.ID
		require.NoError(t, s.AddItems(t.Context(), run, runItems("a")))
		_, err := s.SealRun(t.Context(), run, 1, time.Time{})
		require.NoError(t, err)
		it := one(t, s, run, 1)
		w := page(it)
		w.At, w.Page.Page.Documents = day(n), []harvest.Document{doc("d1", fmt.Sprint(n))}
		commit(t, s, it, closed(w, outcomes.Done))
		finish(t, s, run)
	}
	for n, campaign := range []string{"law", "law", "news"} {
		bring(campaign, n+1)
	}
	kept := func() int {
		history, err := s.History(t.Context(), "news", "d1", true)
		require.NoError(t, err)
		require.Len(t, all(t, s.Changes(t.Context(), rows.ChangeFilter{})), len(history), "no version is nobody's")
		return len(history)
	}
	require.Zero(t, clean(t, s, rows.Retention{Campaign: "news", Versions: day(9)}).Versions)
	require.Equal(t, 3, kept())
	require.Equal(t, 1, clean(t, s, rows.Retention{Campaign: "law", Versions: day(9)}).Versions)
	require.Equal(t, 2, kept())
	require.Equal(t, 1, clean(t, s, rows.Retention{Versions: day(9)}).Versions)
	require.Equal(t, 1, kept())
}

func keepLedger(t *testing.T, s Store) {
	days(t, s, 4)
	clean(t, s, rows.Retention{Raw: noon().AddDate(0, 0, 2)})
	lines := all(t, s.Ledger(t.Context(), rows.LedgerFilter{}))
	require.Len(t, lines, 4, "the line stays, the raw answer goes")
	require.Empty(t, lines[1].Raw)
	require.NotEmpty(t, lines[2].Raw)
	require.Equal(t, 1, clean(t, s, rows.Retention{Ledger: noon().AddDate(0, 0, 1)}).Ledger)
	require.EqualValues(t, 3, counts(t, s).Exchanges)
}

func keepOthers(t *testing.T, s Store) {
	days(t, s, 3)
	far := noon().AddDate(1, 0, 0)
	require.Zero(t, clean(t, s, rows.Retention{Campaign: "other", Raw: far, Versions: far, Ledger: far, Runs: far, Items: far}))
	got := clean(t, s, rows.Retention{Campaign: "news", Versions: far, Ledger: far, Runs: far, Items: far})
	require.Equal(t, rows.Removed{Runs: 3, Items: 3, Ledger: 3, Versions: 4}, got)
}

func keepNames(t *testing.T, s Store) {
	days(t, s, 2)
	clean(t, s, rows.Retention{Runs: noon().AddDate(1, 0, 0)})
	d, err := s.Document(t.Context(), "news", "d1")
	require.NoError(t, err)
	require.Equal(t, "news-day-1", d.Run)
	require.Equal(t, "news-day-1", checkpoint(t, s, "a", "").Run)
	require.Equal(t, "news-day-0", all(t, s.Ledger(t.Context(), rows.LedgerFilter{}))[0].Run)
}

// One pass follows the rule of each campaign; the rule of "" is for the others.
func keepEach(t *testing.T, s Store) {
	days(t, s, 3)
	far := noon().AddDate(1, 0, 0)
	require.Zero(t, clean(t, s, rows.Retention{Campaign: "", Versions: far, Ledger: far, Runs: far, Items: far}, rows.Retention{Campaign: "news"}), "news keeps all")
	got := clean(t, s, rows.Retention{Campaign: ""}, rows.Retention{Campaign: "law", Runs: far}, rows.Retention{Campaign: "news", Versions: far, Ledger: noon().AddDate(0, 0, 2), Runs: far, KeepRuns: 1})
	require.Equal(t, rows.Removed{Runs: 2, Ledger: 2, Versions: 4}, got)
}

// A settled record goes so long after it was settled and last rejected.
func keepSettled(t *testing.T, s Store) {
	runOnce(t, s, "1", "", rejects(noon(), "accepted", "open", "resolved"))
	runOnce(t, s, "2", "", func(it rows.ClaimedItem) rows.Write {
		w := page(it, "resolved")
		w.At = noon().AddDate(0, 0, 1)
		return w
	})
	list, err := s.Failures(t.Context(), rows.FailureFilter{})
	require.NoError(t, err)
	require.Len(t, list, 3)
	require.Zero(t, clean(t, s, rows.Retention{Settled: noon().AddDate(0, 0, 1)}).Failures, "resolved a day after it was rejected")
	require.Equal(t, 1, clean(t, s, rows.Retention{Settled: noon().AddDate(0, 0, 2)}).Failures)
	for _, f := range list {
		if f.Record == "accepted" {
			require.NoError(t, s.AcceptFailures(t.Context(), f.ID))
		}
	}
	require.Zero(t, clean(t, s, rows.Retention{Settled: time.Now().Add(-time.Hour)}).Failures, "accepted just now")
	require.Equal(t, 1, clean(t, s, rows.Retention{Settled: time.Now().AddDate(9, 0, 0)}).Failures)
	list, err = s.Failures(t.Context(), rows.FailureFilter{})
	require.NoError(t, err)
	require.Equal(t, []string{"open"}, records(list))
}

func keepEvents(t *testing.T, s Store) {
	_, err := s.Apply(t.Context(), rows.Application{Project: "law", Campaigns: []rows.ApplyCampaign{{Name: "news", Digest: "1", Spec: []byte(`{}`)}}})
	require.NoError(t, err)
	for n, e := range []rows.Event{{Verb: "pause", On: "news"}, {Verb: "resume", On: "news"}, {Verb: "pause", On: "news"}, {Verb: "stop", On: "news-1"}, {Verb: "stop", On: "news-2"}} {
		e.At, e.By = day(n+1), "marta"
		require.NoError(t, s.Record(t.Context(), e))
	}
	require.Zero(t, clean(t, s, rows.Retention{Campaign: "news", Events: day(9)}), "they are of no campaign")
	require.Equal(t, 2, clean(t, s, rows.Retention{Events: day(5)}).Events)
	list, err := s.Events(t.Context(), "", time.Time{}, 0)
	require.NoError(t, err)
	var left []time.Time
	for _, e := range list {
		left = append(left, e.At)
	}
	require.Equal(t, []time.Time{day(5), day(3), day(2)}, left)
}

func keepLists(t *testing.T, s Store) {
	row := func(yield func(rows.ListRow) bool) { yield(rows.ListRow(`{"key":"a"}`)) }
	save := func(names ...string) {
		for _, name := range names {
			require.NoError(t, s.SaveList(t.Context(), name, row))
		}
	}
	define := func(name string) {
		_, err := s.Apply(t.Context(), rows.Application{Project: "law", Campaigns: []rows.ApplyCampaign{{Name: "news", Digest: name, Spec: []byte(`{"split":{"list":"` + name + `"}}`)}}})
		require.NoError(t, err)
	}
	left := func() (names []string) {
		for _, name := range []string{"first", "second", "asked", "told", "nobody"} {
			known, err := s.HasList(t.Context(), name)
			require.NoError(t, err)
			if known {
				names = append(names, name)
			}
		}
		return names
	}
	save("first", "second", "asked", "told", "nobody")
	define("first")
	run := openRun(t, s, "1", "a", "split")
	define("second")
	item := units.Item{Campaign: "news", Entry: "feed", Key: "split"}
	require.NoError(t, s.SetCheckpoint(t.Context(), item, "", []byte(`{"list":"asked","told":"told"}`)))
	require.Zero(t, clean(t, s, rows.Retention{Unused: time.Now().Add(-time.Hour)}).Lists)
	require.Equal(t, 1, clean(t, s, rows.Retention{Unused: time.Now()}).Lists)
	require.Equal(t, []string{"first", "second", "asked", "told"}, left(), "first by a run that is open")
	_, err := list(t, s, "nobody")
	require.ErrorIs(t, err, rows.ErrNotFound)
	finish(t, s, run)
	require.Equal(t, 1, clean(t, s, rows.Retention{Unused: time.Now()}).Lists)
	require.Equal(t, []string{"second", "asked", "told"}, left())
	save("nobody")
	got, err := list(t, s, "nobody")
	require.NoError(t, err)
	require.Len(t, got, 1, "saved anew")
}

func list(t *testing.T, s Store, name string) (all []rows.ListRow, err error) {
	t.Helper()
	for row, err := range s.List(t.Context(), name) {
		if err != nil {
			return nil, err
		}
		all = append(all, row)
	}
	return all, nil
}

func keepHosts(t *testing.T, s Store) {
	_, err := s.Apply(t.Context(), rows.Application{Project: "law", Hosts: []rows.Host{{Name: "known"}}})
	require.NoError(t, err)
	for _, host := range []string{"known", "rested", "unknown"} {
		require.NoError(t, s.RestHost(t.Context(), host, noon().AddDate(-1, 0, 0), "429"))
	}
	require.NoError(t, s.RestHost(t.Context(), "rests", time.Now().Add(time.Hour), "429"))
	require.NoError(t, s.PauseHost(t.Context(), "paused", &rows.Pause{By: "marta"}))
	require.NoError(t, s.SlowHost(t.Context(), "slow", time.Second, "503"))
	require.NoError(t, s.DelayHost(t.Context(), "asks", time.Second, time.Hour))
	require.Zero(t, clean(t, s, rows.Retention{Unused: time.Now().Add(-time.Hour)}).Hosts)
	require.Equal(t, 2, clean(t, s, rows.Retention{Unused: time.Now().Add(time.Second)}).Hosts)
	left, err := s.Hosts(t.Context())
	require.NoError(t, err)
	var names []string
	for _, h := range left {
		names = append(names, h.Name)
	}
	require.Equal(t, []string{"asks", "known", "paused", "rests", "slow"}, names)
}
