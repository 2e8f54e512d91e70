package campaigns_test

import (
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/retry"
)

const source = "    fetcher: feed\n    params: { url: \"https://a.example/\" }\n"

func TestBuiltInDefaults(t *testing.T) {
	t.Parallel()
	c := one(t, "campaigns:\n  a:\n    schedule: every 2h\n"+source).Campaign
	require.Equal(t, campaigns.Campaign{
		Name:       "a",
		Schedule:   &campaigns.Schedule{Every: 2 * time.Hour, Overlap: campaigns.OverlapSkip, CatchUp: time.Hour},
		Processors: 4,
		Keep:       campaigns.Keep{Raw: 30 * 24 * time.Hour, Runs: 90 * 24 * time.Hour},
		Timeouts:   campaigns.Timeouts{Request: time.Minute, Page: 5 * time.Minute, Item: 6 * time.Hour},
		Tolerate:   campaigns.Count{Share: 0.1},
		Entries: []campaigns.Entry{{
			Name: "feed", Fetcher: "feed", Params: json.RawMessage(`{"url":"https://a.example/"}`),
			Queue: "vendemmia-fetch", Priority: campaigns.PriorityNormal,
			Timeouts: campaigns.Timeouts{Request: time.Minute, Page: 5 * time.Minute, Item: 6 * time.Hour},
			Retry:    retry.Default(), Tolerate: campaigns.Count{N: 20},
		}},
	}, c)
}

func TestAdhocHasTheBuiltInDefaults(t *testing.T) {
	t.Parallel()
	file := one(t, "campaigns:\n  a:\n    processors: 1\n    description: feed, by hand\n"+source).Campaign
	adhoc := campaigns.Adhoc("feed", json.RawMessage(`{ "url": "https://a.example/" }`), 0)
	require.Equal(t, "adhoc-feed", adhoc.Name)
	adhoc.Name = "a"
	require.Equal(t, file, adhoc)
}

func TestStrongerLayersWin(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{
		"_defaults.yaml": "defaults: { processors: 2, chunk: 2, queue: folder, timeouts: { request: 2s, page: 2s }, tags: [folder] }\n",
		"main.yaml": "defaults: { chunk: 3, queue: file, timeouts: { page: 3s, item: 3s }, params: { max_entries: 3, full: true } }\n" +
			"campaigns:\n  a:\n    queue: campaign\n    timeouts: { item: 4s }\n    tags: campaign\n    fetchers:\n" +
			"      - { fetcher: feed, queue: entry, params: { max_entries: 5, url: \"https://a.example/\" } }\n" +
			"      - { fetcher: feed, name: other, params: { full: null, url: \"https://b.example/\" } }\n",
		"other.yaml": "campaigns: { b: { fetcher: feed, params: { url: \"https://c.example/\" } } }\n",
	})
	loaded, err := campaigns.LoadWith([]string{dir}, lookup, campaigns.Defaults{Source: "settings.yaml", Values: map[string]string{"processors": "1", "keep.runs": "1d", "owner": "it"}})
	require.NoError(t, err)
	require.Empty(t, loaded.Problems)
	a, b := loaded.Campaigns[0].Campaign, loaded.Campaigns[1].Campaign
	require.Equal(t, []any{2, 3, []string{"campaign"}, "it", 24 * time.Hour}, []any{a.Processors, a.Chunk, a.Tags, a.Owner, a.Keep.Runs})
	require.Equal(t, []any{2, 2, []string{"folder"}}, []any{b.Processors, b.Chunk, b.Tags})
	first, second := a.Entries[0], a.Entries[1]
	require.Equal(t, campaigns.Timeouts{Request: 2 * time.Second, Page: 3 * time.Second, Item: 4 * time.Second}, first.Timeouts)
	require.Equal(t, []string{"entry", "campaign", "folder"}, []string{first.Queue, second.Queue, b.Entries[0].Queue})
	require.JSONEq(t, `{"max_entries":5,"full":true,"url":"https://a.example/"}`, string(first.Params))
	require.JSONEq(t, `{"max_entries":3,"url":"https://b.example/"}`, string(second.Params))
	require.JSONEq(t, `{"url":"https://c.example/"}`, string(b.Entries[0].Params))
}

func TestAFileAloneHasItsFoldersDefaults(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"_defaults.yaml": "project: p\ndefaults: { processors: 2 }\n", "main.yaml": "campaigns:\n  a:\n" + source})
	loaded, err := campaigns.Load([]string{filepath.Join(dir, "main.yaml")}, lookup)
	require.NoError(t, err)
	require.Empty(t, loaded.Problems)
	require.Equal(t, 2, loaded.Campaigns[0].Campaign.Processors)
	require.Equal(t, "p", loaded.Campaigns[0].Campaign.Project)
	require.Len(t, loaded.Files, 2)
}

// Of every, at and cron only those of the strongest layer count.
func TestSchedulesMerge(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		defaults, campaign, want string
	}{
		"words over words":            {`every 2h`, `mon,thu at 18:00`, `{"at":["18:00"],"days":["mon","thu"]}`},
		"daily is on all days":        {`mon,thu at 18:00`, `daily at 19:00`, `{"at":["19:00"]}`},
		"a map keeps the days":        {`mon,thu at 18:00`, `{ at: "19:00" }`, `{"at":["19:00"],"days":["mon","thu"]}`},
		"every drops at and its days": {`mon,thu at 18:00`, `{ every: 1h }`, `{"every":3600000000000}`},
		"cron drops every and offset": {`{ every: 6h, offset: 20m }`, `"30 1 * * *"`, `{"cron":["30 1 * * *"]}`},
		"an offset over every":        {`every 6h`, `{ offset: 20m }`, `{"every":21600000000000,"offset":1200000000000}`},
		"every without its offset":    {`{ every: 6h, offset: 20m }`, `every 2h`, `{"every":7200000000000}`},
		"the zone stays":              {`{ time_zone: Europe/Rome, jitter: 0 }`, `every 2h`, `{"every":7200000000000,"time_zone":"Europe/Rome","jitter":0}`},
		"a list of lines":             {`every 2h`, `["30 1 * * *", "mon at 18:00"]`, `{"cron":["30 1 * * *","0 18 * * mon"]}`},
		"nothing takes it away":       {`every 2h`, `null`, `null`},
		"a zone alone is by hand":     {`{ time_zone: Europe/Rome }`, ``, `null`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := "defaults:\n  schedule: " + c.defaults + "\ncampaigns:\n  a:\n" + source
			if c.campaign != "" {
				text += "    schedule: " + c.campaign + "\n"
			}
			got, err := json.Marshal(one(t, text).Campaign.Schedule)
			require.NoError(t, err)
			if c.want != "null" {
				c.want = strings.TrimSuffix(c.want, "}") + `,"overlap":"skip","catch_up":3600000000000}`
			}
			require.JSONEq(t, c.want, string(got))
		})
	}
}

func TestOriginsTellEveryValue(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{
		"_defaults.yaml": "defaults:\n  owner: it\n",
		"main.yaml": "defaults:\n  schedule: { jitter: 3m }\ncampaigns:\n  a:\n    schedule: every 2h\n    fetcher: x\n    params:\n      account: \"@Genova\"\n      token: \"${secret:env:T}\"\n" +
			"  b:\n    fetchers:\n      - name: one\n        fetcher: feed\n        queue: slow\n        params: { url: \"https://b.example/\" }\n",
	})
	loaded, err := campaigns.Load([]string{dir}, lookup)
	require.NoError(t, err)
	require.Empty(t, loaded.Problems)
	var got []string
	for _, s := range loaded.Campaigns {
		got = append(got, "# "+s.Campaign.Name)
		for _, o := range s.Origins {
			at := "built in"
			if o.File != "" {
				at = filepath.Base(o.File) + ":" + strconv.Itoa(o.Line)
			}
			got = append(got, o.Path+" = "+o.Value+"   "+at)
		}
	}
	golden(t, "testdata/origins.txt", []byte(strings.Join(got, "\n")+"\n"))
}

func TestAnchorsAliasesAndMergeKeys(t *testing.T) {
	t.Parallel()
	loaded := load(t, just("campaigns:\n  a: &base\n    fetcher: feed\n    tags: &tags [one]\n    timeouts: &slow { item: 9h }\n    params: &params { url: \"https://a.example/\", max_entries: 5 }\n"+
		"  b:\n    <<: *base\n    timeouts: { <<: *slow, page: 1m }\n    params: { <<: *params, url: \"https://b.example/\" }\n"))
	require.Empty(t, loaded.Problems)
	b := loaded.Campaigns[1].Campaign
	require.Equal(t, []string{"one"}, b.Tags)
	require.Equal(t, campaigns.Timeouts{Request: time.Minute, Page: time.Minute, Item: 9 * time.Hour}, b.Timeouts)
	require.JSONEq(t, `{"url":"https://b.example/","max_entries":5}`, string(b.Entries[0].Params))
}

func TestThePauseOfAFile(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]*campaigns.Pause{
		"":                         nil,
		"    paused: new firewall": {On: true, Note: "new firewall"},
		"    paused: false":        {},
	} {
		require.Equal(t, want, one(t, "campaigns:\n  a:\n"+source+text+"\n").Campaign.Paused, text)
	}
}

// The seven policies of the older systems, as the reference says them.
func TestRetryRules(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]retry.Rule{
		"{ times: 0 }":                                 {},
		"{ times: 3, wait: 1m }":                       {Times: 3, Wait: time.Minute},
		"{ times: forever, wait: 10m }":                {Times: retry.Forever, Wait: 10 * time.Minute},
		"{ times: 5, wait: 30s, factor: 2, cap: 15m }": {Times: 5, Wait: 30 * time.Second, Factor: 2, Cap: 15 * time.Minute},
		"{ within: 24h, wait: 1m, factor: 2 }":         {Times: retry.Forever, Within: 24 * time.Hour, Wait: time.Minute, Factor: 2},
		"{ by_age: { 1h: 5m, 5m: 1m } }":               {ByAge: []retry.AgeStep{{Until: 5 * time.Minute, Wait: time.Minute}, {Until: time.Hour, Wait: 5 * time.Minute}}},
		"{ when: timeout, times: 5, wait: 1m, factor: 1, jitter: 20%, queue: slow }": {When: []harvest.Kind{harvest.KindTimeout}, Times: 5, Wait: time.Minute, Jitter: 0.2, Queue: "slow"},
	} {
		c := one(t, "campaigns:\n  a:\n"+source+"    retry: [ "+text+" ]\n").Campaign
		require.Equal(t, []retry.Rule{want}, c.Entries[0].Retry, text)
	}
}

func TestPathsThatAreNotThere(t *testing.T) {
	t.Parallel()
	_, err := campaigns.Load([]string{filepath.Join(t.TempDir(), "none.yaml")}, lookup)
	require.ErrorContains(t, err, "there is no")
	_, err = campaigns.Load([]string{t.TempDir()}, lookup)
	require.ErrorContains(t, err, "no *.yaml in the folder")
}

func TestHostsOfAllFiles(t *testing.T) {
	t.Parallel()
	loaded := load(t, map[string]string{
		"a.yaml": "hosts: { \"*\": { every: 1s, robots: obey }, h.example: { every: 1.25s, connections: 1 } }\n",
		"b.yaml": "hosts: { h.example: { every: 1250ms, connections: 1 } }\n",
	})
	require.Empty(t, loaded.Problems)
	require.Len(t, loaded.Hosts, 2)
	require.Equal(t, "h.example", loaded.Hosts[1].Name)
	require.Equal(t, 1250*time.Millisecond, loaded.Hosts[1].Every)
	require.True(t, strings.HasSuffix(loaded.Hosts[1].Source, "a.yaml:1"))
	require.Empty(t, loaded.NotYet)
}

func TestWhatIsNotBuiltYetIsSaid(t *testing.T) {
	t.Parallel()
	s := one(t, "campaigns:\n  a:\n"+source+"    priority: low\n    budget: { bytes: 5GiB/run }\n    keep: { raw: 2y, runs: 1d }\n    notify:\n      - { to: \"mailto:a@example.it\", digest: 1d }\n      - { to: \"https://h.example/\" }\n")
	require.Equal(t, []string{"9:15", "9:38"}, places(s.NotYet))
	require.Equal(t, []campaigns.Allowance{{What: "bytes", N: 5 << 30, Per: "run"}}, s.Campaign.Budget)
	require.Empty(t, one(t, "campaigns:\n  a:\n"+source).NotYet)
	require.Zero(t, one(t, "campaigns:\n  a:\n"+source+"    refresh: none\n").Campaign.Entries[0].Refresh)
}

func TestADeadSourceMakesNoRunRedByItself(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]campaigns.Count{
		"":                                {Share: 0.1},
		"    tolerate: { items: 0 }\n":    {},
		"    tolerate: { items: 3 }\n":    {N: 3},
		"    tolerate: { records: 5 }\n":  {Share: 0.1},
		"    tolerate: { items: 2.5% }\n": {Share: 0.025},
	} {
		c := one(t, "campaigns:\n  a:\n"+source+text).Campaign
		require.Equal(t, want, c.Tolerate, text)
		spec, err := c.Canonical()
		require.NoError(t, err)
		again, err := campaigns.Decode(spec)
		require.NoError(t, err)
		require.Equal(t, want, again.Tolerate, "as it was applied")
	}
}

func places(problems []campaigns.Problem) []string {
	var out []string
	for _, p := range problems {
		out = append(out, strconv.Itoa(p.Line)+":"+strconv.Itoa(p.Column))
	}
	return out
}
