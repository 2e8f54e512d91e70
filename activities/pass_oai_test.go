package activities

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/fetchers/oaipmh"
	"github.com/vendemmia/vendemmia/internal/local/replica/oai"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/visit"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// A repository that announces no deletions, harvested by sets that share records:
// only a full pass finds what was taken out and what left a set.
func TestAPassOverARepositoryThatTellsNothing(t *testing.T) {
	t.Parallel()
	repo, err := oai.Start(oai.Config{Records: 600, Page: 50, Collections: 3, Parts: 1, OpenEvery: 5, Deleted: oai.Never})
	require.NoError(t, err)
	t.Cleanup(repo.Close)
	w := newWorld(t)
	set, err := fetchers.Set{}.With("oaipmh", oaipmh.New)
	require.NoError(t, err)
	w.Fetchers = set
	w.Client = func(visit.Visitor) *http.Client { return http.DefaultClient }
	c := campaigns.Adhoc("oaipmh", []byte(`{"url":`+strconv.Quote(repo.URL())+`}`), 4)
	c.Name = "news"
	c.Entries[0].Split, c.Entries[0].Refresh = &campaigns.Split{Ask: "sets"}, 24*time.Hour
	w.apply(c)
	harvested := func(after time.Duration) steps.Summary {
		w.clock.set(passStart().Add(after))
		return w.runAsked(t, c)
	}
	require.Equal(t, outcomes.Done, harvested(0).Outcome)
	require.ElementsMatch(t, repo.Living(""), w.living())

	repo.Advance(time.Hour)
	gone := repo.Remove(40)
	require.Len(t, gone, 40)
	require.Len(t, repo.Move(10, "col_1", "col_2"), 10)
	require.Zero(t, harvested(time.Hour).Documents.Deleted)
	require.Len(t, w.living(), 600, "nobody says that they are gone")

	repo.Advance(time.Hour)
	sum := harvested(25 * time.Hour)
	require.Equal(t, outcomes.Done, sum.Outcome)
	require.Equal(t, 40, sum.Documents.Deleted, "what moved is listed elsewhere")
	require.ElementsMatch(t, repo.Living(""), w.living())

	repo.Advance(time.Hour)
	repo.Revive(gone[:7]...)
	harvested(26 * time.Hour)
	require.ElementsMatch(t, repo.Living(""), w.living())
}
