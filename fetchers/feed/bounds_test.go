package feed_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
)

// badDay makes the date of one entry unreadable.
func badDay(body string, n int) string {
	return strings.Replace(body, day(n).Format(time.RFC1123Z), "31/02/2026", 1)
}

func TestARecordThatCannotBeReadDoesNotCostTheValidators(t *testing.T) {
	t.Parallel()
	s := newSource(t)
	s.set("/feed", text(badDay(rss("", 1, 2), 2), `"same"`))
	first := s.fetch(t, nil)
	require.NoError(t, first.err)
	require.Equal(t, "urn:2", first.pages[0].Rejects[0].ID)
	require.Empty(t, first.pages[0].Rejects[0].Where, "it comes with the feed itself")
	second := s.fetch(t, first.checkpoint(), unread(harvest.Unread{ID: "urn:2"}))
	require.NoError(t, second.err)
	require.Equal(t, `"same"`, s.last().Header.Get("If-None-Match"))
	require.True(t, second.tally.NotModified)
	require.Empty(t, second.pages[0].Resolved, "it is unread as before")
}

func unread(records ...harvest.Unread) func(*harvest.Request) {
	return func(r *harvest.Request) { r.Unread = records }
}

func TestRecordsWithoutAnIDHaveAStableOne(t *testing.T) {
	t.Parallel()
	s := newSource(t)
	broken := "<item><title>A</title><description><![CDATA[x</description></item>"
	s.set("/feed", text(strings.Replace(rss("", 1), "<item>", broken+"<item>", 1), ""))
	first := s.fetch(t, nil).pages[0].Rejects[0]
	require.Equal(t, harvest.Digest(first.Bytes), first.ID)
	s.set("/feed", text(strings.Replace(rss("", 1, 2), "<item>", "<item><title>A</title><description>x</description></item><item>", 1), ""))
	mended := s.fetch(t, nil, unread(harvest.Unread{ID: first.ID}, harvest.Unread{ID: "urn:9"}))
	require.Equal(t, []string{first.ID}, mended.pages[0].Resolved, "the bytes are there no longer; of urn:9 nobody knows")
}

func TestOlderPagesWithUnreadRecordsAreAskedForAgain(t *testing.T) {
	t.Parallel()
	s := newSource(t)
	s.set("/feed", text(rss(next("/2"), 6, 5), `"x"`))
	s.set("/2", text(badDay(rss("", 4, 3), 4), ""))
	first := s.fetch(t, nil)
	require.NoError(t, first.err)
	reject := first.pages[1].Rejects[0]
	require.Equal(t, s.URL+"/2", reject.Where)
	s.took()

	known := unread(harvest.Unread{ID: reject.ID, Where: reject.Where}, harvest.Unread{ID: "x", Where: "http://elsewhere.example.org/2"})
	still := s.fetch(t, first.checkpoint(), known)
	require.NoError(t, still.err)
	require.Equal(t, []string{"/feed", "/2"}, s.took())
	require.Equal(t, reject, still.pages[1].Rejects[0])
	require.True(t, still.pages[1].Last)

	s.set("/2", text(rss("", 4, 3), ""))
	mended := s.fetch(t, still.checkpoint(), known)
	require.Equal(t, urns(4, 3), mended.ids)

	s.set("/2", http.NotFound)
	gone := s.fetch(t, mended.checkpoint(), known)
	require.NoError(t, gone.err)
	require.Equal(t, []string{reject.ID}, gone.pages[1].Resolved)

	s.set("/2", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	failed := s.fetch(t, mended.checkpoint(), known)
	require.NoError(t, failed.err, "the feed itself was read")
	require.Empty(t, failed.pages[1].Resolved)
	require.Contains(t, failed.warnings[0], "cannot be asked for again")
}

func TestNextStaysAtTheHostOfTheFeed(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"http://169.254.169.254/latest", "http://[fe80::1%25eth0]/", "//elsewhere.example.org/2", "http://127.0.0.1:1/", "https://user:pw@127.0.0.1/2"} {
		s := newSource(t)
		s.set("/feed", text(rss(next(address), 2, 1), ""))
		r := s.fetch(t, nil)
		require.NoError(t, r.err, address)
		require.Equal(t, []string{"/feed"}, s.took())
		require.True(t, r.tally.Partial, address)
		require.Contains(t, r.warnings[0], "not at the host of the feed")
	}
}

func TestAnEndlessFeedIsCutAndGoesOn(t *testing.T) {
	t.Parallel()
	s := newSource(t)
	page := func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.URL.Query().Get("p"))
		fmt.Fprint(w, rss(next(fmt.Sprintf("/feed?p=%d", n+1)), -n)) // the client may be gone
	}
	s.set("/feed", page)
	first := s.fetch(t, nil)
	require.NoError(t, first.err)
	require.Len(t, first.pages, 1000)
	require.True(t, first.tally.Partial)
	require.Contains(t, first.warnings[0], "1000 pages with 1000 entries were read")
	require.True(t, first.pages[999].Last)
	second := s.fetch(t, first.checkpoint())
	require.NoError(t, second.err)
	require.Equal(t, "urn:-1000", second.ids[0], "it goes on where it stopped")
	require.True(t, second.tally.Partial)
}
