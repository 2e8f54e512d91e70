package campaigns_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/goccy/go-yaml"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/internal/retry"
)

func digest(t *testing.T, c campaigns.Campaign) string {
	t.Helper()
	d, err := c.Digest()
	require.NoError(t, err)
	return d
}

// A new definition is made only when something effective changed.
func TestTheDigestKnowsWhatMatters(t *testing.T) {
	t.Parallel()
	base := "campaigns:\n  a:\n    schedule: every 2h\n    tags: [x]\n    fetcher: feed\n    params: { url: \"https://a.example/\", max_entries: 200 }\n    add: { n: 9007199254740993, f: 8.9340 }\n"
	want := digest(t, one(t, base).Campaign)
	for name, same := range map[string]string{
		"comments and place": "# more\n\n\n" + base,
		"order of keys":      "campaigns:\n  a:\n    add: { f: 8.934, n: 9007199254740993 }\n    fetcher: rss\n    name: feed\n    params:\n      max_entries: 200\n      url: https://a.example/\n    tags: x\n    schedule: { every: 120m }\n",
		"defaults said":      base + "    processors: 4\n    timeouts: { request: 1m }\n    chunk: auto\n    retry: [{ when: throttled, times: 20, wait: 60s }, { when: [blocked, gone, broken, misconfigured, bad_record] }, { times: 5, wait: 30s, factor: 2, cap: 15m, jitter: 20% }]\n",
		"a pause":            base + "    paused: new firewall\n",
		"a former name":      base + "    was: b\n",
		"through an alias":   "defaults: { tags: &t [x] }\n" + base,
	} {
		require.Equal(t, want, digest(t, one(t, same).Campaign), name)
	}
	for name, other := range map[string]string{
		"another zone":  base + "    schedule: { every: 2h, time_zone: Europe/Rome }\n",
		"processors":    base + "    processors: 5\n",
		"another queue": base + "    queue: library\n",
	} {
		if name == "another zone" {
			other = "defaults: { schedule: { time_zone: Europe/Rome } }\n" + base
		}
		require.NotEqual(t, want, digest(t, one(t, other).Campaign), name)
	}
}

func examples(t *testing.T) []campaigns.Source {
	t.Helper()
	var all []campaigns.Source
	for _, path := range []string{"testdata/ux", "testdata/short", "testdata/full"} {
		loaded, err := campaigns.Load([]string{path}, lookup)
		require.NoError(t, err)
		require.Empty(t, loaded.Problems)
		all = append(all, loaded.Campaigns...)
	}
	return all
}

func TestDecodeReadsWhatCanonicalWrites(t *testing.T) {
	t.Parallel()
	for _, s := range examples(t) {
		spec, err := s.Campaign.Canonical()
		require.NoError(t, err)
		got, err := campaigns.Decode(spec)
		require.NoError(t, err)
		want := s.Campaign
		want.Paused, want.Was = nil, nil
		for i := range want.Entries {
			want.Entries[i].Was = nil
			if want.Entries[i].Split != nil {
				for j := range want.Entries[i].Split.Items {
					want.Entries[i].Split.Items[j].Line = 0
				}
			}
		}
		require.Equal(t, want, got)
		require.Equal(t, digest(t, s.Campaign), digest(t, got))
	}
	_, err := campaigns.Decode(json.RawMessage(`[`))
	require.ErrorContains(t, err, "read a stored definition")
}

// Everything a campaign can say goes out and comes back.
func TestExportLoadsToTheSameDigest(t *testing.T) {
	t.Parallel()
	for _, s := range examples(t) {
		text, err := campaigns.Export(s.Campaign)
		require.NoError(t, err)
		dir := folder(t, map[string]string{"out.yaml": string(text)})
		for _, e := range s.Campaign.Entries {
			if e.Split == nil || e.Split.File == "" {
				continue
			}
			list, err := os.ReadFile(filepath.Join(filepath.Dir(s.File), e.Split.File))
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(dir, e.Split.File), list, 0o600))
		}
		again, err := campaigns.Load([]string{dir}, lookup)
		require.NoError(t, err)
		require.Empty(t, again.Problems, string(text))
		require.Len(t, again.Campaigns, 1)
		require.Equal(t, digest(t, s.Campaign), digest(t, again.Campaigns[0].Campaign), string(text))
	}
}

func TestExportIsForPeople(t *testing.T) {
	t.Parallel()
	for _, s := range examples(t) {
		if s.Campaign.Name == "everything" {
			text, err := campaigns.Export(s.Campaign)
			require.NoError(t, err)
			golden(t, "testdata/full/golden/everything.yaml", text)
			return
		}
	}
	t.Fatal("testdata/full has no campaign of that name")
}

func TestExportOfACampaignThatNoFileMade(t *testing.T) {
	t.Parallel()
	c := campaigns.Adhoc("feed", json.RawMessage(`{"url":"https://a.example/"}`), 2)
	c.Name = "a"
	c.Entries[0].Retry = []retry.Rule{{Times: 3, Wait: 1500 * time.Millisecond}}
	text, err := campaigns.Export(c)
	require.NoError(t, err)
	require.Equal(t, digest(t, c), digest(t, one(t, string(text)).Campaign))
}

func schemaFor(t *testing.T) *jsonschema.Schema {
	t.Helper()
	raw, err := campaigns.Schema(kinds())
	require.NoError(t, err)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("campaigns.schema.json", doc))
	s, err := c.Compile("campaigns.schema.json")
	require.NoError(t, err)
	return s
}

func instance(t *testing.T, text []byte) any {
	t.Helper()
	raw, err := yaml.YAMLToJSON(text)
	require.NoError(t, err)
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	require.NoError(t, err)
	return v
}

func TestTheSchemaTakesTheExamples(t *testing.T) {
	t.Parallel()
	s := schemaFor(t)
	files, err := filepath.Glob("testdata/*/*.yaml")
	require.NoError(t, err)
	more, err := filepath.Glob("../examples/*news.yaml")
	require.NoError(t, err)
	require.Greater(t, len(files), 5)
	require.Len(t, more, 2)
	for _, path := range append(files, more...) {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, s.Validate(instance(t, text)), path)
	}
}

func TestTheSchemaRefusesMistakes(t *testing.T) {
	t.Parallel()
	s := schemaFor(t)
	for _, text := range []string{
		"campaing: {}",
		"campaigns: { News: {} }",
		"campaigns: { a: { procesors: 1 } }",
		"campaigns: { a: { fetcher: fed } }",
		"campaigns: { a: { fetcher: feed, params: { ulr: x } } }",
		"campaigns: { a: { fetcher: gazzetta, params: { series: concorso } } }",
		"campaigns: { a: { fetcher: feed, fetchers: [] } }",
		"campaigns: { a: { fetchers: [{ fetcher: feed, params: { ulr: x } }] } }",
		"campaigns: { a: { timeouts: { item: 90 } } }",
		"campaigns: { a: { retry: [{ when: [trottled] }] } }",
		"defaults: { split: true }",
		"hosts: { a.example: { robots: maybe } }",
	} {
		require.Error(t, s.Validate(instance(t, []byte(text))), text)
	}
}

func TestTheSchemaIsStable(t *testing.T) {
	t.Parallel()
	raw, err := campaigns.Schema(kinds())
	require.NoError(t, err)
	golden(t, "testdata/campaigns.schema.json", raw)
}
