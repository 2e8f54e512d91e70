package replica

import (
	"context"
	"encoding/json"
	"errors"
	"net/netip"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/vendemmia/vendemmia/campaigns"
	feedfetcher "github.com/vendemmia/vendemmia/fetchers/feed"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/polite"
	"github.com/vendemmia/vendemmia/internal/visit"
)

func TestDemoHolds(t *testing.T) {
	t.Parallel()
	f := start(t, Demo())
	readable := 0
	for _, name := range f.Names() {
		if name != DemoThrottled {
			readable += len(f.Holds(name))
		}
	}
	require.Equal(t, 2418, readable)
	require.Len(t, f.Entries(DemoPartial), 20)
	require.Len(t, f.Holds(DemoPartial), 17)
	alone := f.at(DemoThrottled).base
	for _, name := range f.Names() {
		require.Equal(t, name == DemoThrottled, f.at(name).base == alone, name)
	}
}

// The demo as the feed fetcher and the polite client see it: what is stored is
// what the replica holds.
func TestDemoIsHarvested(t *testing.T) {
	t.Parallel()
	f := start(t, Demo())
	client := polite.New(polite.Settings{
		Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")},
		Rules: func(string) polite.Rule { return polite.Rule{Every: time.Millisecond} },
	})
	t.Cleanup(client.Close)
	fetcher := feedfetcher.New(client.HTTP(visit.Visitor{Contact: "demo"}))
	checkpoints := make([]json.RawMessage, len(f.Names()))

	first := harvestAll(t, f, fetcher, checkpoints)
	require.Equal(t, 2418, first.documents)
	require.Equal(t, map[string]int{DemoPartial: demoUnreadable}, first.rejects)
	require.Equal(t, []string{DemoThrottled}, first.throttled)
	for _, host := range f.Hosts() {
		all := f.Arrivals(host)
		for i := 1; i < len(all); i++ {
			require.GreaterOrEqual(t, all[i].Begin.Sub(all[i-1].End), time.Millisecond)
		}
	}

	again := harvestAll(t, f, fetcher, checkpoints)
	require.Equal(t, 1, f.Counts(DemoThrottled).Requests, "its host rests")
	require.Equal(t, 129, again.unchanged, "all but the throttled one: the partial one, sent whole, has an equal hash")
	require.Equal(t, 128, f.Total().NotModified)
}

// gathered is what a round over all feeds brought.
type gathered struct {
	documents, unchanged int
	rejects              map[string]int
	throttled            []string
}

func harvestAll(t *testing.T, f *Feeds, fetcher harvest.Fetcher, checkpoints []json.RawMessage) gathered {
	t.Helper()
	pages, fails := make([][]harvest.Page, len(checkpoints)), make([]error, len(checkpoints))
	var g errgroup.Group
	g.SetLimit(20)
	for i, name := range f.Names() {
		g.Go(func() error {
			pages[i], fails[i] = harvestOne(t.Context(), fetcher, f.URL(name), checkpoints[i])
			return nil
		})
	}
	require.NoError(t, g.Wait())
	all := gathered{rejects: map[string]int{}}
	for i, name := range f.Names() {
		all.add(t, f, name, pages[i], fails[i])
		for _, p := range pages[i] {
			checkpoints[i] = p.Checkpoint
		}
	}
	return all
}

func (g *gathered) add(t *testing.T, f *Feeds, name string, pages []harvest.Page, err error) {
	t.Helper()
	if harvest.KindOf(err) == harvest.KindThrottled {
		g.throttled = append(g.throttled, name)
		return
	}
	require.NoError(t, err, name)
	var ids []string
	for _, p := range pages {
		for _, d := range p.Documents {
			ids = append(ids, d.ID)
		}
		if len(p.Rejects) > 0 {
			g.rejects[name] += len(p.Rejects)
		}
		if p.NotModified {
			g.unchanged++
			return
		}
	}
	require.ElementsMatch(t, f.Holds(name), ids, name)
	g.documents += len(ids)
}

func harvestOne(ctx context.Context, fetcher harvest.Fetcher, address string, checkpoint json.RawMessage) (pages []harvest.Page, err error) {
	params, err := json.Marshal(map[string]string{"url": address})
	if err != nil {
		return nil, err
	}
	_, err = harvest.Pump(ctx, fetcher, harvest.Request{Item: address, Params: params, Checkpoint: checkpoint, Attempt: 1},
		harvest.CommitFunc(func(_ context.Context, p harvest.Page) (harvest.Tally, error) {
			pages = append(pages, p)
			return harvest.PageTally(&p), nil
		}))
	return pages, err
}

func TestCampaignIsValid(t *testing.T) {
	t.Parallel()
	f := start(t, Demo())
	dir := t.TempDir() + "/new"
	path, err := f.Campaign(dir)
	require.NoError(t, err)
	loaded, err := campaigns.Load([]string{path}, func(name string) (campaigns.FetcherInfo, error) {
		if name != feedfetcher.Name {
			return campaigns.FetcherInfo{}, errors.New("no such fetcher: " + name)
		}
		d, ok := feedfetcher.New(nil).(harvest.Describer)
		require.True(t, ok)
		return campaigns.FetcherInfo{Name: name, Description: d.Describe(), Splitter: true}, nil
	})
	require.NoError(t, err)
	require.Empty(t, loaded.Problems)
	require.Equal(t, "demo", loaded.Project)
	require.Len(t, loaded.Campaigns, 1)
	require.Equal(t, "demo-feeds", loaded.Campaigns[0].Campaign.Name)
	require.Len(t, loaded.Hosts, demoHosts)
	for _, rows := range loaded.Campaigns[0].Lists {
		require.Len(t, rows, demoFeeds)
	}
	_, err = f.Campaign(dir)
	require.NoError(t, err, "a second time writes over")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(text), f.OPML())
}
