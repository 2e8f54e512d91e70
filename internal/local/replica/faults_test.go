package replica

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/mmcdole/gofeed"
	"github.com/stretchr/testify/require"
)

// broken makes a house of one feed with a lasting fault.
func broken(t *testing.T, s Shape, fault Fault) (*Feeds, string) {
	t.Helper()
	f := one(t, s)
	f.Break("0000", fault)
	require.NotEmpty(t, fault.Name)
	return f, f.URL("0000")
}

func TestStatusFaults(t *testing.T) {
	t.Parallel()
	until := time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		fault  Fault
		status int
		header string
		value  string
	}{
		{Status(500), 500, "Content-Type", "text/html"},
		{Status(404), 404, "Content-Type", "text/html"},
		{Status(410), 410, "ETag", ""},
		{ThrottleSeconds(429, 60), 429, "Retry-After", "60"},
		{ThrottleUntil(503, until), 503, "Retry-After", "Sat, 02 Jan 2027 03:04:05 GMT"},
		{Throttle(503, "soon"), 503, "Retry-After", "soon"},
		{Moved(301, "/feed/0001"), 301, "Location", "/feed/0001"},
		{Moved(308, "https://new.example/"), 308, "Location", "https://new.example/"},
		{Challenge(403), 403, "Content-Type", "text/html; charset=utf-8"},
	} {
		f, url := broken(t, Shape{Format: RSS2}, c.fault)
		resp, _ := get(t, url)
		require.Equal(t, c.status, resp.StatusCode, c.fault.Name)
		require.Equal(t, c.value, resp.Header.Get(c.header), c.fault.Name)
		require.Equal(t, 1, f.Counts("0000").Statuses[c.status])
	}
}

func TestCircle(t *testing.T) {
	t.Parallel()
	_, url := broken(t, Shape{Format: RSS2}, Circle())
	seen := map[string]bool{}
	for !seen[url] {
		seen[url] = true
		resp, _ := get(t, url)
		require.Equal(t, 302, resp.StatusCode)
		next, err := resp.Location()
		require.NoError(t, err)
		url = next.String()
	}
	require.Len(t, seen, 3)
}

func TestFlowFaults(t *testing.T) {
	t.Parallel()
	_, url := broken(t, Shape{Format: RSS2}, Cut(100))
	_, body, err := ask(t.Context(), plain(t), url)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.Len(t, body, 100)

	f, url := broken(t, Shape{Format: RSS2}, HangUp())
	_, _, err = ask(t.Context(), plain(t), url)
	require.ErrorIs(t, err, io.EOF)
	require.Equal(t, 1, f.Counts("0000").Statuses[0])

	_, url = broken(t, Shape{Format: RSS2}, Slow(time.Millisecond))
	resp, _ := get(t, url)
	require.Equal(t, 200, resp.StatusCode)
}

func TestFaultsWithoutEnd(t *testing.T) {
	t.Parallel()
	for _, fault := range []Fault{Hang(), Drip(time.Hour), Slow(time.Hour)} {
		f, url := broken(t, Shape{Format: RSS2}, fault)
		hanging := func(ctx context.Context, n int) (ended chan error) {
			ended = make(chan error, 1)
			client := plain(t)
			go func() {
				_, body, err := ask(ctx, client, url)
				if len(body) > 1 {
					err = fmt.Errorf("%d bytes came", len(body))
				}
				ended <- err
			}()
			require.Eventually(t, func() bool { return f.at("0000").taken == n }, time.Minute, time.Millisecond, fault.Name)
			return ended
		}
		ctx, cancel := context.WithCancel(t.Context())
		first := hanging(ctx, 1)
		require.Empty(t, first, fault.Name)
		cancel()
		require.ErrorIs(t, <-first, context.Canceled, fault.Name)
		second := hanging(context.WithoutCancel(t.Context()), 2)
		f.Close() // ends what hangs
		require.Error(t, <-second, fault.Name)
	}
}

func TestDripIsWhole(t *testing.T) {
	t.Parallel()
	f, url := broken(t, Shape{Format: RSS2, Entries: 1}, Drip(time.Microsecond))
	_, slow := get(t, url)
	f.Heal("0000")
	_, quick := get(t, url)
	require.Equal(t, string(quick), string(slow))
}

func TestContentFaults(t *testing.T) {
	t.Parallel()
	feed := func(b []byte) bool { return bytes.HasPrefix(b, []byte("<?xml")) && bytes.Contains(b, []byte("<rss")) }
	for _, c := range []struct {
		fault Fault
		check func(b []byte) bool
	}{
		{HTML(), func(b []byte) bool { return bytes.Contains(b, []byte("<html")) && !bytes.Contains(b, []byte("<link")) }},
		{Challenge(200), func(b []byte) bool { return bytes.Contains(b, []byte("Just a moment")) }},
		{Garbage(5000), func(b []byte) bool { return len(b) == 5000 && !utf8.Valid(b) }},
		{EmptyBody(), func(b []byte) bool { return len(b) == 0 }},
		{EmptyChannel(), func(b []byte) bool { return feed(b) && !bytes.Contains(b, []byte("<item")) }},
		{Oversized(3 << 20), func(b []byte) bool { return feed(b) && len(b) > 3<<20-100 }},
		{NotGzip(), feed},
		{WrongCharset(), func(b []byte) bool { return feed(b) && !utf8.Valid(b) && bytes.Contains(b, []byte(`encoding="UTF-8"`)) }},
	} {
		_, url := broken(t, Shape{Format: RSS2}, c.fault)
		resp, body := get(t, url)
		require.Equal(t, 200, resp.StatusCode, c.fault.Name)
		require.True(t, c.check(body), "%s: %.200q", c.fault.Name, body)
		require.Equal(t, c.fault.Name == "not gzip", resp.Header.Get("Content-Encoding") == "gzip", c.fault.Name)
	}
	_, url := broken(t, Shape{Format: RSS2}, Bomb(20<<20))
	resp, body := get(t, url)
	require.Equal(t, "gzip", resp.Header.Get("Content-Encoding"))
	require.Less(t, len(body), 200<<10)
	require.Len(t, unpack(t, body), 20<<20)
}

func TestValidatorFaults(t *testing.T) {
	t.Parallel()
	f, url := broken(t, Shape{Format: RSS2}, StuckValidators())
	resp, _ := get(t, url)
	f.Publish("0000", 3)
	resp, _ = get(t, url, "If-None-Match", resp.Header.Get("ETag"))
	require.Equal(t, 304, resp.StatusCode, "though there is news")

	f, url = broken(t, Shape{Format: RSS2}, SameETag())
	resp, before := get(t, url)
	f.Publish("0000", 1)
	again, after := get(t, url, "If-None-Match", resp.Header.Get("ETag"))
	require.Equal(t, 200, again.StatusCode)
	require.Equal(t, resp.Header.Get("ETag"), again.Header.Get("ETag"))
	require.NotEqual(t, before, after)

	_, url = broken(t, Shape{Format: RSS2}, RestlessETag())
	resp, before = get(t, url)
	again, after = get(t, url, "If-None-Match", resp.Header.Get("ETag"))
	require.Equal(t, 200, again.StatusCode)
	require.NotEqual(t, resp.Header.Get("ETag"), again.Header.Get("ETag"))
	require.Equal(t, before, after)

	_, url = broken(t, Shape{Format: RSS2}, NoValidators())
	resp, _ = get(t, url)
	require.Empty(t, resp.Header.Get("ETag")+resp.Header.Get("Last-Modified"))
}

func TestRecordFaults(t *testing.T) {
	t.Parallel()
	for _, format := range Formats() {
		for _, c := range []struct {
			fault Fault
			holds int // of 5
		}{
			{Broken(2, BadDate, NoID), 3},
			{Broken(2, NoID, NoLink), 3},
			{Broken(9, BadDate), 0},
			{Broken(2, NoID), 5},
			{Broken(2, NoTitle), 5},
			{Broken(2, NoDate), 5},
			{DuplicateIDs(3), 3},
			{OldestFirst(), 5},
		} {
			f, url := broken(t, Shape{Format: format}, c.fault)
			require.Len(t, f.Holds("0000"), c.holds, "%s %s", format, c.fault.Name)
			_, body := get(t, url)
			feed, err := gofeed.NewParser().Parse(bytes.NewReader(body))
			require.NoError(t, err)
			require.Len(t, feed.Items, 5, "%s %s", format, c.fault.Name)
			require.Equal(t, strings.Contains(c.fault.Name, string(BadDate)), bytes.Contains(body, []byte("31/02/2026")), "%s %s", format, c.fault.Name)
			for i, e := range f.Entries("0000") {
				require.Equal(t, e.Title, feed.Items[i].Title)
				require.Equal(t, e.Link, feed.Items[i].Link, "%s %s", format, c.fault.Name)
			}
		}
	}
}

func TestFaultsForTheNextRequests(t *testing.T) {
	t.Parallel()
	f, url := broken(t, Shape{Format: RSS2}, Status(410))
	f.BreakNext("0000", 2, Status(500))
	f.BreakNext("0000", 1, EmptyBody())
	f.BreakNext("0000", 1, Fault{}) // one right answer
	var got []int
	for range 6 {
		resp, _ := get(t, url)
		got = append(got, resp.StatusCode)
	}
	require.Equal(t, []int{500, 500, 200, 200, 410, 410}, got)
	f.BreakNext("0000", 5, Status(500))
	f.Heal("0000")
	resp, _ := get(t, url)
	require.Equal(t, http.StatusOK, resp.StatusCode)
}
