package planner

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/store"
	"github.com/vendemmia/vendemmia/workflows"
)

var update = flag.Bool("update", false, "rewrite golden files")

type feedParams struct {
	URL        string `json:"url" required:"true"`
	MaxEntries int    `json:"max_entries"`
	Token      string `json:"token" secret:"true"`
}

type gazzettaParams struct {
	Series string `json:"series" required:"true"`
	URL    string `json:"url" default:"https://www.gazzettaufficiale.it"`
}

type oaiParams struct {
	URL string `json:"url" required:"true"`
	Set string `json:"set"`
}

func lookup(name string) (campaigns.FetcherInfo, error) {
	switch name {
	case "feed":
		return campaigns.FetcherInfo{Name: name, Description: harvest.Description{Params: feedParams{}, Identity: []string{"url"}}, Continuer: byURL{}}, nil
	case "gazzetta":
		return campaigns.FetcherInfo{Name: name, Description: harvest.Description{Params: gazzettaParams{}, Identity: []string{"series"}}, Continuer: byURL{}}, nil
	case "oaipmh":
		return campaigns.FetcherInfo{Name: name, Description: harvest.Description{Params: oaiParams{}, Identity: []string{"url", "set"}}, Splitter: true, Exhaustive: true}, nil
	}
	if name == "web" {
		return campaigns.FetcherInfo{Name: name, Description: harvest.Description{Params: webParams{}, Identity: []string{"url"}}}, nil
	}
	return campaigns.FetcherInfo{}, errors.New("no such fetcher: " + name)
}

// byURL is a fetcher whose checkpoints hold as long as the url stays, and for
// those that say so.
type byURL struct{}

func (byURL) Continues(checkpoint, before, now json.RawMessage) (bool, string) {
	if string(checkpoint) == `"any"` || textParam(before, "url") == textParam(now, "url") {
		return true, ""
	}
	return false, "another url is read from its beginning"
}

type webParams struct {
	URL    string         `json:"url" required:"true"`
	Fields map[string]any `json:"fields" extraction:"true"`
}

// world is a folder of campaign files, a real store and a server.
type world struct {
	t      *testing.T
	dir    string
	store  *store.Store
	server *server
	*Planner
	in Input
}

func newWorld(t *testing.T) *world {
	t.Helper()
	dir := t.TempDir()
	s, err := store.Open(t.Context(), filepath.Join(dir, "store.db"), store.Options{Create: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	w := &world{t: t, dir: dir, store: s, server: newServer()}
	w.Planner = New(s, w.server, Settings{Lookup: lookup, Instance: workflows.Instance{Store: "7f3a9c12"}})
	rome, err := time.LoadLocation("Europe/Rome")
	require.NoError(t, err)
	w.in = Input{Author: "marta", Commit: "1f2e3d4", Now: time.Date(2026, 5, 4, 12, 0, 0, 0, rome)}
	return w
}

// files writes campaign files, each "name\ncontent", and loads all there are.
func (w *world) files(files ...string) {
	w.t.Helper()
	folder := filepath.Join(w.dir, "campaigns")
	require.NoError(w.t, os.MkdirAll(folder, 0o755))
	for _, f := range files {
		name, content, _ := strings.Cut(strings.TrimSpace(f), "\n")
		if content == "" {
			require.NoError(w.t, os.Remove(filepath.Join(folder, name)))
			continue
		}
		require.NoError(w.t, os.WriteFile(filepath.Join(folder, name), []byte(content+"\n"), 0o644))
	}
	loaded, err := campaigns.Load([]string{folder}, lookup)
	require.NoError(w.t, err)
	require.Empty(w.t, loaded.Problems)
	for i := range loaded.Campaigns { // goldens must not know this folder
		loaded.Campaigns[i].File = "campaigns/" + filepath.Base(loaded.Campaigns[i].File)
	}
	for i := range loaded.Hosts {
		loaded.Hosts[i].Source = ""
	}
	w.in.Loaded = loaded
}

func (w *world) plan() *Plan {
	w.t.Helper()
	p, err := w.Plan(w.t.Context(), w.in)
	require.NoError(w.t, err)
	return p
}

func (w *world) apply() *Result {
	w.t.Helper()
	r, err := w.Apply(w.t.Context(), w.in, "", nil)
	require.NoError(w.t, err)
	return r
}

// change returns what a plan says of one campaign.
func (w *world) change(name string) Change {
	w.t.Helper()
	for _, c := range w.plan().Changes {
		if c.Name == name {
			return c
		}
	}
	require.Fail(w.t, "the plan does not speak of "+name)
	return Change{}
}

func (w *world) settled() {
	w.t.Helper()
	w.server.took()
	p := w.plan()
	for _, c := range p.Changes {
		require.Equal(w.t, MarkSame, c.Mark, "%+v", c)
		require.Empty(w.t, c.Action)
	}
	require.False(w.t, p.Pending())
	require.Equal(w.t, []string{"list"}, w.server.took(), "a plan without changes needs one list call")
}

func (w *world) schedule(id string) client.Schedule {
	w.t.Helper()
	d, err := (&handle{server: w.server, id: id}).find()
	require.NoError(w.t, err)
	return d.Schedule
}

func (w *world) paused(name string) *rows.Pause {
	w.t.Helper()
	c, err := w.store.Campaign(w.t.Context(), name)
	require.NoError(w.t, err)
	return c.Paused
}

func (w *world) golden(name string, p *Plan) {
	w.t.Helper()
	var b strings.Builder
	fixed := *p
	fixed.Digest = "4c19ab12" // follows the definitions, which grow
	require.NoError(w.t, fixed.Text(&b, TextOptions{Target: "namespace law @ temporal.internal:7233 · store law (sqlite) #7f3a", Paths: []string{"campaigns/"}}))
	path := filepath.Join("testdata", name+".golden")
	if *update {
		require.NoError(w.t, os.MkdirAll("testdata", 0o755))
		require.NoError(w.t, os.WriteFile(path, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(w.t, err)
	require.Equal(w.t, string(want), b.String())
}
