package polite

import (
	"context"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/visit"
)

func every(d time.Duration) func(string) Rule { return func(string) Rule { return Rule{Every: d} } }

// visits are a server's view of the requests. The end of an answer is taken
// before its last write, so it is never later than the client's.
type visits struct {
	mu             sync.Mutex
	begin, end     []time.Time
	inFlight, most int
}

func (v *visits) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	v.mu.Lock()
	v.begin = append(v.begin, time.Now())
	v.inFlight++
	v.most = max(v.most, v.inFlight)
	v.mu.Unlock()
	w.(http.Flusher).Flush()
	v.mu.Lock()
	v.end = append(v.end, time.Now())
	v.inFlight--
	v.mu.Unlock()
	io.WriteString(w, "end") // test server
}

func TestNoGapIsTooShort(t *testing.T) {
	t.Parallel()
	const gap, asks = 30 * time.Millisecond, 12
	v := &visits{}
	s := serve(t, v.ServeHTTP)
	settings := loopback()
	settings.Rules = every(gap)
	shared := open(t, settings)
	b := &reserve{}
	var wg sync.WaitGroup
	for range asks { // each item has a client of its own; the pace is one
		wg.Go(func() {
			_, _, err := get(t.Context(), shared.HTTP(visit.Visitor{Record: b.record}), s.URL)
			require.NoError(t, err)
		})
	}
	wg.Wait()
	require.Equal(t, 1, v.most)
	require.Len(t, v.begin, asks)
	for i := 1; i < asks; i++ {
		require.GreaterOrEqual(t, v.begin[i].Sub(v.end[i-1]), gap)
	}
	t.Logf("%d requests at %s took %s", asks, gap, v.end[asks-1].Sub(v.begin[0]))
	var waited time.Duration
	for _, line := range b.all() {
		waited = max(waited, line.Waited)
	}
	require.GreaterOrEqual(t, waited, gap*(asks-1))
}

func TestHostsDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/hold" {
			<-hold
		}
	})
	settings := loopback()
	settings.Rules = every(time.Hour)
	shared := open(t, settings)
	done := make(chan error, 1)
	go func() {
		_, _, err := get(t.Context(), shared.HTTP(visit.Visitor{}), s.URL+"/hold")
		done <- err
	}()
	other := "http://localhost:" + s.Listener.Addr().String()[len("127.0.0.1:"):]
	_, _, err := get(t.Context(), shared.HTTP(visit.Visitor{}), other) // ends although the other host is held
	require.NoError(t, err)
	close(hold)
	require.NoError(t, <-done)
}

func TestConnectionsBoundAHostWithoutRate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ connections, want int }{{0, DefaultConnections}, {1, 1}, {5, 5}} {
		var inFlight, most atomic.Int64
		full := make(chan struct{})
		s := serve(t, func(http.ResponseWriter, *http.Request) {
			for n := inFlight.Add(1); ; {
				if m := most.Load(); n <= m || most.CompareAndSwap(m, n) {
					break
				}
			}
			<-full // all places are taken before any is given back
			inFlight.Add(-1)
		})
		settings := loopback()
		settings.Rules = func(string) Rule { return Rule{Connections: c.connections} }
		shared := open(t, settings)
		var wg sync.WaitGroup
		for range 3 * c.want {
			wg.Go(func() {
				_, _, err := get(t.Context(), shared.HTTP(visit.Visitor{}), s.URL)
				require.NoError(t, err)
			})
		}
		require.Eventually(t, func() bool { return inFlight.Load() == int64(c.want) }, patience, time.Millisecond)
		close(full)
		wg.Wait()
		require.EqualValues(t, c.want, most.Load())
	}
}

func TestCancelWhileWaiting(t *testing.T) {
	t.Parallel()
	s := serve(t, func(http.ResponseWriter, *http.Request) {})
	settings := loopback()
	settings.Rules = every(time.Hour)
	c, b := client(t, settings)
	_, _, err := get(t.Context(), c, s.URL)
	require.NoError(t, err)

	ctx, cancel := context.WithCancelCause(t.Context())
	done := make(chan error, 1)
	go func() {
		_, _, err := get(ctx, c, s.URL)
		done <- err
	}()
	pacer := c.Transport.(*roundTripper).client.limiter.take("127.0.0.1")
	require.Eventually(t, func() bool {
		pacer.mu.Lock()
		defer pacer.mu.Unlock()
		return len(pacer.queue) == 1
	}, patience, time.Millisecond)
	cancel(io.ErrClosedPipe)
	err = <-done
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, err, io.ErrClosedPipe, "the cause is told too")
	require.Equal(t, harvest.KindInternal, harvest.KindOf(err))
	require.Len(t, b.all(), 1, "what never left is no exchange")
	require.Empty(t, pacer.queue)
}

func TestPausedHostRefuses(t *testing.T) {
	t.Parallel()
	settings := loopback()
	settings.Rules = func(string) Rule { return Rule{Paused: "marta: they rebuild"} }
	c, b := client(t, settings)
	e := fails(t, c, "http://127.0.0.1:1/?q=1", harvest.KindThrottled)
	require.Contains(t, e.Error(), "the host is paused: marta: they rebuild")
	require.NotContains(t, e.Error(), "q=1")
	require.Empty(t, b.all())
}

// A server that hangs up on a kept connection makes net/http ask again by
// itself; the gap holds there too.
func TestRepeatOfTheTransportKeepsTheGap(t *testing.T) {
	t.Parallel()
	const gap = 50 * time.Millisecond
	var mu sync.Mutex
	var at []time.Time
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		at = append(at, time.Now())
		n := len(at)
		mu.Unlock()
		if n != 2 {
			io.WriteString(w, "fine") // test server
			return
		}
		conn, _, err := w.(http.Hijacker).Hijack()
		require.NoError(t, err)
		require.NoError(t, conn.Close())
	})
	settings := loopback()
	settings.Rules = every(gap)
	c, b := client(t, settings)
	for range 2 {
		_, _, err := get(t.Context(), c, s.URL)
		require.NoError(t, err)
	}
	require.Len(t, at, 3)
	require.GreaterOrEqual(t, at[1].Sub(at[0]), gap)
	require.GreaterOrEqual(t, at[2].Sub(at[1]), gap)
	require.Len(t, b.all(), 2)
}
