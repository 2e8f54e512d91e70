package fetchers_test

import (
	"context"
	"iter"
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/harvest"
)

type mute struct{}

func (mute) Fetch(context.Context, harvest.Request) iter.Seq2[harvest.Page, error] {
	return func(func(harvest.Page, error) bool) {}
}

type speaking struct {
	mute
	aliases []string
}

func (s speaking) Describe() harvest.Description {
	return harvest.Description{Summary: "says something", Aliases: s.aliases}
}

func maker(f harvest.Fetcher) fetchers.New {
	return func(*http.Client) harvest.Fetcher { return f }
}

func TestEachFolderIsListed(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	var folders []string
	for _, e := range entries {
		if e.IsDir() && e.Name() != "fetchertest" && e.Name() != "internal" {
			folders = append(folders, e.Name())
		}
	}
	var listed []string
	for _, k := range fetchers.Builtin().All() {
		listed = append(listed, k.Name)
	}
	require.Equal(t, folders, listed, "a folder under fetchers/ is one fetcher of Builtin, of the same name")
}

func TestEachKindDescribesItself(t *testing.T) {
	t.Parallel()
	for _, k := range fetchers.Builtin().All() {
		require.NotEmpty(t, k.Summary, k.Name)
		require.NotEmpty(t, k.Fields(), k.Name)
		require.NotNil(t, k.New(http.DefaultClient), k.Name)
		require.FileExists(t, k.Name+"/sample.yaml", "the conformance suite checks it, and README.md")
	}
}

func TestWithAndFind(t *testing.T) {
	t.Parallel()
	s, err := fetchers.Set{}.With("mine", maker(speaking{aliases: []string{"meus"}}))
	require.NoError(t, err)
	s, err = s.With("his", maker(speaking{}))
	require.NoError(t, err)
	require.Equal(t, "his", s.All()[0].Name)

	for _, name := range []string{"mine", "meus"} {
		k, err := s.Find(name)
		require.NoError(t, err)
		require.Equal(t, "mine", k.Name)
		require.False(t, k.Splitter())
	}
	_, err = s.Find("mime")
	require.Equal(t, harvest.KindMisconfigured, harvest.KindOf(err))
	require.ErrorContains(t, err, "did you mean mine?")
	_, err = s.Find("something else")
	require.ErrorContains(t, err, "there are his, mine, meus")
}

func TestWithRefuses(t *testing.T) {
	t.Parallel()
	s, err := fetchers.Set{}.With("mine", maker(speaking{aliases: []string{"meus"}}))
	require.NoError(t, err)
	for name, c := range map[string]struct {
		name string
		make fetchers.New
		want string
	}{
		"no name":         {" ", maker(speaking{}), "no name"},
		"no constructor":  {"a", nil, "no constructor"},
		"no description":  {"a", maker(mute{}), "harvest.Describer"},
		"a name twice":    {"mine", maker(speaking{}), "already"},
		"a name an alias": {"meus", maker(speaking{}), "already"},
		"an alias a name": {"b", maker(speaking{aliases: []string{"mine"}}), "already"},
	} {
		after, err := s.With(c.name, c.make)
		require.Equal(t, harvest.KindMisconfigured, harvest.KindOf(err), name)
		require.ErrorContains(t, err, c.want, name)
		require.Len(t, after.All(), 1, name)
	}
}

// TestEveryFetcherSaysWhatItsCheckpointsOutlive: this is what plans promise.
func TestEveryFetcherSaysWhatItsCheckpointsOutlive(t *testing.T) {
	t.Parallel()
	const oai, feed, web = `{"url":"https://a.example.org/oai"`, `{"url":"https://a.example.org/feed"`, `{"url":"https://a.example.org/","links":"a.art","fields":{"title":"h1"}`
	const api = `{"url":"https://a.example.org/list","primary_key":"$.id"`
	const weather = `{"latitude":44.41,"longitude":8.93`
	for _, c := range []struct {
		fetcher, checkpoint, before, now string
		kept                             bool
	}{
		{"oaipmh", "", oai + `}`, oai + `,"prefix":"oai_dc","overlap":"3d","window":"month","until":"2026-01-01"}`, true},
		{"oaipmh", "", oai + `}`, `{"url":"https://b.example.org/oai"}`, false},
		{"oaipmh", "", oai + `}`, oai + `,"set":"a"}`, false},
		{"oaipmh", "", oai + `}`, oai + `,"prefix":"marcxml"}`, false},
		{"oaipmh", "", oai + `}`, oai + `,"from":"2020-01-01"}`, false},
		{"gazzetta", "", `{"series":"SG"}`, `{"series":"serie_generale","revisit":5,"until":"2027-01-01"}`, true},
		{"gazzetta", "", `{"series":"SG"}`, `{"series":"SG","pdf":true}`, false},
		{"gazzetta", "", `{"series":"SG"}`, `{"series":"SG","from":"2020-01-01"}`, false},
		{"gazzetta", "", `{"series":"SG"}`, `{"series":"SG","url":"https://gu.example.org"}`, false},
		{"feed", "", feed + `}`, feed + `}`, true},
		{"feed", "", feed + `}`, `{"url":"https://b.example.org/feed"}`, false},
		{"weather", "", weather + `}`, weather + `,"api_key":"x","batch":7}`, true},
		{"weather", "", weather + `}`, weather + `,"days":3}`, false},
		{"x", "", `{"token":"a","user":"Genova"}`, `{"token":"b","channel":"@genova","reads_per_month":50,"backlog":7}`, true},
		{"x", "", `{"token":"a","user":"Genova"}`, `{"token":"a","user":"Savona"}`, false},
		{"instagram", "", `{"user":"1","token":"a","account":"Genova"}`, `{"user":"1","token":"b","account":"@Genova","backlog":7}`, true},
		{"instagram", "", `{"user":"1","token":"a","account":"Genova"}`, `{"user":"1","token":"a","own":true}`, false},
		{"api", "", api + `}`, api + `,"headers":{"Accept-Language":"it"},"max_pages":7}`, true},
		{"api", "", api + `}`, api + `,"data_selector":"$.items"}`, false},
		{"exec", "", `{"program":"a"}`, `{"program":"a","config":{"token":"b"},"batch":7}`, true},
		{"exec", "", `{"program":"a"}`, `{"program":"b"}`, false},
		{"web", "", web + `}`, web + `,"max_pages":7}`, true},
		{"web", `{"made":"of old","on":true}`, web + `}`, web + `,"max_pages":7}`, false},
	} {
		k, err := fetchers.Builtin().Find(c.fetcher)
		require.NoError(t, err)
		kept, why := k.Continuer().Continues([]byte(c.checkpoint), []byte(c.before), []byte(c.now))
		require.Equal(t, c.kept, kept, "%s: %s -> %s: %s", c.fetcher, c.before, c.now, why)
		require.Equal(t, c.kept, why == "", why)
	}
}
