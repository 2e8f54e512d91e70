package instagram_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/instagram"
	"github.com/vendemmia/vendemmia/harvest"
	replica "github.com/vendemmia/vendemmia/internal/local/replica/instagram"
)

// world is the API and what one item fetched from it.
type world struct {
	t     *testing.T
	api   *replica.API
	base  string
	req   harvest.Request
	pages []harvest.Page
	stop  int // after so many pages
}

func newWorld(t *testing.T, c replica.Config) *world {
	t.Helper()
	w := &world{t: t, api: replica.New(c), req: harvest.Request{Attempt: 1}}
	s := httptest.NewServer(w.api)
	t.Cleanup(s.Close)
	w.base = s.URL
	return w
}

func (w *world) fetch(more string) error {
	w.req.Params, w.pages = params(w.base, more), nil
	for page, err := range instagram.New(http.DefaultClient).Fetch(w.t.Context(), w.req) {
		if err != nil {
			return err
		}
		require.NoError(w.t, page.Check())
		w.pages, w.req.Checkpoint = append(w.pages, page), page.Checkpoint
		if len(w.pages) == w.stop {
			break
		}
	}
	return nil
}

func (w *world) documents() (docs []harvest.Document) {
	for _, p := range w.pages {
		docs = append(docs, p.Documents...)
	}
	return docs
}

func (w *world) ids() (ids []string) {
	for _, d := range w.documents() {
		ids = append(ids, d.ID)
	}
	return ids
}

func (w *world) asked(part string) (n int) {
	for _, r := range w.api.Requests() {
		if strings.Contains(r.URL.Path, part) {
			n++
		}
	}
	return n
}

const genova = `,"account":"@genova"`

func TestFilesComeAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, replica.Config{Posts: 2})
	w.api.Publish(replica.Post{Caption: "album", Children: 2})
	w.api.Publish(replica.Post{Caption: "withheld", Withheld: true})
	require.NoError(t, w.fetch(genova))
	require.ElementsMatch(t, w.api.Holds(), w.ids())
	file := w.documents()[2]
	require.Equal(t, "image", file.Kind)
	require.Equal(t, "image/jpeg", file.MediaType)
	require.Equal(t, w.documents()[1].ID, file.Parent)
	require.Contains(t, string(file.Body), "picture of")
	require.NotContains(t, file.URL, w.base, "an address that expires is not kept")
}

// A run reads until it meets what is known; one that was cut passes over what it has.
func TestWhereARunGoesOn(t *testing.T) {
	t.Parallel()
	for _, more := range []string{genova, `,"own":true`} {
		w := newWorld(t, replica.Config{Posts: 90})
		w.stop = 40
		require.NoError(t, w.fetch(more))
		got := w.ids()
		w.stop = 0
		require.NoError(t, w.fetch(more))
		require.ElementsMatch(t, w.api.Holds(), append(got, w.ids()...))
		asked := len(w.api.Requests())
		w.api.Publish(replica.Post{Caption: "new"})
		require.NoError(t, w.fetch(more))
		require.Len(t, w.ids(), 2)
		require.Len(t, w.api.Requests(), asked+2, "one page of the list, one file")
		require.NoError(t, w.fetch(more))
		require.Empty(t, w.ids())
		require.True(t, w.pages[0].NotModified)
	}
}

func TestBacklog(t *testing.T) {
	t.Parallel()
	w := newWorld(t, replica.Config{Posts: 90})
	require.NoError(t, w.fetch(genova+`,"backlog":30,"media":"none"`))
	require.Len(t, w.ids(), 30)
	require.NoError(t, w.fetch(genova+`,"backlog":30,"media":"none"`))
	require.Empty(t, w.ids())
}

// A file that is refused makes its post partial; it comes once the API gives a new
// address.
func TestFilesThatHaveExpired(t *testing.T) {
	t.Parallel()
	w := newWorld(t, replica.Config{Posts: 1})
	w.api.Break(replica.Without())
	require.NoError(t, w.fetch(genova))
	require.Len(t, w.ids(), 1)
	require.True(t, w.pages[0].Partial)
	require.Contains(t, w.pages[0].Warnings[0], "is missing")
	w.api.Break(nil)
	require.NoError(t, w.fetch(genova))
	require.ElementsMatch(t, w.api.Holds(), w.ids())
	require.False(t, w.pages[0].Partial)
}

func TestErrorsAreToldByTheirCode(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status, code, subcode int
		kind                  harvest.Kind
		text                  string
		rest                  time.Duration
	}{
		"service":    {500, 2, 0, harvest.KindServerError, "error 2/0", 0},
		"unknown":    {400, 1, 0, harvest.KindServerError, "error 1/0", 0},
		"app limit":  {403, 4, 0, harvest.KindThrottled, "error 4/0", time.Hour},
		"user limit": {400, 17, 0, harvest.KindThrottled, "error 17/0", time.Hour},
		"page limit": {400, 32, 0, harvest.KindThrottled, "error 32/0", time.Hour},
		"custom":     {400, 613, 0, harvest.KindThrottled, "error 613/0", time.Hour},
		"business":   {400, 80002, 0, harvest.KindThrottled, "error 80002/0", time.Hour},
		"permission": {400, 10, 0, harvest.KindBlocked, "permission", 0},
		"scope":      {403, 200, 0, harvest.KindBlocked, "permission", 0},
		"parameter":  {400, 100, 0, harvest.KindMisconfigured, "look at the params", 0},
		"invisible":  {400, 100, 33, harvest.KindGone, "not visible", 0},
		"token":      {400, 190, 460, harvest.KindMisconfigured, "params.token", 0},
		"session":    {400, 102, 0, harvest.KindMisconfigured, "params.token", 0},
		"policy":     {400, 368, 0, harvest.KindBlocked, "for a time", 0},
		"hashtags":   {400, 18, 2207034, harvest.KindThrottled, "30 different hashtags", 24 * time.Hour},
		"with 200":   {200, 4, 0, harvest.KindThrottled, "error 4/0", time.Hour},
	} {
		w := newWorld(t, replica.Config{})
		w.api.Break(replica.Refused(c.status, c.code, c.subcode, "words of the API"))
		err := w.fetch(genova)
		require.Equal(t, c.kind, harvest.KindOf(err), "%s: %v", name, err)
		require.ErrorContains(t, err, c.text, name)
		require.ErrorContains(t, err, "words of the API")
		require.Equal(t, c.rest, harvest.AsError(err).RetryAfter, name)
		require.NotContains(t, err.Error(), replica.Token)
	}
	w := newWorld(t, replica.Config{})
	require.Equal(t, harvest.KindMisconfigured, harvest.KindOf(w.fetch(genova+`,"token":"old"`)))
	require.Equal(t, harvest.KindGone, harvest.KindOf(w.fetch(`,"account":"nobody"`)))
}

// From 80 % on a fetch yields what it has and rests, and goes on where it stood.
func TestUsageIsHeeded(t *testing.T) {
	t.Parallel()
	for percent, rest := range map[int]time.Duration{80: 5 * time.Minute, 91: 15 * time.Minute, 99: time.Hour} {
		w := newWorld(t, replica.Config{Posts: 60})
		w.api.Use(percent)
		err := w.fetch(genova + `,"media":"none"`)
		require.Equal(t, harvest.KindThrottled, harvest.KindOf(err))
		require.Equal(t, rest, harvest.AsError(err).RetryAfter)
		require.ErrorContains(t, err, strconv.Itoa(percent)+"%")
		got := w.ids()
		require.Len(t, got, 25)
		w.api.Use(79)
		require.NoError(t, w.fetch(genova+`,"media":"none"`))
		require.ElementsMatch(t, posts(w.api.Holds()), append(got, w.ids()...))
	}
}

// The API keeps the ledger of hashtags for the whole account.
func TestThirtyHashtagsAWeek(t *testing.T) {
	t.Parallel()
	var used []string
	for n := range replica.MaxHashtags - 1 {
		used = append(used, "tag"+strconv.Itoa(n))
	}
	w := newWorld(t, replica.Config{Posts: 60, Searched: used})
	const tag = `,"media":"none","hashtag":`
	require.NoError(t, w.fetch(tag+`"#Genova"`))
	require.Len(t, w.ids(), 24, "the last 24 hours")
	require.NoError(t, w.fetch(tag+`"genova"`))
	require.Empty(t, w.ids())
	require.Equal(t, 1, w.asked("ig_hashtag_search"), "its id is known")
	w.req.Checkpoint = nil
	require.NoError(t, w.fetch(tag+`"tag3"`), "one of the thirty")
	err := w.fetch(tag + `"savona"`)
	require.Equal(t, harvest.KindThrottled, harvest.KindOf(err))
	require.ErrorContains(t, err, "30 different hashtags")
	require.Equal(t, 24*time.Hour, harvest.AsError(err).RetryAfter)
}

func TestAWindowMovesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, replica.Config{Posts: 60})
	require.NoError(t, w.fetch(genova+`,"media":"none"`))
	before := string(w.req.Checkpoint)
	noon := time.Date(2026, time.September, 1, 12, 0, 0, 0, time.UTC)
	w.req.Window = harvest.Window{From: noon.Add(-40 * time.Hour), Until: noon.Add(-30 * time.Hour)}
	require.NoError(t, w.fetch(genova+`,"media":"none"`))
	require.Len(t, w.ids(), 10)
	require.JSONEq(t, before, string(w.req.Checkpoint))
}

func TestProbe(t *testing.T) {
	t.Parallel()
	p, ok := instagram.New(nil).(harvest.Prober)
	require.True(t, ok)
	for address, want := range map[string]string{
		"https://www.instagram.com/genova/":              `"account":"genova"`,
		"https://instagram.com/explore/tags/genovameteo": `"hashtag":"genovameteo"`,
		"https://www.instagram.com/p/Cx1/":               "",
		"https://www.example.org/genova":                 "",
	} {
		found, err := p.Probe(t.Context(), address)
		require.NoError(t, err)
		require.Equal(t, want != "", found.Sure == 90, address)
		require.Contains(t, string(found.Params), want)
	}
}

// A list whose pages are empty and always name a next one ends.
func TestAListWithoutAnEnd(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n := asked.Add(1)
		fmt.Fprintf(w, `{"data":[],"paging":{"cursors":{"after":"%d"},"next":"http://%[1]d.example/"}}`, n)
	}))
	t.Cleanup(s.Close)
	w := &world{t: t, base: s.URL, req: harvest.Request{Attempt: 1}}
	err := w.fetch(`,"own":true`)
	require.ErrorContains(t, err, "the list does not end: 1001 pages came")
	require.Equal(t, harvest.KindBroken, harvest.KindOf(err))
}
