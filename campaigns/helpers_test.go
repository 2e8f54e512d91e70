package campaigns_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/wording"
)

var update = flag.Bool("update", false, "rewrite golden files")

type feedParams struct {
	URL        string   `json:"url" address:"true" doc:"address of the feed" required:"true" example:"https://www.ansa.it/rss.xml"`
	MaxEntries int      `json:"max_entries" doc:"at most so many entries" example:"200"`
	Full       bool     `json:"full" doc:"read the articles too"`
	Words      []string `json:"words" doc:"only entries with one of these"`
}

type gazzettaParams struct {
	Series string `json:"series" doc:"which series" required:"true" enum:"serie_generale,corte_costituzionale,unione_europea,regioni,concorsi,contratti"`
}

type oaipmhParams struct {
	URL    string `json:"url" address:"true" doc:"base address" required:"true"`
	Prefix string `json:"prefix" doc:"metadata prefix" default:"oai_dc"`
	Set    string `json:"set" doc:"one set only"`
}

type weatherParams struct {
	Place string  `json:"place" required:"true"`
	Lat   float64 `json:"lat"`
	Lon   float64 `json:"lon"`
}

type xParams struct {
	Account string `json:"account" required:"true"`
	Token   string `json:"token" required:"true" secret:"true"`
}

// Validate shows that the fetcher's own rules are heard.
func (p xParams) Validate() error {
	if !strings.HasPrefix(p.Account, "@") {
		return errors.New("account begins with @")
	}
	return nil
}

func kinds() []campaigns.FetcherInfo {
	return []campaigns.FetcherInfo{
		{Name: "feed", Description: harvest.Description{Summary: "reads RSS and Atom.", Params: feedParams{}, Identity: []string{"url"}, Aliases: []string{"rss"}}},
		{Name: "gazzetta", Description: harvest.Description{Summary: "reads the gazette.", Params: gazzettaParams{}, Identity: []string{"series"}}},
		{Name: "oaipmh", Description: harvest.Description{Summary: "harvests OAI-PMH.", Params: oaipmhParams{}, Identity: []string{"url", "set"}}, Splitter: true, Exhaustive: true},
		{Name: "weather", Description: harvest.Description{Summary: "reads the weather.", Params: weatherParams{}, Identity: []string{"place"}}},
		{Name: "x", Description: harvest.Description{Summary: "reads an account.", Params: xParams{}, Identity: []string{"account"}}},
	}
}

func lookup(name string) (campaigns.FetcherInfo, error) {
	var names []string
	for _, k := range kinds() {
		if k.Name == name || slices.Contains(k.Aliases, name) {
			return k, nil
		}
		names = append(names, k.Name)
	}
	return campaigns.FetcherInfo{}, harvest.Errorf(harvest.KindMisconfigured, "find fetcher", name, "no such fetcher; did you mean %s?", wording.Nearest(name, names))
}

// folder writes files and returns their folder.
func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return dir
}

func load(t *testing.T, files map[string]string) *campaigns.Loaded {
	t.Helper()
	loaded, err := campaigns.Load([]string{folder(t, files)}, lookup)
	require.NoError(t, err)
	return loaded
}

// one loads a single file that must be right and hold one campaign.
func one(t *testing.T, text string) campaigns.Source {
	t.Helper()
	loaded := load(t, map[string]string{"main.yaml": text})
	require.Empty(t, loaded.Problems)
	require.Len(t, loaded.Campaigns, 1)
	return loaded.Campaigns[0]
}

// texts are problems without their folder: "main.yaml:3:5  text".
func texts(dir string, problems []campaigns.Problem) []string {
	var out []string
	for _, p := range problems {
		p.File = strings.TrimPrefix(p.File, dir+string(filepath.Separator))
		p.Text = strings.ReplaceAll(p.Text, dir+string(filepath.Separator), "")
		out = append(out, p.String())
	}
	return out
}

// golden compares with a file under testdata, or rewrites it.
func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o750))
		require.NoError(t, os.WriteFile(path, got, 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), fmt.Sprintf("%s; rewrite it with go test -update", path))
}
