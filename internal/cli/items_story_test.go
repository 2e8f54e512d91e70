package cli

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/units"
	"github.com/vendemmia/vendemmia/store"
)

// pastOf adds runs of campaign weather with one item each, an hour apart.
func pastOf(t *testing.T, s *store.Store, key string, ends ...rows.Settle) {
	t.Helper()
	for i, end := range ends {
		at := moment().Add(time.Duration(i-len(ends)) * time.Hour)
		g, err := s.OpenRun(t.Context(), rows.NewRun{Run: rows.Run{RunID: key + at.String(), WorkflowID: "weather-" + at.Format("15"), Campaign: "weather", Version: 1, StartedAt: at}})
		require.NoError(t, err)
		require.NoError(t, s.AddItems(t.Context(), g.Run.ID, []rows.RunItem{{Entry: "feed", Key: key, Label: map[string]string{"w-ge": "Genova"}[key], Fetcher: "feed", Host: "w.example.org", Params: json.RawMessage(`{"url":"https://w.example.org/genova?lang=it"}`)}}))
		_, err = s.SealRun(t.Context(), g.Run.ID, 1, time.Time{})
		require.NoError(t, err)
		_, err = s.Claim(t.Context(), rows.Claim{Run: g.Run.ID, Shared: true, Epoch: 1, Worker: "w", Max: 1, Now: at})
		require.NoError(t, err)
		end.State = rows.ItemClosed
		w := rows.Write{Run: g.Run.ID, Epoch: 1, Item: units.Item{Campaign: "weather", Entry: "feed", Key: key}, Fetcher: "feed", At: at, Settle: &end}
		require.NoError(t, s.Write(t.Context(), w).Err)
		require.NoError(t, s.FinishRun(t.Context(), rows.Finish{Run: g.Run.ID, Outcome: end.Outcome, At: at}))
	}
}

// TestAnItemTellsItsStory: which, since when, why; the key that commands want;
// address, last error and history.
func TestAnItemTellsItsStory(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := b.openStore()
	c := weatherCampaign()
	c.Entries[0].Split = &campaigns.Split{Items: []campaigns.Row{{Key: "w-ge", Label: "Genova", Params: json.RawMessage(`{}`)}}}
	applied(t, s, c)
	gone := rows.Settle{Outcome: outcomes.Gone, Kind: harvest.KindGone, Why: string(outcomes.WhyNotRetriable), Error: "HTTP status 410"}
	pastOf(t, s, "w-ge", rows.Settle{Outcome: outcomes.Done}, gone, gone)
	pastOf(t, s, "w-old", gone)
	require.NoError(t, s.Close())

	out := b.ok("items", "list", "--unhealthy", "--campaign", "weather")
	require.Contains(t, out, "KEY   OUTCOME  SINCE CEST  WHY\n")
	require.Contains(t, out, "w-ge  gone          16:10  HTTP status 410\n", "since the first of the bad ones")
	require.NotContains(t, out, "w-old", "no file has it")
	require.Contains(t, b.ok("items", "list", "--campaign", "weather"), "no longer in any file")
	r := b.run("items", "list", "--unhealthy", "--strict", "--campaign", "weather")
	require.Equal(t, program.ExitError, r.code)
	require.Empty(t, r.err)
	require.Equal(t, program.ExitUsage, b.run("items", "list", "--strict").code)

	out = b.ok("items", "show", "Genova")
	for _, want := range []string{
		"address     https://w.example.org/genova?lang=it\n", "since       Sun 3 May 16:10 CEST\n", "why         HTTP status 410\n",
		"ENDED CEST  OUTCOME  LISTED  NEW  CHANGED  DEL  QUAR  WORKER  MET\n", "     17:10  gone          0    0        0    0     0  w       HTTP status 410\n", "     15:10  done ",
	} {
		require.Contains(t, out, want)
	}
	require.Contains(t, b.ok("items", "show", "w-old"), "no campaign file has it any more")
}

// TestTheLastFullRun: a run of some items says nothing of the others.
func TestTheLastFullRun(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := b.openStore()
	for _, r := range []rows.Run{
		{RunID: "r-some", WorkflowID: "news-some", Overrides: json.RawMessage(`{"items":["feed-001"]}`)},
		{RunID: "r-retry", WorkflowID: "news-retry", RetryOf: newsRun},
		{RunID: "r-trial", WorkflowID: "news-trial", Overrides: json.RawMessage(`{"limit":3}`)},
	} {
		r.Campaign, r.Version, r.StartedAt = "news", 1, moment()
		g, err := s.OpenRun(t.Context(), rows.NewRun{Run: r})
		require.NoError(t, err)
		require.NoError(t, s.FinishRun(t.Context(), rows.Finish{Run: g.Run.ID, Outcome: outcomes.Done, At: moment()}))
	}
	require.NoError(t, s.Close())
	require.Regexp(t, `news .* warnings +18:00`, b.ok("campaigns", "list"))
	require.Contains(t, b.ok("campaigns", "show", "news"), "last run    "+newsRun)
}

// TestWideTerminals: tables are as wide as the terminal, and links are whole.
func TestWideTerminals(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	narrow(t, b.ok("documents", "list", "--limit", "3"))
	b.env["COLUMNS"] = "200"
	out := b.ok("documents", "list", "--limit", "3")
	require.NotContains(t, out, "…")
	require.Contains(t, out, "PUBLISHED")
	require.Contains(t, b.ok("runs", "show", "news"), "/workflows/"+newsRun+"/r-"+newsRun+"\n")
	require.NotContains(t, out, "\x1b", "no colour but on a terminal")
	require.Equal(t, 3, strings.Count(out, "https://"))
}

func applied(t *testing.T, s *store.Store, c campaigns.Campaign) {
	t.Helper()
	spec, err := c.Canonical()
	require.NoError(t, err)
	digest, err := c.Digest()
	require.NoError(t, err)
	_, err = s.Apply(t.Context(), rows.Application{Project: "law-monitor", At: moment(), Campaigns: []rows.ApplyCampaign{{Name: c.Name, Digest: digest, Spec: spec}}})
	require.NoError(t, err)
}
