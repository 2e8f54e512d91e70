package feed_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/feed"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/paramspec"
)

// source is a server whose answers a test changes as it goes on.
type source struct {
	*httptest.Server
	mu     sync.Mutex
	answer map[string]http.HandlerFunc
	asked  []*http.Request
}

func newSource(t *testing.T) *source {
	t.Helper()
	s := &source{answer: map[string]http.HandlerFunc{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked = append(s.asked, r)
		h := s.answer[r.URL.Path]
		s.mu.Unlock()
		if h == nil {
			h = http.NotFound
		}
		h(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *source) set(path string, h http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer[path] = h
}

// took returns what was asked since the last time.
func (s *source) took() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var paths []string
	for _, r := range s.asked {
		paths = append(paths, r.URL.Path)
	}
	s.asked = nil
	return paths
}

func (s *source) last() *http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[len(s.asked)-1]
}

// text answers with a feed and, unless they are empty, validators.
func text(body, etag string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if etag != "" {
			w.Header().Set("ETag", etag)
			w.Header().Set("Last-Modified", "Mon, 02 Mar 2026 10:00:00 GMT")
			if r.Header.Get("If-None-Match") == etag {
				w.WriteHeader(http.StatusNotModified)
				return
			}
		}
		fmt.Fprint(w, body) // the client may be gone
	}
}

// rss is a feed of the entries with these numbers.
func rss(head string, numbers ...int) string {
	var b strings.Builder
	b.WriteString(`<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>T</title>` + head)
	for _, n := range numbers {
		fmt.Fprintf(&b, "<item><guid>urn:%d</guid><title>N %d</title><pubDate>%s</pubDate></item>", n, n, day(n).Format(time.RFC1123Z))
	}
	return b.String() + "</channel></rss>"
}

func next(path string) string { return `<atom:link rel="next" href="` + path + `"/>` }

func day(n int) time.Time { return time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC).AddDate(0, 0, n) }

type result struct {
	ids      []string
	pages    []harvest.Page
	tally    harvest.Tally
	warnings []string
	err      error
}

func (r result) checkpoint() json.RawMessage { return r.pages[len(r.pages)-1].Checkpoint }

// fetch asks for /feed of the source.
func (s *source) fetch(t *testing.T, checkpoint json.RawMessage, change ...func(*harvest.Request)) result {
	t.Helper()
	req := harvest.Request{Params: json.RawMessage(`{"url":"` + s.URL + `/feed"}`), Checkpoint: checkpoint, Attempt: 1}
	for _, c := range change {
		c(&req)
	}
	var r result
	r.tally, r.err = harvest.Pump(t.Context(), feed.New(s.Client()), req, harvest.CommitFunc(func(_ context.Context, p harvest.Page) (harvest.Tally, error) {
		r.pages = append(r.pages, p)
		r.warnings = append(r.warnings, p.Warnings...)
		for _, d := range p.Documents {
			r.ids = append(r.ids, d.ID)
		}
		return harvest.PageTally(&p), nil
	}))
	return r
}

func urns(numbers ...int) (ids []string) {
	for _, n := range numbers {
		ids = append(ids, fmt.Sprintf("urn:%d", n))
	}
	return ids
}

func TestValidatorsComeBackVerbatim(t *testing.T) {
	t.Parallel()
	s := newSource(t)
	s.set("/feed", text(rss("", 1, 2), `W/"a b,c"`))
	first := s.fetch(t, nil)
	require.NoError(t, first.err)
	require.Equal(t, urns(1, 2), first.ids)
	require.Empty(t, s.last().Header.Get("If-None-Match"))

	second := s.fetch(t, first.checkpoint())
	require.NoError(t, second.err)
	require.Equal(t, `W/"a b,c"`, s.last().Header.Get("If-None-Match"))
	require.Equal(t, "Mon, 02 Mar 2026 10:00:00 GMT", s.last().Header.Get("If-Modified-Since"))
	require.Empty(t, second.ids)
	require.True(t, second.tally.NotModified)
	require.Equal(t, 2, second.tally.Listed, "what was listed is remembered")

	again := s.fetch(t, second.checkpoint(), func(r *harvest.Request) { r.ForceRefresh = true })
	require.Equal(t, urns(1, 2), again.ids)
	require.Empty(t, s.last().Header.Get("If-None-Match"))
	require.False(t, again.tally.NotModified)
}

func TestAnEqualBodyIsNotModified(t *testing.T) {
	t.Parallel()
	s := newSource(t)
	s.set("/feed", text(rss("", 1, 2), ""))
	first := s.fetch(t, nil)
	second := s.fetch(t, first.checkpoint())
	require.NoError(t, second.err)
	require.Empty(t, second.ids)
	require.True(t, second.tally.NotModified)
	require.Equal(t, 2, second.tally.Listed)

	s.set("/feed", text(rss("<lastBuildDate>Mon, 02 Mar 2026 10:00:00 GMT</lastBuildDate>", 1, 2), ""))
	third := s.fetch(t, second.checkpoint())
	require.False(t, third.tally.NotModified)
	require.Equal(t, first.pages[0].Documents, third.pages[0].Documents, "a moving head changes no entry")
}

func TestTheHeadIsNotInTheHash(t *testing.T) {
	t.Parallel()
	s := newSource(t)
	s.set("/feed", text(rss("<language>it</language>", 1), ""))
	before := s.fetch(t, nil).pages[0].Documents[0]
	s.set("/feed", text(strings.Replace(rss("<language>en</language>", 1), "<title>T<", "<title>New name<", 1), ""))
	after := s.fetch(t, nil).pages[0].Documents[0]
	require.Equal(t, "New name", after.Fields["feed_title"])
	require.Equal(t, before.Sum(), after.Sum())
	s.set("/feed", text(strings.Replace(rss("", 1), "N 1", "N 1, corrected", 1), ""))
	require.NotEqual(t, before.Sum(), s.fetch(t, nil).pages[0].Documents[0].Sum())
}

func TestFaultsAreSeenAgain(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"cut":        strings.TrimSuffix(rss("", 1, 2), "</channel></rss>"),
		"no entries": rss(""),
	} {
		s := newSource(t)
		s.set("/feed", text(body, `"same"`))
		first := s.fetch(t, nil)
		require.NoError(t, first.err, name)
		second := s.fetch(t, first.checkpoint())
		require.NoError(t, second.err, name)
		require.False(t, second.tally.NotModified, "%s: a 304 would hide it", name)
		require.Equal(t, first.ids, second.ids, name)
	}
}

func TestAnEndlessBodyIsSalvagedAtLast(t *testing.T) {
	t.Parallel()
	s := newSource(t)
	s.set("/feed", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "99999")
		fmt.Fprint(w, strings.TrimSuffix(rss("", 1, 2), "</channel></rss>")) // the client may be gone
	})
	require.Equal(t, harvest.KindServerError, harvest.KindOf(s.fetch(t, nil).err), "there will be another attempt")
	last := s.fetch(t, nil, func(r *harvest.Request) { r.LastAttempt = true })
	require.NoError(t, last.err)
	require.Equal(t, urns(1, 2), last.ids)
	require.True(t, last.tally.Partial)
	require.NotEmpty(t, last.warnings)
}

func TestPermanentMoves(t *testing.T) {
	t.Parallel()
	s := newSource(t)
	s.set("/feed", http.RedirectHandler("/new", http.StatusMovedPermanently).ServeHTTP)
	s.set("/new", text(rss("", 1), `"x"`))
	first := s.fetch(t, nil)
	require.NoError(t, first.err)
	require.Empty(t, first.warnings, "the runner sees the redirect, and says it")
	require.Equal(t, []string{"/feed", "/new"}, s.took())

	second := s.fetch(t, first.checkpoint())
	require.Equal(t, []string{"/new"}, s.took(), "asked for where it is")
	require.True(t, second.tally.NotModified)
	require.Equal(t, []string{s.URL + "/feed has moved to " + s.URL + "/new; write the new address into the file"}, second.warnings, "until the file says so")

	s.set("/new", http.NotFound)
	s.set("/feed", text(rss("", 1, 2), ""))
	third := s.fetch(t, second.checkpoint())
	require.NoError(t, third.err)
	require.Equal(t, []string{"/new", "/feed"}, s.took())
	require.Equal(t, urns(1, 2), third.ids)
	require.Len(t, third.warnings, 1)
	require.Contains(t, third.warnings[0], "is gone")
	s.fetch(t, third.checkpoint())
	require.Equal(t, []string{"/feed"}, s.took())
}

// Entries whose ids are relative links keep them.
func TestAMovedFeedKeepsItsIDs(t *testing.T) {
	t.Parallel()
	s := newSource(t)
	const items = `<rss version="2.0"><channel><title>T</title><item><title>One</title><link>/1</link></item><item><title>Two</title><link>2</link></item></channel></rss>`
	s.set("/feed", text(items, ""))
	before := s.fetch(t, nil)
	require.NoError(t, before.err)
	other := newSource(t)
	other.set("/blog/rss", text(items+"<!-- moved -->", ""))
	s.set("/feed", http.RedirectHandler(other.URL+"/blog/rss", http.StatusMovedPermanently).ServeHTTP)
	moved := s.fetch(t, before.checkpoint())
	require.NoError(t, moved.err)
	require.Equal(t, before.ids, moved.ids)
	other.set("/blog/rss", text(items+"<!-- again -->", ""))
	require.Equal(t, before.ids, s.fetch(t, moved.checkpoint()).ids)
}

func TestOnlyPermanentMovesAreKept(t *testing.T) {
	t.Parallel()
	s := newSource(t)
	s.set("/feed", http.RedirectHandler("/moved", http.StatusPermanentRedirect).ServeHTTP)
	s.set("/moved", http.RedirectHandler("/today", http.StatusFound).ServeHTTP)
	s.set("/today", text(rss("", 1), ""))
	first := s.fetch(t, nil)
	s.took()
	s.fetch(t, first.checkpoint())
	require.Equal(t, []string{"/moved", "/today"}, s.took())

	s.set("/feed", http.RedirectHandler("/login", http.StatusMovedPermanently).ServeHTTP)
	s.set("/login", text("<html><body>Log in</body></html>", ""))
	failed := s.fetch(t, nil)
	require.Equal(t, harvest.KindBroken, harvest.KindOf(failed.err), "a move to what is not a feed is none")
	require.Empty(t, failed.pages)
}

func TestGoneSaysWhatToDo(t *testing.T) {
	t.Parallel()
	s := newSource(t)
	for _, status := range []int{http.StatusGone, http.StatusNotFound} {
		s.set("/feed", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		e := harvest.AsError(s.fetch(t, nil).err)
		require.Equal(t, harvest.KindGone, e.Kind)
		require.Equal(t, status, e.Status)
		require.NotEmpty(t, e.Advice)
	}
}

func TestOlderPages(t *testing.T) {
	t.Parallel()
	s := newSource(t)
	s.set("/feed", text(rss(next("/2"), 6, 5), ""))
	s.set("/2", text(rss(next("/3"), 4, 3), ""))
	s.set("/3", text(rss("", 2, 1), ""))
	first := s.fetch(t, nil)
	require.NoError(t, first.err)
	require.Equal(t, urns(6, 5, 4, 3, 2, 1), first.ids)
	s.took()

	s.set("/feed", text(rss(next("/2"), 7, 6), ""))
	second := s.fetch(t, first.checkpoint())
	require.Equal(t, []string{"/feed"}, s.took(), "6 is known: nothing passed by")
	require.Equal(t, urns(7, 6), second.ids)

	s.set("/feed", text(rss(next("/2"), 11, 10), ""))
	s.set("/2", text(rss(next("/3"), 9, 8), ""))
	s.set("/3", text(rss(next("/4"), 7, 6), ""))
	third := s.fetch(t, second.checkpoint())
	require.NoError(t, third.err)
	require.Equal(t, urns(11, 10, 9, 8, 7, 6), third.ids, "down to what is known, and no further")
	require.Equal(t, []string{"/feed", "/2", "/3"}, s.took())
}

func TestAWalkGoesOnAfterAFailure(t *testing.T) {
	t.Parallel()
	s := newSource(t)
	s.set("/feed", text(rss(next("/2"), 6, 5), ""))
	s.set("/2", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	s.set("/3", text(rss("", 2, 1), ""))
	first := s.fetch(t, nil)
	require.Equal(t, harvest.KindServerError, harvest.KindOf(first.err))
	require.Equal(t, urns(6, 5), first.ids)

	s.set("/feed", text(rss(next("/2"), 7, 6), ""))
	second := s.fetch(t, first.checkpoint())
	require.Error(t, second.err)
	require.Equal(t, urns(7, 6), second.ids, "the newest do not wait for the old")

	s.set("/2", text(rss(next("/3"), 5, 4, 3), ""))
	third := s.fetch(t, second.checkpoint())
	require.NoError(t, third.err)
	require.Equal(t, urns(5, 4, 3, 2, 1), third.ids, "the way goes on to its end")
	require.True(t, third.pages[len(third.pages)-1].Last)
}

func TestParamsOfOthersBeginAnew(t *testing.T) {
	t.Parallel()
	s := newSource(t)
	s.set("/feed", text(rss("", 1), `"x"`))
	first := s.fetch(t, nil)
	changed := s.fetch(t, first.checkpoint(), func(r *harvest.Request) {
		r.Params = json.RawMessage(`{"url":"` + s.URL + `/feed","body":"none"}`)
	})
	require.Equal(t, urns(1), changed.ids, "what shapes a document changed: it is read again")
}

func TestAWindowReadsWholeAndMovesNothing(t *testing.T) {
	t.Parallel()
	s := newSource(t)
	s.set("/feed", text(rss(next("/2"), 6, 5), `"x"`))
	s.set("/2", text(rss(next("/3"), 4, 3), ""))
	s.set("/3", text(rss(next("/4"), 2, 1), ""))
	s.set("/4", text(rss("", 0), ""))
	live := s.fetch(t, nil)
	s.took()
	windowed := s.fetch(t, live.checkpoint(), func(r *harvest.Request) {
		r.Window = harvest.Window{From: day(3), Until: day(6)}
	})
	require.NoError(t, windowed.err)
	require.Equal(t, urns(5, 4, 3), windowed.ids)
	require.Equal(t, []string{"/feed", "/2", "/3"}, s.took(), "stops where all is older")
	require.JSONEq(t, string(live.checkpoint()), string(windowed.checkpoint()))
}

func TestLongDocumentsAreSeveralPages(t *testing.T) {
	t.Parallel()
	s := newSource(t)
	var numbers []int
	for n := range 2*harvest.MaxPageDocuments + 5 {
		numbers = append(numbers, n)
	}
	s.set("/feed", text(rss("", numbers...), `"x"`))
	whole := s.fetch(t, nil)
	require.NoError(t, whole.err)
	require.Len(t, whole.pages, 3)
	require.Equal(t, urns(numbers...), whole.ids)
	require.Equal(t, len(numbers), whole.tally.Listed)

	rest := s.fetch(t, whole.pages[0].Checkpoint)
	require.Equal(t, whole.ids[harvest.MaxPageDocuments:], rest.ids, "goes on in the middle")
	s.set("/feed", text(rss("", append([]int{-1}, numbers...)...), `"y"`))
	moved := s.fetch(t, whole.pages[0].Checkpoint)
	require.Len(t, moved.ids, len(numbers)+1, "the list moved: it is read again")
}

func TestSecretsStayOut(t *testing.T) {
	t.Parallel()
	s := newSource(t)
	r := s.fetch(t, nil, func(r *harvest.Request) {
		r.Params = json.RawMessage(`{"url":"` + strings.Replace(s.URL, "://", "://user:s3cr3t@", 1) + `/feed?token=s3cr3t"}`)
	})
	require.Error(t, r.err)
	require.NotContains(t, r.err.Error(), "s3cr3t")
}

func TestParamsAreChecked(t *testing.T) {
	t.Parallel()
	for params, want := range map[string]string{
		`{}`:                                   "url is required",
		`{"url":"ftp://x/y"}`:                  "http://",
		`{"url":"www.x.org/rss"}`:              "http://",
		`{"url":"http://x/","max_entries":-1}`: "0 or more",

		`{"url":"http://x/","encoding":"klingon"}`: "not known",
		`{"url":"http://x/","body":"half"}`:        "full, summary, none",
		`{"uri":"http://x/"}`:                      "did you mean url?",
	} {
		problems := paramspec.Check(json.RawMessage(params), feed.Params{})
		require.NotEmpty(t, problems, params)
		require.Contains(t, problems[0].Text, want, params)
	}
	require.Empty(t, paramspec.Check(json.RawMessage(`{"url":"${secret:env:FEED}"}`), feed.Params{}))
	require.Empty(t, paramspec.Check(json.RawMessage(`{"opml":"https://x/y"}`), feed.Params{}))
}
