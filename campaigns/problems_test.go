package campaigns_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
)

func TestProblemsLookAsPromised(t *testing.T) {
	t.Chdir("testdata/errors")
	loaded, err := campaigns.Load([]string{"campaigns/main.yaml", "campaigns/gu.yaml"}, lookup)
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, campaigns.PrintProblems(&out, loaded.Problems))
	require.Equal(t, `campaigns/main.yaml:23:15  schedule: a cron line that starts with * must be in
                           quotes: schedule: "*/5 * * * *"   or: every 5m
campaigns/main.yaml:31:5   news.procesors: no such key; did you mean processors?
campaigns/feeds.csv:97     key ansa-economia is also on line 14; every row needs
                           a key of its own, it names the checkpoint
campaigns/gu.yaml:9:28     gu-concorsi.params.series "concorso": one of
                           serie_generale, corte_costituzionale, unione_europea,
                           regioni, concorsi, contratti
4 errors in 3 files. Nothing was changed.
`, out.String())
}

func TestOneProblemIsSingular(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.NoError(t, campaigns.PrintProblems(&out, []campaigns.Problem{{File: "a.yaml", Line: 1, Text: "wrong"}}))
	require.Equal(t, "a.yaml:1  wrong\n1 error in 1 file. Nothing was changed.\n", out.String())
	out.Reset()
	require.NoError(t, campaigns.PrintProblems(&out, nil))
	require.Empty(t, out.String())
}

// Each case is one mistake and all that is said about it.
func TestEveryMistakeIsNamed(t *testing.T) {
	t.Parallel()
	feed := "campaigns:\n  a:\n    fetcher: feed\n    params: { url: \"https://a.example/\" }\n"
	list := "campaigns:\n  a:\n    fetcher: feed\n    split: { file: list.csv, key: id }\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"unknown key in hosts":             {just("hosts: { a.example: { evry: 1s } }\n" + feed), []string{"main.yaml:1:23  hosts.a.example.evry: no such key; did you mean every?"}},
		"a host with a port":               {just("hosts: { \"a.example:8080\": { every: 1s } }\n" + feed), []string{"main.yaml:1:10  hosts \"a.example:8080\": what holds for a host holds at all its ports: a.example"}},
		"a host with a dot":                {just("hosts: { a.example.: { every: 1s } }\n" + feed), []string{"main.yaml:1:10  hosts \"a.example.\": hosts are written as they are asked for: a.example"}},
		"a host in another script":         {just("hosts: { bücher.example: { every: 1s } }\n" + feed), []string{"main.yaml:1:10  hosts \"bücher.example\": hosts are written as they are asked for: xn--bcher-kva.example"}},
		"an authority that is none":        {just("hosts: { a.example: { ca: ca.pem } }\n" + feed), []string{"main.yaml:1:27  hosts.a.example.ca: no certificate in it: it is the text of a PEM file, from -----BEGIN CERTIFICATE----- on, as a block (ca: |)"}},
		"unknown key of a file":            {just("campaing: {}\n" + feed), []string{"main.yaml:1:1  campaing: no such key; did you mean campaigns?"}},
		"a key in the wrong place":         {just("defaults: { split: true }\n" + feed), []string{"main.yaml:1:13  defaults.split: does not stand here, but at a campaign or a fetchers entry"}},
		"a bare number":                    {just(feed + "    timeouts: { item: 90 }\n"), []string{"main.yaml:5:23  a.timeouts.item: 90 needs a unit, for example 90s, 90m or 90h, or none"}},
		"a bare share":                     {just(feed + "    retry: [{ times: 1, wait: 1s, jitter: 20 }]\n"), []string{"main.yaml:5:43  a.retry.jitter: 20 needs a unit, for example 20%"}},
		"a bare rate":                      {just(feed + "    budget: { requests: 500 }\n"), []string{"main.yaml:5:25  a.budget.requests \"500\": so much per run, day or month, for example 500/run"}},
		"a word that is none":              {just(feed + "    retry: [{ when: trottled, times: 1, wait: 1s }]\n"), []string{"main.yaml:5:21  a.retry.when \"trottled\": no such word; did you mean throttled?"}},
		"an outcome that is none":          {just(feed + "    notify: [{ to: \"https://h.example/\", when: [success] }]\n"), []string{"main.yaml:5:49  a.notify.when \"success\": one of recovered, done, unchanged, skipped, empty, partial, warnings, throttled, blocked, gone, broken, failed, misconfigured, cancelled, missed"}},
		"a list for a map":                 {just(feed + "    keep: [30d]\n"), []string{"main.yaml:5:11  a.keep: must be a map, not a list"}},
		"an alert without address":         {just(feed + "    notify: [{ when: failed }]\n"), []string{"main.yaml:5:14  a.notify: an element without to; for example { to: https://hooks.example.org/x, when: [failed] }"}},
		"a rule that never repeats":        {just(feed + "    retry: [{ wait: 1m }]\n"), []string{"main.yaml:5:13  a.retry: a rule with wait but without times never repeats; add times: 5, or within: 24h"}},
		"paused without a reason":          {just(feed + "    paused: true\n"), []string{"main.yaml:5:13  a.paused: say why, as text: paused: \"new firewall, ask Ilse\""}},
		"an unknown fetcher":               {just("campaigns: { a: { fetcher: fed } }"), []string{"main.yaml:1:28  a.fetcher: no such fetcher; did you mean feed?"}},
		"no fetcher":                       {just("campaigns: { a: { schedule: every 2h } }"), []string{"main.yaml:1:14  a: no fetcher; for example fetcher: feed"}},
		"fetcher beside fetchers":          {just("campaigns: { a: { fetcher: feed, fetchers: [{ fetcher: feed, params: { url: \"https://a.example/\" } }] } }"), []string{"main.yaml:1:19  a.fetcher: stands beside fetchers; put it into an entry of that list, or give fetcher alone"}},
		"no fetchers":                      {just("campaigns: { a: { fetchers: [] } }"), []string{"main.yaml:1:29  a.fetchers: is empty; a campaign needs at least one fetcher"}},
		"two entries of one name":          {just("campaigns: { a: { fetchers: [{ fetcher: feed, params: { url: \"https://a.example/\" } },\n { fetcher: feed, params: { url: \"https://b.example/\" } }] } }"), []string{"main.yaml:2:2  a: entry feed is also on line 1; give one of them a name: it is part of checkpoints"}},
		"an unknown param":                 {just("campaigns: { a: { fetcher: feed, params: { ulr: \"https://a.example/\", url: \"https://a.example/\" } } }"), []string{"main.yaml:1:44  a.params.ulr: no such param; did you mean url?"}},
		"a param that is missing":          {just("campaigns: { a: { fetcher: feed } }"), []string{"main.yaml:1:28  a.params.url: is required"}},
		"a param of another type":          {just(feed + "    description: x\n    name: b\n" + "  b: { fetcher: feed, params: { url: \"https://b.example/\", max_entries: many } }\n"), []string{"main.yaml:7:73  b.params.max_entries: must be an integer, not a string"}},
		"the fetcher's own rule":           {just("campaigns: { a: { fetcher: x, params: { account: Genova, token: \"${secret:env:T}\" } } }"), []string{"main.yaml:1:39  a.params: account begins with @"}},
		"a secret in the file":             {just("campaigns: { a: { fetcher: x, params: { account: \"@Genova\", token: abc } } }"), []string{"main.yaml:1:68  a.params.token: a secret has no place in the file; write ${secret:env:VENDEMMIA_SECRET_TOKEN} or ${secret:file:PATH}"}},
		"a secret misspelt":                {just("campaigns: { a: { fetcher: x, params: { account: \"@Genova\", token: \"${secret:evn:T}\" } } }"), []string{"main.yaml:1:68  a.params.token \"${secret:evn:T}\": a secret is ${secret:env:NAME} or ${secret:file:PATH}"}},
		"a list without split":             {just("campaigns: { a: { fetcher: feed, params: [{ url: \"https://a.example/\" }] } }"), []string{"main.yaml:1:42  a.params: is a list; add split: true to make one item of each element"}},
		"split without a list":             {just(feed + "    split: true\n"), []string{"main.yaml:5:12  a.split: true wants a list under params, one element per item"}},
		"split with nothing":               {just(feed + "    split: { key: url }\n"), []string{"main.yaml:5:12  a.split: needs items, file or ask; for example { file: feeds.csv, key: id }"}},
		"split with two sources":           {just(feed + "    split: { items: [{ max_entries: 1 }], file: list.csv }\n"), []string{"main.yaml:5:12  a.split: items and file stand together; give one of them"}},
		"asking a mute fetcher":            {just(feed + "    split: { ask: sets }\n"), []string{"main.yaml:5:19  a.split.ask: the fetcher feed cannot be asked for its items; give items or file"}},
		"a full pass of what lists a part": {just(feed + "    refresh: 90d\n"), []string{"main.yaml:5:14  a.refresh: the fetcher feed does not list everything its source holds, so what it does not list cannot be taken for deleted; take refresh away"}},
		"asking beside a list":             {just("campaigns: { a: { fetcher: oaipmh, split: { ask: sets, items: [{ url: \"https://a.example/\" }] } } }"), []string{"main.yaml:1:50  a.split.ask: not yet: asking once per element of a list; give ask, or items, or file"}},
		"an alert nobody can send": {just(feed + "    notify: [{ to: \"file:///var/log/alerts\" }, { to: \"slack://${secret:env:X}\" }, { to: \"https:///x\" }]\n"), []string{
			"main.yaml:5:20  a.notify.to: no sender knows file: addresses; use an http or https address that takes JSON, or ${secret:env:NAME}",
			"main.yaml:5:54  a.notify.to: no sender knows slack: addresses; use an http or https address that takes JSON, or ${secret:env:NAME}",
			"main.yaml:5:89  a.notify.to \"https:///x\" names no host; for example https://hooks.example.org/x",
		}},
		"recovery of nothing":            {just(feed + "    notify: [{ to: \"https://h.example/\", when: recovered }]\n"), []string{"main.yaml:5:48  a.notify.when: recovered alone has nothing to follow; name the outcomes too, for example [failed, recovered]"}},
		"a list that is not there":       {just(feed + "    split: { file: list.csv }\n"), []string{"main.yaml:5:20  a.split.file: there is no list.csv; the name is relative to this file"}},
		"two inline items alike":         {just("campaigns:\n  a:\n    fetcher: feed\n    split: true\n    params:\n      - { url: \"https://a.example/\" }\n      - { url: \"https://a.example/\" }\n"), []string{"main.yaml:7:9  key https://a.example/ is also on line 6; every row needs a key of its own, it names the checkpoint"}},
		"include that fits nothing":      {just("campaigns: { a: { fetcher: feed, split: { include: [x*], items: [{ url: \"https://a.example/\" }] } } }"), []string{"main.yaml:1:65  include and exclude leave nothing of the 1 rows of a.split.items"}},
		"rows":                           {map[string]string{"main.yaml": list, "list.csv": "id,url,max_entries,colour,expect.fresh_within\nx,https://a.example/,many,red,\n,https://b.example/,,,\ny,,1,,\nz,https://c.example/,,,14\n"}, []string{"list.csv:1  column colour: no such param; there are label, url, max_entries, full, words, paused, was, tolerate.records, expect.min_documents, expect.fresh_within, expect.else", "list.csv:2  max_entries \"many\": a whole number, for example 200", "list.csv:3  no id; split.key names it, and every row needs one", "list.csv:4  url: is required", "list.csv:5  expect.fresh_within: 14 needs a unit, for example 14s, 14m or 14h"}},
		"a key column that is not there": {map[string]string{"main.yaml": list, "list.csv": "url\nhttps://a.example/\n"}, []string{"list.csv:1  there is no column id, and split.key names it; there are url", "list.csv:2  no id; split.key names it, and every row needs one"}},
		"common params are told once":    {map[string]string{"main.yaml": "campaigns:\n  a:\n    fetcher: feed\n    params: { max: 1 }\n    split: { file: list.csv }\n", "list.csv": "url\nhttps://a.example/\nhttps://b.example/\n"}, []string{"main.yaml:4:15  a.params.max: no such param; there are url, max_entries, full, words"}},
		"an empty list":                  {map[string]string{"main.yaml": list, "list.csv": "id,url\n"}, []string{"main.yaml:4:20  list.csv has no rows"}},
		"a schedule that is none":        {just(feed + "    schedule: every so often\n"), nil},
		"a schedule without a form":      {just(feed + "    schedule: { every: 2h, cron: \"@daily\" }\n"), []string{"main.yaml:5:15  a.schedule: exactly one of every, at and cron is needed; for example: every: 2h"}},
		"a time that is none":            {just(feed + "    schedule: { at: \"25:00\" }\n"), nil},
		"catch_up of nothing":            {just(feed + "    schedule: { every: 2h, catch_up: 0 }\n"), []string{"main.yaml:5:38  a.schedule.catch_up: must be at least 10s"}},
		"a name that is none":            {just("campaigns: { News: { fetcher: feed } }"), []string{"main.yaml:1:14  campaigns \"News\" is not a name; lower-case letters, digits and dashes, at most 63, for example gu-serie-generale"}},
		"a reserved name":                {just("campaigns: { adhoc-x: { fetcher: feed } }"), []string{"main.yaml:1:14  campaign adhoc-x: names that begin with adhoc- are made by other means; choose another"}},
		"a former name in use":           {just(feed + "    was: b\n  b: { fetcher: feed, params: { url: \"https://b.example/\" } }\n"), []string{"main.yaml:5:10  a.was: b is still a campaign, at main.yaml:6"}},
		"a former name twice":            {just(feed + "    was: c\n  b: { fetcher: feed, was: c, params: { url: \"https://b.example/\" } }\n"), []string{"main.yaml:6:28  b.was: c moved to a already; its state can go to one place only"}},
		"one campaign in two files":      {map[string]string{"a.yaml": feed, "b.yaml": feed}, []string{"b.yaml:2:3  campaign a is also at a.yaml:2; each stands once"}},
		"two projects":                   {map[string]string{"a.yaml": "project: x\n", "b.yaml": "project: y\n"}, []string{"b.yaml:1:10  project \"y\", but \"x\" at a.yaml:1; files that are applied together share one project"}},
		"one host in two files":          {map[string]string{"a.yaml": "hosts: { h.example: { every: 1s } }\n", "b.yaml": "hosts: { h.example: { every: 2s } }\n"}, []string{"b.yaml:1:10  hosts.h.example: other values than at a.yaml:1; a host is said once, for all files"}},
		"a host that is an address":      {just("hosts: { \"https://h.example/\": { every: 1s } }\n"), []string{"main.yaml:1:10  hosts \"https://h.example/\" is not a host; for example www.gazzettaufficiale.it, or \"*\" for all others"}},
		"a key twice":                    {just("project: x\nproject: y\n"), []string{"main.yaml:2:1  project stands here twice; the first is on line 1"}},
		"a second document":              {just("project: x\n---\nproject: y\n"), []string{"main.yaml:3:1  a second document (after ---); put it into a file of its own"}},
		"@ without quotes":               {just("campaigns: { a: { fetcher: feed, schedule: @daily, params: { url: \"https://a.example/\", ulr: 1 } } }\n"), []string{"main.yaml:1:44  schedule: text that starts with @ must be in quotes: schedule: \"@daily\"", "main.yaml:1:89  a.params.ulr: no such param; did you mean url?"}},
		"an alias of nothing":            {just("project: *none\n"), []string{"main.yaml:1:10  *none points to no anchor &none before it; text that starts with * must be in quotes"}},
		"no YAML at all":                 {just("a: [1, 2\nb: 3\n"), []string{"main.yaml:1:4  the [ here is not closed; put a ] behind its last element"}},
		"one key without a blank":        {just("campaigns:\n  a:\n    fetcher:feed\n"), []string{"main.yaml:2:3  a: no fetcher; for example fetcher: feed", "main.yaml:3:5  a: must be a map, not text: a blank is missing behind the colon; write fetcher: feed"}},
		"a file without a blank":         {just("project:x\n"), []string{"main.yaml:1:1  must be a map, not text: a blank is missing behind the colon; write project: x"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := folder(t, c.files)
			loaded, err := campaigns.Load([]string{dir}, lookup)
			require.NoError(t, err)
			got := texts(dir, loaded.Problems)
			if c.want == nil {
				require.Len(t, got, 1)
				return
			}
			require.Equal(t, c.want, got)
		})
	}
}

func just(text string) map[string]string { return map[string]string{"main.yaml": text} }
