package polite

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/visit"
)

// drip writes a byte now and then until the client goes.
func drip(w http.ResponseWriter, r *http.Request) {
	for r.Context().Err() == nil {
		io.WriteString(w, "x") // test server
		w.(http.Flusher).Flush()
		select {
		case <-r.Context().Done():
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func TestTimeoutCoversTheBody(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]http.HandlerFunc{"slow drip": drip, "no answer": hang} {
		s := serve(t, h)
		b := &reserve{}
		c := open(t, loopback()).HTTP(visit.Visitor{Timeout: 100 * time.Millisecond, Record: b.record})
		e := fails(t, c, s.URL+"/?password=abc", harvest.KindTimeout)
		require.Contains(t, e.Error(), "no complete response in time: 100ms", name)
		require.NotErrorIs(t, e, context.DeadlineExceeded, "the caller's own time is not over")
		require.Equal(t, harvest.KindTimeout, b.one(t).Kind)
	}
}

func TestCallersEndIsToldApart(t *testing.T) {
	t.Parallel()
	s := serve(t, drip)
	for _, c := range []struct {
		end  func(context.Context) (context.Context, context.CancelFunc)
		kind harvest.Kind
		is   error
	}{
		{func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 50*time.Millisecond)
		}, harvest.KindTimeout, context.DeadlineExceeded},
		{func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(50*time.Millisecond, cancel)
			return ctx, cancel
		}, harvest.KindInternal, context.Canceled},
	} {
		client, b := client(t, loopback())
		ctx, cancel := c.end(t.Context())
		_, _, err := get(ctx, client, s.URL)
		cancel()
		require.ErrorIs(t, err, c.is)
		require.Equal(t, c.kind, harvest.KindOf(err))
		require.Equal(t, c.kind, b.one(t).Kind)
	}
}

// A body that nobody reads or closes ends with the timeout, and gives the
// host's turn back.
func TestAbandonedBodyEndsByItself(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "some") // test server
		w.(http.Flusher).Flush()
		if r.URL.Path == "/left" {
			<-r.Context().Done()
		}
	})
	settings := loopback()
	settings.Rules = every(time.Millisecond)
	shared := open(t, settings)
	b := &reserve{}
	resp, err := shared.HTTP(visit.Visitor{Timeout: 500 * time.Millisecond, Record: b.record}).Get(s.URL + "/left")
	require.NoError(t, err)
	_, _, err = get(t.Context(), shared.HTTP(visit.Visitor{Timeout: patience}), s.URL) // waits for the turn
	require.NoError(t, err)
	require.Equal(t, harvest.KindTimeout, b.one(t).Kind)

	_, err = io.ReadAll(resp.Body)
	require.Equal(t, harvest.KindTimeout, harvest.KindOf(err))
	require.NoError(t, resp.Body.Close())
	require.Len(t, b.all(), 1)
}

func TestClosedUnreadBodyIsBookedOnce(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, strings.Repeat(wine, 10_000)) // test server
	})
	c, b := client(t, loopback())
	resp, err := c.Get(s.URL)
	require.NoError(t, err)
	require.Empty(t, b.all(), "the exchange is not over")
	require.NoError(t, resp.Body.Close())
	require.NoError(t, resp.Body.Close())
	line := b.one(t)
	require.Equal(t, 200, line.Status)
	require.Empty(t, line.Kind)
}

func TestAnswerWithoutBodyNeedsNoClose(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotModified) })
	settings := loopback()
	settings.Rules = every(time.Millisecond)
	c, b := client(t, settings)
	for range 3 {
		resp, err := c.Get(s.URL) // that is the test
		require.NoError(t, err)
		require.Equal(t, 304, resp.StatusCode)
	}
	require.Len(t, b.all(), 3)
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	gone := serve(t, hang)
	gone.Close()
	for address, text := range map[string]string{
		gone.URL + "?key=v":              "connection refused",
		"http://nowhere..invalid/?key=v": "host",
	} {
		c, b := client(t, loopback())
		e := fails(t, c, address, harvest.KindUnreachable)
		require.Contains(t, e.Error(), text)
		require.NotContains(t, e.Error(), "key=v")
		line := b.one(t)
		require.Equal(t, harvest.KindUnreachable, line.Kind)
		require.Zero(t, line.Status)
		require.NotContains(t, line.Error, "key=v")
		require.NotContains(t, line.URL, "key=v")
	}
}

func TestErrorsAreWrappedOnce(t *testing.T) {
	t.Parallel()
	c, _ := client(t, loopback())
	_, err := c.Get("http://10.0.0.1/?token=abc") // fails
	u, ok := errors.AsType[*url.Error](err)
	require.True(t, ok)
	e, ok := u.Err.(*harvest.Error)
	require.True(t, ok, "%T", u.Err)
	require.Equal(t, "get", e.Op)
	require.NotContains(t, e.Error(), "abc")
	wrapped := &harvest.Error{Kind: e.Kind, Op: "fetch feed", Err: err}
	require.NotContains(t, wrapped.Error(), "abc", "also through the error of net/http")
}

func TestRequestBodyIsClosedWhenNothingIsSent(t *testing.T) {
	t.Parallel()
	settings := loopback()
	settings.Rules = func(string) Rule { return Rule{Paused: "no"} }
	c, _ := client(t, settings)
	for _, address := range []string{"http://127.0.0.1:1/", "ftp://x/"} {
		body := &closing{Reader: strings.NewReader("x")}
		_, err := c.Post(address, "text/plain", body) // fails
		require.Error(t, err)
		require.True(t, body.closed)
	}
}

type closing struct {
	io.Reader
	closed bool
}

func (c *closing) Close() error { c.closed = true; return nil }

// Whoever sees the end of an exchange finds its line recorded, also where the end
// came by the clock and not by the reader.
func TestLineIsRecordedBeforeTheEndIsSeen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const slow = time.Minute
		recorded := false
		x := &exchange{
			visitor: &visit.Visitor{Record: func(visit.Exchange) {
				time.Sleep(slow)
				recorded = true
			}},
			recorded: make(chan struct{}), stop: func() bool { return true }, cancel: func() {},
			permit: &permit{limiter: newLimiter(every(0), nil), pacer: &pacer{rule: every(0)}},
		}
		go x.finish(nil) // by the clock
		synctest.Wait()
		x.finish(nil) // by the reader
		require.True(t, recorded)
	})
}
