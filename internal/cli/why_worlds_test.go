package cli

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/units"
	"github.com/vendemmia/vendemmia/internal/visit"
	"github.com/vendemmia/vendemmia/store"
)

// weatherEnd is how the one item of a run of weather came to its end.
type weatherEnd struct {
	asked  visit.Exchange
	page   *harvest.Page // nil: none came
	settle rows.Settle
	run    outcomes.Outcome
	why    string
}

// endedWeather has a good run of weather at 06:20 and one that ended so at 12:20.
func endedWeather(e weatherEnd) func(*bench, *store.Store) {
	return func(b *bench, s *store.Store) {
		good := weatherEnd{
			asked: visit.Exchange{Status: 200, Bytes: 41_000}, page: &harvest.Page{Documents: documentsOf(0, 0, 12, 1), Listed: 12, Checkpoint: json.RawMessage(`{}`), Last: true},
			settle: rows.Settle{Outcome: outcomes.Done}, run: outcomes.Done,
		}
		good.make(b, s, utc(4, 20, 0))
		e.make(b, s, utc(10, 20, 0))
	}
}

func (e weatherEnd) make(b *bench, s *store.Store, due time.Time) {
	ctx := b.t.Context()
	id := "weather-" + due.Format("2006-01-02T15:04:05Z")
	g, err := s.OpenRun(ctx, rows.NewRun{Exclusive: true, Run: rows.Run{
		RunID: "r-" + id, WorkflowID: id, Campaign: "weather", Version: 1, Trigger: "schedule", Processors: 3, DueAt: due, StartedAt: due.Add(time.Second),
	}})
	require.NoError(b.t, err)
	require.NoError(b.t, s.AddItems(ctx, g.Run.ID, []rows.RunItem{{Entry: "feed", Fetcher: "feed", Key: "genova", Host: "meteo.example.org"}}))
	_, err = s.SealRun(ctx, g.Run.ID, 1, due.Add(time.Hour))
	require.NoError(b.t, err)
	c, err := s.Claim(ctx, rows.Claim{Run: g.Run.ID, Shared: true, Epoch: due.Unix(), Worker: "worker-a", Max: 10, Now: due.Add(2 * time.Second)})
	require.NoError(b.t, err)
	require.Len(b.t, c.Items, 1)
	require.NoError(b.t, s.Write(ctx, e.write(g.Run.ID, c.Items[0], due)).Err)
	require.NoError(b.t, s.FinishRun(ctx, rows.Finish{Run: g.Run.ID, Outcome: e.run, Why: e.why, At: due.Add(5 * time.Second)}))
}

func (e weatherEnd) write(run int64, it rows.ClaimedItem, due time.Time) rows.Write {
	e.asked.At, e.asked.Method, e.asked.Host, e.asked.URL = due.Add(3*time.Second), "GET", "meteo.example.org", "https://meteo.example.org/genova?day=today"
	e.settle.State, e.settle.Attempts = rows.ItemClosed, 1
	w := rows.Write{
		Run: run, Ord: it.Ord, Epoch: due.Unix(), Item: units.Item{Campaign: "weather", Entry: "feed", Key: "genova"}, Fetcher: "feed", At: due.Add(3 * time.Second),
		Settle: &e.settle, Attempt: 1, Worker: "worker-a", Ledger: []visit.Exchange{e.asked},
	}
	if e.page != nil {
		w.Page = &rows.PageWrite{Seq: 1, Collection: "weather", Version: it.Checkpoint.Version, Page: *e.page}
	}
	return w
}

func notModified304() weatherEnd {
	return weatherEnd{
		asked: visit.Exchange{Status: 304}, page: &harvest.Page{NotModified: true, Checkpoint: json.RawMessage(`{}`), Last: true},
		settle: rows.Settle{Outcome: outcomes.Unchanged}, run: outcomes.Unchanged,
	}
}

func sameDigest() weatherEnd {
	return weatherEnd{
		asked: visit.Exchange{Status: 200, Bytes: 41_000}, page: &harvest.Page{Documents: documentsOf(0, 0, 12, 1), Listed: 12, Checkpoint: json.RawMessage(`{}`), Last: true},
		settle: rows.Settle{Outcome: outcomes.Unchanged}, run: outcomes.Unchanged,
	}
}

func nothingListed() weatherEnd {
	return weatherEnd{
		asked: visit.Exchange{Status: 200, Bytes: 900}, page: &harvest.Page{Checkpoint: json.RawMessage(`{}`), Last: true},
		settle: rows.Settle{Outcome: outcomes.Empty, Why: "nothing was listed where there always was something"},
		run:    outcomes.Empty, why: "nothing was listed where there always was something",
	}
}

func failedWith(kind harvest.Kind, status int, text, evidence string) weatherEnd {
	return weatherEnd{
		asked: visit.Exchange{Status: status, Bytes: 41_000, Kind: kind},
		settle: rows.Settle{
			Outcome: outcomes.OfKind(kind), Kind: kind, Why: string(outcomes.WhyNotRetriable), Error: text, Evidence: []byte(evidence),
		},
		run: outcomes.OfKind(kind), why: "1 of 1 item; 1 " + string(outcomes.OfKind(kind)),
	}
}

func robotsForbid() weatherEnd {
	e := failedWith(harvest.KindBlocked, 0, `get https://meteo.example.org/genova?day=today: robots.txt: disallowed by line 3 ("Disallow: /genova"); where the owner of the site allows it, say so: hosts: { meteo.example.org: { robots: ignore } }`, "")
	e.asked.Bytes = 0
	return e
}

func challenge() weatherEnd {
	return failedWith(harvest.KindBlocked, 200, "get https://meteo.example.org/genova?day=today: a challenge page came in place of the page", "<title>Just a moment</title>")
}

func newShape() weatherEnd {
	return failedWith(harvest.KindBroken, 200, `read page https://meteo.example.org/genova?day=today: links "a.day" finds nothing, where it always found something`, "<html></html>")
}

func aside() weatherEnd {
	return weatherEnd{
		asked: visit.Exchange{Status: 200, Bytes: 41_000},
		page: &harvest.Page{
			Documents: documentsOf(0, 0, 12, 2)[:11], Rejects: []harvest.Reject{{ID: "genova-12", Reason: `date "31/02/2026"`, Bytes: []byte("<item/>")}},
			Listed: 12, Checkpoint: json.RawMessage(`{}`), Last: true,
		},
		settle: rows.Settle{Outcome: outcomes.Partial, Why: "1 of 12 records could not be read"},
		run:    outcomes.Warnings, why: "1 of 1 item needs attention: 1 partial",
	}
}

// asideBefore is a run that had nothing new after one that met an unreadable record.
func asideBefore(b *bench, s *store.Store) {
	aside().make(b, s, utc(4, 20, 0))
	e := notModified304()
	e.settle.Outcome, e.settle.Why = outcomes.Partial, "1 record unread since 3 May 2026, 04:20 UTC"
	e.run, e.why = outcomes.Warnings, "1 of 1 item needs attention: 1 partial"
	e.make(b, s, utc(10, 20, 0))
}

// busy opens a run of weather with as many items at one host, of which so many are
// at work at once.
func busy(host string, items, atWork, processors int) func(*bench, *store.Store) {
	return func(b *bench, s *store.Store) {
		run := openRun(b, s, "weather-1", "weather", host, items, processors)
		if atWork > 0 {
			claimSome(b, s, run, atWork)
		}
	}
}

func openRun(b *bench, s *store.Store, id, campaign, host string, items, processors int) rows.Run {
	ctx := b.t.Context()
	g, err := s.OpenRun(ctx, rows.NewRun{Run: rows.Run{
		RunID: "r-" + id, WorkflowID: id, Campaign: campaign, Version: 1, Processors: processors, DueAt: utc(16, 0, 0), StartedAt: utc(16, 0, 3),
	}})
	require.NoError(b.t, err)
	var list []rows.RunItem
	for i := range items {
		list = append(list, rows.RunItem{Ord: int64(i), Entry: "feed", Fetcher: "feed", Key: fmt.Sprintf("%s-%02d", campaign, i), Host: host})
	}
	require.NoError(b.t, s.AddItems(ctx, g.Run.ID, list))
	_, err = s.SealRun(ctx, g.Run.ID, processors, utc(18, 0, 0))
	require.NoError(b.t, err)
	return g.Run
}

func claimSome(b *bench, s *store.Store, run rows.Run, n int) {
	c, err := s.Claim(b.t.Context(), rows.Claim{Run: run.ID, Shared: true, Epoch: 1, Worker: "worker-a", Max: n, Now: utc(16, 1, 0)})
	require.NoError(b.t, err)
	require.Len(b.t, c.Items, n)
}

// busyElsewhere: weather is due, and all that works works for a retry of news.
func busyElsewhere(b *bench, s *store.Store) {
	openRun(b, s, "weather-1", "weather", "meteo.example.org", 2, 3)
	claimSome(b, s, openRun(b, s, "news-retry", "news", "meteo.example.org", 6, 5), 5)
}

func pausedHost(b *bench, s *store.Store) {
	busy("meteo.example.org", 1, 0, 3)(b, s)
	require.NoError(b.t, s.PauseHost(b.t.Context(), "meteo.example.org", &rows.Pause{By: "marta", At: moment(), Note: "they migrate"}))
}

func slowedHost(b *bench, s *store.Store) {
	busy("meteo.example.org", 6, 3, 3)(b, s)
	claimSome(b, s, openRun(b, s, "news-retry", "news", "meteo.example.org", 2, 5), 1)
	require.NoError(b.t, s.SlowHost(b.t.Context(), "meteo.example.org", 8*time.Second, "it answered 503"))
}

// allTaken: three of weather's six items are at work, at hosts without a gap.
func allTaken(b *bench, s *store.Store) {
	require.NoError(b.t, s.PauseHost(b.t.Context(), "*", nil))
	busy("", 6, 3, 3)(b, s)
}

// noRobots: the host's robots.txt could not be had at the first attempt.
func noRobots(b *bench, s *store.Store) {
	run := openRun(b, s, "weather-1", "weather", "meteo.example.org", 1, 3)
	claimSome(b, s, run, 1)
	require.NoError(b.t, s.Write(b.t.Context(), rows.Write{
		Run: run.ID, Epoch: 1, Item: units.Item{Campaign: "weather", Entry: "feed", Key: "weather-00"}, Fetcher: "feed", At: utc(16, 1, 1), Attempt: 1, Worker: "worker-a",
		Settle: &rows.Settle{State: rows.ItemOpen, Kind: harvest.KindServerError, Error: "get https://meteo.example.org/robots.txt: HTTP status 503", NotBefore: utc(16, 15, 0), Attempts: 1},
	}).Err)
}
