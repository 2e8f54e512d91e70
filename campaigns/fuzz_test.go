package campaigns_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
)

// FuzzLoad: whatever stands in a campaign file, Load answers; and what it has no
// problem with can be stored, read and exported.
func FuzzLoad(f *testing.F) {
	for _, pattern := range []string{"testdata/*/*.yaml", "testdata/errors/campaigns/*.yaml"} {
		paths, err := filepath.Glob(pattern)
		require.NoError(f, err)
		for _, path := range paths {
			text, err := os.ReadFile(path)
			require.NoError(f, err)
			f.Add(text)
		}
	}
	for _, text := range []string{
		"a: &a [*a]", "a: &a {b: &b {<<: *a}}", "campaigns: [a]", "campaigns: {a: 5, b: {fetchers: 3, split: 4, params: [5], retry: {}, notify: [1, ~]}}",
		"defaults: []\nhosts: 3\ncampaigns: {a: {schedule: {at: {}}, fetchers: [1, {}]}}", strings.Repeat("[", 500), strings.Repeat("- ", 5000),
		"campaigns:\n  a:\n    schedule: */5 * * * *\n    fetcher: feed\n", "? {a: b}\n: c\n", "!x y", "%YAML 1.2\n---\na: 1\n", "a: !!str\n", "<<: {a: 1}\n", "a: *\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "main.yaml")
		require.NoError(t, os.WriteFile(path, text, 0o600))
		loaded, err := campaigns.Load([]string{path}, lookup)
		require.NoError(t, err)
		if len(loaded.Problems) > 0 {
			return
		}
		for _, s := range loaded.Campaigns {
			spec, err := s.Campaign.Canonical()
			require.NoError(t, err)
			back, err := campaigns.Decode(spec)
			require.NoError(t, err)
			again, err := back.Canonical()
			require.NoError(t, err)
			require.Equal(t, string(spec), string(again))
			exported, err := campaigns.Export(s.Campaign)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(path, exported, 0o600))
			reloaded, err := campaigns.Load([]string{path}, lookup)
			require.NoError(t, err)
			require.Empty(t, reloaded.Problems, string(exported))
			third, err := reloaded.Campaigns[0].Campaign.Canonical()
			require.NoError(t, err)
			require.Equal(t, string(spec), string(third), string(exported))
		}
	})
}

// FuzzCSV: whatever stands in a list, Load answers, and no two rows share a key.
func FuzzCSV(f *testing.F) {
	for _, text := range []string{
		"id,url\na,https://a.example/\n", "id;url\n\"a;b\";x\n", "\xef\xbb\xbfid\turl\n", "id,id\n,,,\n", "\"", "id,url,paused,expect.fresh_within,tolerate.records\na,b,c,1d,5%\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "l.csv"), text, 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "main.yaml"), []byte("campaigns: { a: { fetcher: feed, split: { file: l.csv, key: id } } }\n"), 0o600))
		loaded, err := campaigns.Load([]string{dir}, lookup)
		require.NoError(t, err)
		require.Len(t, loaded.Campaigns, 1)
		for _, list := range loaded.Campaigns[0].Lists {
			seen := map[string]bool{}
			for _, r := range list {
				require.False(t, seen[r.Key])
				require.NotEmpty(t, r.Key)
				seen[r.Key] = true
			}
		}
	})
}
