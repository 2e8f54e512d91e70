package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/retry"
	"github.com/vendemmia/vendemmia/internal/units"
	"github.com/vendemmia/vendemmia/internal/visit"
	"github.com/vendemmia/vendemmia/store"
)

// seeds makes the store of the scenario once; every test gets a copy.
var seeds struct {
	once sync.Once
	dir  string
	err  error
}

func seeded(t *testing.T) string {
	t.Helper()
	seeds.once.Do(func() {
		if seeds.dir, seeds.err = os.MkdirTemp("", "starter"); seeds.err == nil {
			seed(t, seeds.dir)
		}
	})
	require.NoError(t, seeds.err)
	return seeds.dir
}

const newsRun = "news-2026-05-03T16:00:00Z"

// seeder writes the scenario through the store's own doors: 133 feeds of
// campaign news, a run at 16:00 that brought everything, and one at 18:00 with
// one partial and one throttled item.
type seeder struct {
	t     *testing.T
	s     *store.Store
	epoch int64
}

func seed(t *testing.T, dir string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	s, err := store.Open(ctx, filepath.Join(dir, "vendemmia.db"), store.Options{Create: true})
	require.NoError(t, err)
	d := &seeder{t: t, s: s}
	d.campaigns(ctx)
	before := d.open(ctx, "news-2026-05-03T14:00:00Z", utc(14, 0, 0))
	d.first(ctx, before)
	d.finish(ctx, before, outcomes.Done, utc(14, 4, 0))
	run := d.open(ctx, newsRun, utc(16, 0, 0))
	d.second(ctx, run)
	d.finish(ctx, run, outcomes.Warnings, utc(16, 3, 21))
	require.NoError(t, s.Close())
}

func utc(h, m, s int) time.Time { return time.Date(2026, 5, 3, h, m, s, 0, time.UTC) }

func newsCampaign() campaigns.Campaign {
	two := 2 * time.Minute
	return campaigns.Campaign{
		Name: "news", Project: "law-monitor", Description: "Italian news, 133 feeds", Owner: "redazione@example.it", Tags: []string{"news", "rss"}, Processors: 10,
		Schedule: &campaigns.Schedule{Every: 2 * time.Hour, TimeZone: "Europe/Rome", Jitter: &two, Overlap: campaigns.OverlapSkip, CatchUp: time.Hour},
		Timeouts: campaigns.Timeouts{Request: 30 * time.Second, Item: 2 * time.Hour, UntilNext: true},
		Entries: []campaigns.Entry{{
			Name: "feed", Fetcher: "feed", Params: json.RawMessage(`{"pages":1}`), Queue: "vendemmia-fetch", Priority: campaigns.PriorityNormal,
			Split: &campaigns.Split{List: "sha256:aa", File: "feeds.csv", Count: 133, Key: "id"}, Retry: retry.Default(),
		}},
	}
}

func weatherCampaign() campaigns.Campaign {
	return campaigns.Campaign{
		Name: "weather", Project: "law-monitor", Processors: 3,
		Schedule: &campaigns.Schedule{Cron: []string{"20 */6 * * *"}, TimeZone: "Europe/Rome", Overlap: campaigns.OverlapSkip, CatchUp: time.Hour},
		Entries:  []campaigns.Entry{{Name: "feed", Fetcher: "feed", Queue: "library", Priority: campaigns.PriorityLow, Retry: retry.Default()}},
	}
}

func (d *seeder) campaigns(ctx context.Context) {
	var all []rows.ApplyCampaign
	for i, c := range []campaigns.Campaign{newsCampaign(), weatherCampaign()} {
		spec, err := c.Canonical()
		require.NoError(d.t, err)
		digest, err := c.Digest()
		require.NoError(d.t, err)
		all = append(all, rows.ApplyCampaign{Name: c.Name, Digest: digest, Spec: spec, File: "campaigns/main.yaml", Line: 20 + 30*i})
	}
	_, err := d.s.Apply(ctx, rows.Application{
		Project: "law-monitor", Author: "marta", Campaigns: all, At: time.Date(2026, 5, 2, 7, 12, 0, 0, time.UTC),
		Hosts: []rows.Host{{Name: "*", Every: time.Second, Connections: 2}},
	})
	require.NoError(d.t, err)
}

func (d *seeder) open(ctx context.Context, id string, due time.Time) rows.Run {
	g, err := d.s.OpenRun(ctx, rows.NewRun{Exclusive: true, Run: rows.Run{
		RunID: "r-" + id, WorkflowID: id, Campaign: "news", Version: 1, Trigger: "schedule", Processors: 10,
		DueAt: due, StartedAt: due.Add(7 * time.Second), Deadline: due.Add(2 * time.Hour),
	}})
	require.NoError(d.t, err)
	var items []rows.RunItem
	for i := range 133 {
		items = append(items, rows.RunItem{Ord: int64(i), Entry: "feed", Key: keyOf(i), Fetcher: "feed", Host: hostOf(i)})
	}
	require.NoError(d.t, d.s.AddItems(ctx, g.Run.ID, items))
	_, err = d.s.SealRun(ctx, g.Run.ID, 10, due.Add(2*time.Hour))
	require.NoError(d.t, err)
	return g.Run
}

// 0 to 73 are done, 74 to 130 unchanged.
const (
	partial   = 131
	throttled = 132
)

func keyOf(i int) string {
	switch i {
	case partial:
		return "ilsole24ore-norme"
	case throttled:
		return "nytimes-economy"
	default:
		return fmt.Sprintf("feed-%03d", i)
	}
}

func hostOf(i int) string {
	if i == throttled {
		return "www.nytimes.com"
	}
	return fmt.Sprintf("feeds-%02d.example.org", i%60)
}

func (d *seeder) claim(ctx context.Context, run rows.Run, now time.Time) map[int64]rows.ClaimedItem {
	d.epoch++
	c, err := d.s.Claim(ctx, rows.Claim{Run: run.ID, Shared: true, Epoch: d.epoch, Worker: "worker-a", Max: 1000, Now: now})
	require.NoError(d.t, err)
	out := map[int64]rows.ClaimedItem{}
	for _, it := range c.Items {
		out[it.Ord] = it
	}
	return out
}

// step is one write of an item.
type step struct {
	at      time.Time
	docs    []harvest.Document
	rejects []harvest.Reject
	listed  int
	same304 bool
	settle  rows.Settle
	ask     visit.Exchange
	attempt int
	worker  string
}

func (d *seeder) write(ctx context.Context, run rows.Run, it rows.ClaimedItem, st step) {
	w := rows.Write{
		Run: run.ID, Ord: it.Ord, Epoch: d.epoch, Item: units.Item{Campaign: "news", Entry: "feed", Key: it.Key}, Fetcher: "feed",
		At: st.at, Settle: &st.settle, Attempt: st.attempt, Worker: st.worker,
	}
	st.ask.At, st.ask.Method, st.ask.Host = st.at, "GET", it.Host
	st.ask.URL = "https://" + it.Host + "/rss.xml"
	w.Ledger = []visit.Exchange{st.ask}
	if st.settle.State == rows.ItemClosed && st.settle.Kind == "" {
		w.Page = &rows.PageWrite{Seq: 1, Collection: "news", Version: it.Checkpoint.Version, Page: harvest.Page{
			Documents: st.docs, Rejects: st.rejects, Listed: st.listed, NotModified: st.same304, Checkpoint: json.RawMessage(`{"etag":"` + it.Key + `"}`), Last: true,
		}}
	}
	require.NoError(d.t, d.s.Write(ctx, w).Err)
}

// documentsOf item i: from number a to b, of a generation that changes their
// titles.
func documentsOf(i, a, b, generation int) []harvest.Document {
	var out []harvest.Document
	for n := a; n < b; n++ {
		out = append(out, harvest.Document{
			ID: fmt.Sprintf("https://%s/%s/%d", hostOf(i), keyOf(i), n), Kind: "entry", Title: fmt.Sprintf("Entry %d, edition %d", n, generation),
			URL: fmt.Sprintf("https://%s/%s/%d", hostOf(i), keyOf(i), n), Published: time.Date(2026, 5, 3, 8, n%60, 0, 0, time.UTC), Body: []byte("text"),
		})
	}
	return out
}

// stock is how many documents item i had after the first run: 1,146 among the
// done, 1,369 among the eight unchanged ones that list.
func stock(i int) int {
	switch {
	case i < 73:
		return 15
	case i == 73:
		return 51
	case i < 81:
		return 171
	case i == 81:
		return 172
	case i == throttled:
		return 12
	default:
		return 0
	}
}

func (d *seeder) first(ctx context.Context, run rows.Run) {
	for ord, it := range d.claim(ctx, run, utc(14, 0, 8)) {
		i, o := int(ord), outcomes.Done
		if stock(i) == 0 {
			o = outcomes.Unchanged
		}
		d.write(ctx, run, it, step{
			at: utc(14, 0, 10), docs: documentsOf(i, 0, stock(i), 1), listed: stock(i), attempt: 1, worker: "worker-a",
			settle: rows.Settle{State: rows.ItemClosed, Outcome: o, Attempts: 1}, ask: visit.Exchange{Status: 200, Bytes: 10_000},
		})
	}
}

func (d *seeder) second(ctx context.Context, run rows.Run) {
	now := utc(16, 0, 9)
	claimed := d.claim(ctx, run, now)
	for i := range 133 {
		it := claimed[int64(i)]
		switch {
		case i == throttled || i == 0 || i == 1 || i == 2:
			d.write(ctx, run, it, again(i, utc(16, 0, 11), 1))
		case i == partial:
			d.write(ctx, run, it, unreadable())
		default:
			d.write(ctx, run, it, well(i, utc(16, 0, 12), 1))
		}
	}
	for n, at := range []time.Time{utc(16, 1, 11), utc(16, 2, 12), utc(16, 3, 12)} {
		for ord, it := range d.claim(ctx, run, at) {
			if int(ord) != throttled {
				d.write(ctx, run, it, well(int(ord), utc(16, 0, 14), 2))
				continue
			}
			d.write(ctx, run, it, again(throttled, at, n+2))
		}
	}
	require.NoError(d.t, d.s.RestHost(ctx, "www.nytimes.com", utc(19, 3, 12), "429, Retry-After 3h"))
}

// again is an attempt that does not bring it: the throttled item four times,
// three others once.
func again(i int, at time.Time, n int) step {
	st := step{at: at, attempt: n, worker: []string{"worker-b", "worker-a"}[n%2]}
	if i != throttled {
		st.settle = rows.Settle{State: rows.ItemOpen, Kind: harvest.KindServerError, NotBefore: at.Add(time.Second), Attempts: 1}
		st.ask = visit.Exchange{Status: 502, Kind: harvest.KindServerError}
		return st
	}
	st.settle = rows.Settle{State: rows.ItemOpen, Kind: harvest.KindThrottled, NotBefore: at.Add(time.Minute), Throttles: 1}
	st.ask = visit.Exchange{Status: 429, RetryAfter: time.Minute, Kind: harvest.KindThrottled}
	if n == 4 {
		st.ask.RetryAfter = 3 * time.Hour
		st.settle = rows.Settle{State: rows.ItemClosed, Outcome: outcomes.Throttled, Why: string(outcomes.WhyNextTick), Kind: harvest.KindThrottled, Throttles: 1}
	}
	return st
}

func unreadable() step {
	var rejects []harvest.Reject
	for i := range 3 {
		rejects = append(rejects, harvest.Reject{ID: fmt.Sprintf("norme-%d", i+1), Reason: `date "31/02/2026"`, Bytes: []byte("<item>\n  <pubDate>31/02/2026</pubDate>\n</item>\n")})
	}
	return step{
		at: utc(16, 0, 31), docs: documentsOf(partial, 0, 17, 1), rejects: rejects, listed: 20, attempt: 1, worker: "worker-a",
		settle: rows.Settle{State: rows.ItemClosed, Outcome: outcomes.Partial, Attempts: 1}, ask: visit.Exchange{Status: 200, Bytes: 41_000},
	}
}

// well is an item that ends as it should: the done ones have 197 new, 9 changed
// and 1,137 equal documents among them.
func well(i int, at time.Time, n int) step {
	st := step{at: at, attempt: n, worker: []string{"worker-b", "worker-a"}[i%2], settle: rows.Settle{State: rows.ItemClosed, Outcome: outcomes.Done, Attempts: 1}}
	st.ask = visit.Exchange{Status: 200, Bytes: 232_233}
	if i < 31 {
		st.ask.Waited = time.Second
	}
	have := stock(i)
	switch {
	case i < 9: // two new, one changed
		st.docs = append(documentsOf(i, 0, have-1, 1), documentsOf(i, have-1, have, 2)...)
		st.docs = append(st.docs, documentsOf(i, have, have+2, 1)...)
	case i < 58: // 147 new
		st.docs = documentsOf(i, 0, have+3, 1)
	case i < 74: // 32 new
		st.docs = documentsOf(i, 0, have+2, 1)
	case i < 82:
		st.settle.Outcome, st.docs = outcomes.Unchanged, documentsOf(i, 0, have, 1)
	default:
		st.settle.Outcome, st.same304 = outcomes.Unchanged, true
		st.ask = visit.Exchange{Status: 304}
	}
	st.listed = len(st.docs)
	return st
}

func (d *seeder) finish(ctx context.Context, run rows.Run, o outcomes.Outcome, at time.Time) {
	require.NoError(d.t, d.s.FinishRun(ctx, rows.Finish{Run: run.ID, Outcome: o, At: at}))
}
