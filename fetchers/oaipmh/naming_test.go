package oaipmh_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/oaipmh"
	"github.com/vendemmia/vendemmia/harvest"
)

// atHost is the shelf whose identifiers name the host that it is asked by.
func atHost(s *shelf) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		say(w, strings.ReplaceAll(s.answer(r.URL.Query()), "oai:repo.example.org:", "oai:"+r.Host+":"))
	})
}

// TestDocumentsKeepTheirNamesWhenARepositoryMoves: a 301 to another host, under
// whose name all identifiers stand from then on; then the file says so too.
func TestDocumentsKeepTheirNamesWhenARepositoryMoves(t *testing.T) {
	t.Parallel()
	s := newShelf(shelf{n: 109, size: 40, told: true})
	there := serve(t, atHost(s), nil)
	moved := false
	here := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if moved {
			http.Redirect(w, r, there.URL+r.URL.RequestURI(), http.StatusMovedPermanently)
			return
		}
		atHost(s).ServeHTTP(w, r)
	}), nil)
	first := here.fetch(t, harvest.Request{})
	require.Len(t, first.ids(), 109)

	moved = true
	keeper := oaipmh.New(nil).(harvest.Keeper)
	full := here.fetch(t, harvest.Request{Checkpoint: keeper.Keep(first.checkpoint())})
	require.NoError(t, full.err)
	require.Equal(t, first.ids(), full.ids(), "no document comes twice under two names")
	require.Contains(t, strings.Join(full.warnings(), "\n"), "since it moved")
	require.Empty(t, here.fetch(t, harvest.Request{Checkpoint: full.checkpoint()}).warnings(), "said once")

	kept, why := oaipmh.New(nil).(harvest.Continuer).Continues(full.checkpoint(), here.params(""), there.params(""))
	require.True(t, kept, why)
	there.forget()
	next := there.fetch(t, harvest.Request{Checkpoint: full.checkpoint()})
	require.Equal(t, "unchanged", next.outcome(), "the file says where it is now: it goes on")
	again := there.fetch(t, harvest.Request{Checkpoint: keeper.Keep(next.checkpoint())})
	require.Equal(t, first.ids(), again.ids())
}

// TestNamesThatDoNotComeFromAMoveStay: the identifiers are the repository's own.
func TestNamesThatDoNotComeFromAMoveStay(t *testing.T) {
	t.Parallel()
	s := usualShelf()
	there := serve(t, atHost(s), nil)
	here := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, there.URL+r.URL.RequestURI(), http.StatusMovedPermanently)
	}), nil)
	first := here.fetch(t, harvest.Request{})
	require.Contains(t, first.ids()[0], strings.TrimPrefix(there.URL, "http://"), "it was there from the beginning")
	other := serve(t, s, nil).fetch(t, harvest.Request{})
	require.Equal(t, sorted(s.ids()), other.ids())
}
