package web_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/local/replica/site"
)

func TestOnlyWhatChangedComesAgain(t *testing.T) {
	t.Parallel()
	for name, validators := range map[string]bool{"by validators": true, "by hashes": false} {
		s := site.New(site.Config{Pages: 12, PerList: 5, Validators: validators})
		w := newWorld(t, s, listParams)
		require.Len(t, w.run().docs, 12, name)
		again := w.run()
		require.NoError(t, again.err)
		require.Empty(t, again.docs, name)
		require.True(t, again.NotModified, name)
		require.Equal(t, 12, again.Listed, name)
		s.Change(3)
		s.Add(1)
		h := w.run()
		require.Equal(t, []string{w.base + "/acts/12", w.base + "/acts/3"}, h.ids(), name)
		require.False(t, h.NotModified)
	}
}

func TestAgainReadsEverythingAlsoAfterAnInterruption(t *testing.T) {
	t.Parallel()
	s := site.New(site.Config{Pages: 45, PerList: 45, Validators: true})
	w := newWorld(t, s, listParams)
	require.Len(t, w.run().docs, 45)
	seen := 0
	w.run(func(r *harvest.Request) { r.ForceRefresh = true })
	s.Instead("/acts/10", site.Answer{Status: 500})
	half := w.run(func(r *harvest.Request) { r.ForceRefresh = true })
	require.Equal(t, harvest.KindServerError, harvest.KindOf(half.err))
	seen = len(half.docs)
	require.Positive(t, seen)
	s.Heal("/acts/10")
	rest := w.run() // the runner knows of no change any more: its fingerprint was stored with the first page
	require.NoError(t, rest.err)
	require.Equal(t, 45, seen+len(rest.docs))
}

func TestASelectorThatStopsMatchingIsBroken(t *testing.T) {
	t.Parallel()
	s := site.New(site.Config{Pages: 12, PerList: 12})
	w := newWorld(t, s, strings.Replace(listParams, `,"required":true`, "", 1))
	require.NoError(t, w.run().err)
	for n := range 12 {
		s.Instead(site.Path(n), site.Answer{Body: page("", `<h1 class="new__title">x</h1><time datetime="2026-01-02"></time><span class="amount">1</span><div class="body">b</div>`)})
	}
	h := w.run()
	require.Equal(t, harvest.KindBroken, harvest.KindOf(h.err))
	require.ErrorContains(t, h.err, `fields.title: "h1.act__title" matches nothing on 12 of 12 pages; it matched on 12 of 12 before`)
	require.Empty(t, h.docs)
	require.Contains(t, string(harvest.AsError(h.err).Evidence), "new__title")

	w.params = strings.Replace(w.params, "h1.act__title", "h1.new__title", 1)
	fixed := w.run(func(r *harvest.Request) { r.ForceRefresh = true })
	require.NoError(t, fixed.err)
	require.Len(t, fixed.docs, 12)
}

func TestGonePagesBecomeTombstones(t *testing.T) {
	t.Parallel()
	s := small()
	w := newWorld(t, s, listParams)
	require.Len(t, w.run().docs, 12)
	s.Instead("/acts/1", site.Answer{Status: 410})
	s.Instead("/acts/2", site.Answer{Status: 404})
	s.Instead("/acts/3", site.Answer{Body: site.NotFound})
	first := w.run()
	require.NoError(t, first.err)
	require.Equal(t, []string{w.base + "/acts/1"}, first.ids(), "410 is for good")
	require.True(t, first.docs[0].Deleted)
	require.Contains(t, first.warnings(), "at the second time")
	s.Heal("/acts/3")
	second := w.run()
	require.Equal(t, []string{w.base + "/acts/2", w.base + "/acts/3"}, second.ids())
	for _, d := range second.docs {
		require.Equal(t, strings.HasSuffix(d.ID, "/2"), d.Deleted, d.ID)
	}
	third := w.run()
	require.NoError(t, third.err)
	require.Empty(t, third.docs, "a tombstone comes once")
	require.False(t, third.Partial)
	s.Heal("/acts/2")
	require.Equal(t, []string{w.base + "/acts/2"}, w.run().ids(), "it came back")
}

func TestASiteThatLosesEverythingDeletesNothing(t *testing.T) {
	t.Parallel()
	s := small()
	w := newWorld(t, s, listParams)
	require.Len(t, w.run().docs, 12)
	for n := range 12 {
		s.Instead(site.Path(n), site.Answer{Status: 404})
	}
	h := w.run()
	require.Equal(t, harvest.KindGone, harvest.KindOf(h.err))
	require.Empty(t, h.docs)
}

func TestAPoisonedPageDoesNotEndTheHarvest(t *testing.T) {
	t.Parallel()
	s := small()
	w := newWorld(t, s, listParams)
	s.Instead("/acts/9", site.Answer{Status: 500})
	first := w.run()
	require.Equal(t, harvest.KindServerError, harvest.KindOf(first.err))
	require.Equal(t, []string{w.base + "/acts/10", w.base + "/acts/11"}, first.ids())
	last := w.run(func(r *harvest.Request) { r.LastAttempt = true })
	require.NoError(t, last.err)
	require.Len(t, last.rejects(), 1)
	require.Contains(t, last.reasons(), "HTTP status 500")
	require.Len(t, last.docs, 9)
	s.Heal("/acts/9")
	require.Equal(t, []string{w.base + "/acts/9"}, w.run().ids())
}

func TestThrottledAsksNoMore(t *testing.T) {
	t.Parallel()
	s := site.New(site.Config{Pages: 40, PerList: 40})
	var healed atomic.Bool
	var behind atomic.Int32
	w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/acts/")); err == nil && n < 35 && !healed.Load() {
			behind.Add(1)
			<-r.Context().Done() // what is under way does not come before that is said
		}
		s.ServeHTTP(w, r)
	}), listParams)
	s.Instead("/acts/35", site.Answer{Status: 429, Header: map[string]string{"Retry-After": "60"}})
	h := w.run()
	require.Equal(t, harvest.KindThrottled, harvest.KindOf(h.err))
	require.Equal(t, time.Minute, harvest.AsError(h.err).RetryAfter)
	require.LessOrEqual(t, behind.Load(), int32(3), "those beside it")
	s.Heal("/acts/35")
	healed.Store(true)
	rest := w.run()
	require.NoError(t, rest.err)
	require.Len(t, append(h.docs, rest.docs...), 40)
}

func TestRevisitChanged(t *testing.T) {
	t.Parallel()
	s := site.New(site.Config{Pages: 12, PerList: 5, Validators: true})
	w := newWorld(t, s, `{"url":"BASE/sitemap-index.xml","sitemap":true,"revisit":"changed",`+pageFields+`}`)
	require.Len(t, w.run().docs, 12)
	asked := s.Asked("/acts/")
	s.Change(4)
	s.Add(1)
	h := w.run()
	require.Equal(t, []string{w.base + "/acts/12", w.base + "/acts/4"}, h.ids())
	require.Equal(t, asked+2, s.Asked("/acts/"))
	require.NoError(t, w.run().err)
	require.Equal(t, asked+2, s.Asked("/acts/"))
}

func TestRowsOfAnUnchangedListAreNotReadAgain(t *testing.T) {
	t.Parallel()
	s := small()
	w := newWorld(t, s, `{"url":"BASE/rows","rows":"table.rows tbody tr","next":"a[rel=next]","fields":{"title":"a"}}`)
	first := w.run()
	require.Len(t, first.docs, 12)
	require.Equal(t, w.base+"/acts/11", first.docs[0].ID, "the first link of a row")
	again := w.run()
	require.NoError(t, again.err)
	require.True(t, again.NotModified)
	require.Equal(t, 12, again.Listed)
	s.Add(1)
	require.Contains(t, w.run().ids(), w.base+"/acts/12")
}

func TestFollowGoesDownAsFarAsToldAndNoFurther(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	for path, body := range map[string]string{
		"/{$}":     `<ul class=acts><a href="/acts/1">1</a></ul><nav><a href="/s1">1</a><a href="/s2">2</a><a href="/">0</a></nav>`,
		"/s1":      `<ul class=acts><a href="/acts/2">2</a></ul><nav><a href="/s1/deep">d</a></nav><a rel=next href="/s1?page=2">n</a>`,
		"/s2":      `<ul class=acts><a href="/acts/3">3</a><a href="/acts/1">1</a></ul>`,
		"/s1/deep": `<ul class=acts><a href="/acts/4">4</a></ul>`,
	} {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			answer := body
			if r.URL.RawQuery != "" {
				answer = `<ul class=acts><a href="/acts/5">5</a></ul>`
			}
			w.Write([]byte(page("", answer)))
		})
	}
	mux.Handle("/acts/", small())
	for depth, want := range map[string]int{"1": 4, "2": 5} {
		w := newWorld(t, mux, `{"url":"BASE/","links":".acts a","next":"a[rel=next]","follow":"nav a","depth":`+depth+`}`)
		h := w.run()
		require.NoError(t, h.err)
		require.Len(t, h.ids(), want, "%v", h.ids())
		for range 3 { // from every checkpoint on
			require.NoError(t, w.run().err)
		}
		for i, p := range h.pages {
			w.checkpoint = p.Checkpoint
			rest := w.run()
			require.NoError(t, rest.err)
			if i < len(h.pages)-1 {
				before := 0
				for _, q := range h.pages[:i+1] {
					before += len(q.Documents)
				}
				require.Equal(t, want, before+len(rest.docs), "after page %d", i+1)
			}
		}
	}
}

func TestAWindowKeepsWhatIsInIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, small(), listParams)
	h := w.run(func(r *harvest.Request) {
		r.Window = harvest.Window{From: time.Date(2026, 1, 3, 0, 0, 0, 0, time.UTC), Until: time.Date(2026, 1, 6, 0, 0, 0, 0, time.UTC)}
	})
	require.NoError(t, h.err)
	require.Len(t, h.docs, 3)
	require.Len(t, w.run().docs, 9, "the others are not taken for known")
}

func TestAListThatGrowsWhileItIsReadLosesNothing(t *testing.T) {
	t.Parallel()
	s := site.New(site.Config{Pages: 45, PerList: 45})
	w := newWorld(t, s, listParams)
	s.Instead("/acts/15", site.Answer{Status: 502})
	first := w.run()
	require.Error(t, first.err)
	s.Heal("/acts/15")
	s.Add(5)
	rest := w.run()
	require.NoError(t, rest.err)
	ids := map[string]int{}
	for _, d := range append(first.docs, rest.docs...) {
		ids[d.ID]++
	}
	require.Len(t, ids, 50)
	for id, n := range ids {
		require.Equal(t, 1, n, id)
	}
}

func TestSinglePagesAreWatched(t *testing.T) {
	t.Parallel()
	s := small()
	w := newWorld(t, s, `{"url":"BASE/acts/1","urls":["BASE/acts/2"],"fields":{"text":{"css":".body","as":"text"}}}`)
	h := w.run()
	require.NoError(t, h.err)
	require.Equal(t, []string{w.base + "/acts/1", w.base + "/acts/2"}, h.ids())
	require.Contains(t, h.docs[0].Fields["text"], "perché")
	require.True(t, w.run().NotModified)
	s.Instead("/acts/1", site.Answer{Status: 410})
	gone := w.run()
	require.NoError(t, gone.err)
	require.Len(t, gone.docs, 1)
	require.True(t, gone.docs[0].Deleted)
}

func TestTheCheckpointStaysBounded(t *testing.T) {
	t.Parallel()
	s := site.New(site.Config{Pages: 6000, PerList: 6000, Size: 100, Validators: true})
	w := newWorld(t, s, `{"url":"BASE/list","links":"ul.acts a","fields":{"title":"h1"}}`)
	w.client = &http.Client{Transport: inside{s}}
	h := w.run()
	require.NoError(t, h.err)
	require.Len(t, h.docs, 6000)
	require.Regexp(t, `^\d+ pages are more than can be remembered`, h.warnings())
	for _, p := range h.pages {
		require.Less(t, len(p.Checkpoint), 100<<10)
	}
	half := h.pages[len(h.pages)/2]
	w.checkpoint = half.Checkpoint
	rest := w.run()
	require.NoError(t, rest.err)
	require.LessOrEqual(t, len(rest.docs), 3000, "goes on where it was, though not all is known")
}

func TestProbe(t *testing.T) {
	t.Parallel()
	w := newWorld(t, small(), "{}")
	for path, want := range map[string]string{"/list": "goes on (a[rel=next])", "/sitemap.xml": "sitemap of 12 pages", "/acts/1": "page of HTML"} {
		f, err := prober().Probe(t.Context(), w.base+path)
		require.NoError(t, err)
		require.Contains(t, f.Detail, want)
		require.Less(t, f.Sure, 80, "a feed or an interface of the same site wins")
		require.Positive(t, f.Sure)
	}
	_, err := prober().Probe(t.Context(), w.base+"/nowhere")
	require.Equal(t, harvest.KindGone, harvest.KindOf(err))
}

func TestPagesAreCountedAsTold(t *testing.T) {
	t.Parallel()
	for params, want := range map[string]string{
		`"page_param":"p"`: "p=1 p=2 p=3 ", `"page_param":"start","page_first":0,"page_step":20`: "start=0 start=20 start=40 ", `"page_param":"p","page_first":0`: "p=0 p=1 p=2 ",
	} {
		asked := ""
		first := strings.Fields(want)[0]
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked += r.URL.RawQuery + " "
			body := `<table><tr class=r><td><a href="/x?` + r.URL.RawQuery + `">x</a></table>`
			if strings.Count(asked, " ") == 3 {
				body = "<p>no more</p>"
				if strings.HasPrefix(asked, "start") {
					w.WriteHeader(http.StatusNotFound)
				}
			}
			w.Write([]byte(page("", body)))
		})
		w := newWorld(t, h, `{"url":"BASE/l?`+first+`","rows":"tr.r",`+params+`}`)
		got := w.run()
		require.NoError(t, got.err)
		require.Equal(t, want, asked)
		require.Len(t, got.docs, 2)
		require.False(t, got.Partial)
	}
}

// TestWhatWasReadStays: the memory of one page serves the next.
func TestWhatWasReadStays(t *testing.T) {
	t.Parallel()
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := strings.TrimPrefix(r.URL.Path, "/acts/")
		body := `<main><h1 class="act__title">title ` + n + `</h1><a data-v="attr ` + n + `" href="/to/` + n + `">x</a><i>one ` + n + `</i><i>two ` + n + `</i><div class="body">body ` + n + `</div></main>`
		if n == "/list" {
			body = `<ul class="acts">`
			for n := range 120 {
				body += fmt.Sprintf(`<a href="/acts/%d">x</a>`, 100+n)
			}
		}
		w.Write([]byte(page("<title>x</title>", body)))
	})
	w := newWorld(t, h, `{"url":"BASE/list","links":"ul.acts a","fields":{"title":"h1","v":{"css":"a","attr":"data-v"},"to":{"css":"a","as":"url"},"all":{"css":"i","all":true},"html":{"css":"h1","as":"html"},"body":"div.body"}}`)
	got := w.run()
	require.NoError(t, got.err)
	require.Len(t, got.docs, 120)
	for _, d := range got.docs {
		_, n, _ := strings.Cut(d.ID, "/acts/")
		require.Equal(t, "title "+n, d.Title)
		require.Equal(t, `<div class="body">body `+n+`</div>`, string(d.Body))
		require.Equal(t, map[string]any{
			"v": "attr " + n, "to": w.base + "/to/" + n, "all": []any{"one " + n, "two " + n}, "html": `<h1 class="act__title">title ` + n + `</h1>`,
		}, d.Fields)
	}
}

// TestABigSiteIsRememberedAsFarAsThereIsRoom: what is beyond costs itself, not
// what is known of the others.
func TestABigSiteIsRememberedAsFarAsThereIsRoom(t *testing.T) {
	t.Parallel()
	s := site.New(site.Config{Pages: 2500, PerList: 2500, Size: 100, Validators: true})
	var same atomic.Int32
	w := newWorld(t, s, `{"url":"BASE/list","links":"ul.acts a","fields":{"title":"h1"}}`)
	w.client = &http.Client{Transport: counting{inside{s}, &same}}
	require.NoError(t, w.run().err)
	for range 2 {
		s.Add(1)
		same.Store(0)
		require.NoError(t, w.run().err)
		require.GreaterOrEqual(t, same.Load(), int32(2000))
	}
}

// counting counts the answers that say that nothing has changed.
type counting struct {
	http.RoundTripper
	same *atomic.Int32
}

func (c counting) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := c.RoundTripper.RoundTrip(r)
	if err == nil && resp.StatusCode == http.StatusNotModified {
		c.same.Add(1)
	}
	return resp, err
}
