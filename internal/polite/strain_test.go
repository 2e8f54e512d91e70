package polite

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/internal/visit"
)

func TestMannerOf(t *testing.T) {
	t.Parallel()
	for m, statuses := range map[manner][]int{
		mannerGood: {200, 204, 206, 301, 304, 308, 404, 410}, mannerBusy: {429},
		mannerError: {500, 502, 503, 504, 599}, mannerOther: {400, 401, 403, 418},
	} {
		for _, status := range statuses {
			require.Equal(t, m, mannerOf(status, 0), status)
		}
	}
	for _, status := range []int{429, 503} {
		require.Equal(t, mannerOther, mannerOf(status, time.Hour), "Retry-After is a wish of its own")
	}
}

// Letters are answers: g good, e server error, b busy, o other. The gap is that
// after the last one.
func TestStrain(t *testing.T) {
	t.Parallel()
	manners := map[rune]manner{'g': mannerGood, 'e': mannerError, 'b': mannerBusy, 'o': mannerOther}
	ten := strings.Repeat("g", 10)
	for _, c := range []struct {
		name, answers string
		own, slow     time.Duration // slow: before the first
		want          time.Duration
	}{
		{"the first single error is an accident", "e", 0, 0, 0},
		{"two in a row are not", "ee", 0, 0, 2 * time.Second},
		{"two within ten answers", "e" + ten[:8] + "e", 0, 0, 2 * time.Second},
		{"the second one comes too late", "e" + ten[:9] + "e", 0, 0, 0},
		{"429 counts at once", "b", 0, 0, 2 * time.Second},
		{"a 429 and an error", "eb", 0, 0, 2 * time.Second},
		{"an error while slow is an accident too", "e", 0, 4 * time.Second, 4 * time.Second},
		{"it doubles", "bbb", 0, 0, 8 * time.Second},
		{"its own gap doubles", "b", 3 * time.Second, 0, 6 * time.Second},
		{"the longer of both doubles", "b", 3 * time.Second, 8 * time.Second, 16 * time.Second},
		{"a short gap counts as a second", "b", time.Millisecond, 0, 2 * time.Second},
		{"at most a minute", "bbbbbbbbbb", 0, 0, time.Minute},
		{"at most a minute, in one step", "b", 40 * time.Second, 0, time.Minute},
		{"an own gap of more is enough", "bb", 2 * time.Minute, 0, 0},
		{"nine good ones do nothing", ten[:9], 0, 8 * time.Second, 8 * time.Second},
		{"ten halve", ten, 0, 8 * time.Second, 4 * time.Second},
		{"nineteen halve once", ten + ten[:9], 0, 8 * time.Second, 4 * time.Second},
		{"twenty twice", ten + ten, 0, 8 * time.Second, 2 * time.Second},
		{"a bad one begins the row anew", ten[:9] + "e" + ten[:9], 0, 8 * time.Second, 8 * time.Second},
		{"others neither count nor break", ten[:5] + "ooo" + ten[:5], 0, 8 * time.Second, 4 * time.Second},
		{"half a second is not gone", ten, 0, time.Second, time.Second / 2},
		{"less is", ten, 0, time.Second / 2, 0},
		{"below half of its own gap", ten, 10 * time.Second, 9 * time.Second, 0},
		{"good answers of a host that is well", ten + ten, 0, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, slow := strain{seen: c.slow}, c.slow
			for _, letter := range c.answers {
				slow = s.answered(manners[letter], time.Now(), slow, c.own)
			}
			require.Equal(t, c.want, slow)
		})
	}
}

// Requests that were on their way when the gap was raised do not raise it again.
func TestStrainOfABurstCountsOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s strain
		left := time.Now()
		time.Sleep(time.Second)
		slow := s.answered(mannerBusy, left, 0, 0)
		require.Equal(t, 2*time.Second, slow)
		for range 5 {
			time.Sleep(time.Second)
			slow = s.answered(mannerBusy, left, slow, 0)
		}
		require.Equal(t, 2*time.Second, slow)
		require.Equal(t, 4*time.Second, s.answered(mannerBusy, time.Now(), slow, 0))
	})
}

// What another worker saw ends this one's row of good answers.
func TestStrainElsewhereEndsTheRow(t *testing.T) {
	t.Parallel()
	s := strain{seen: 2 * time.Second}
	for range 9 {
		require.Equal(t, 2*time.Second, s.answered(mannerGood, time.Now(), 2*time.Second, 0))
	}
	for range 9 {
		require.Equal(t, 4*time.Second, s.answered(mannerGood, time.Now(), 4*time.Second, 0))
	}
	require.Equal(t, 2*time.Second, s.answered(mannerGood, time.Now(), 4*time.Second, 0))
}

// paces is what all workers know of hosts.
type paces struct {
	mu   sync.Mutex
	slow time.Duration
	told []time.Duration
	why  []string
	deaf error
}

func (p *paces) notify(ctx context.Context, _ string, gap time.Duration, why string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	p.told, p.why = append(p.told, gap), append(p.why, why)
	if p.deaf == nil {
		p.slow = gap
	}
	return p.deaf
}

func (p *paces) rule(string) Rule {
	p.mu.Lock()
	defer p.mu.Unlock()
	return Rule{Slow: p.slow}
}

// pipes is a network of one server, within the bubble of a synctest.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}
func (p *pipes) Close() error   { close(p.done); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	p.conns <- theirs
	return ours, nil
}

// troubled answers 200 but for a stretch of 503, and keeps when it was asked.
type troubled struct {
	from, to int // of the stretch
	asked    []time.Time
}

func (s *troubled) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	n := len(s.asked)
	s.asked = append(s.asked, time.Now())
	if n >= s.from && n < s.to {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	io.WriteString(w, "end") // test server
}

// gaps are the different ones that the server saw, one after the other.
func (s *troubled) gaps() []time.Duration {
	var out []time.Duration
	for i := 1; i < len(s.asked); i++ {
		out = append(out, s.asked[i].Sub(s.asked[i-1]))
	}
	return slices.Compact(out)
}

// visitTroubled asks a server in trouble so many times, by several workers in turn.
func visitTroubled(t *testing.T, s *troubled, p *paces, workers, times int) {
	t.Helper()
	wire := &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
	server := &http.Server{Handler: s, ReadHeaderTimeout: time.Hour}
	go server.Serve(wire) // ends with the test
	var clients []*http.Client
	for range workers {
		settings := loopback()
		settings.Rules, settings.Slow = p.rule, p.notify
		c := build(settings, direct, nil)
		c.ways.all.DialContext = wire.dial
		t.Cleanup(c.Close)
		clients = append(clients, c.HTTP(visit.Visitor{}))
		defer c.Close()
	}
	for n := range times {
		_, _, err := get(t.Context(), clients[n%workers], "http://127.0.0.1/feed")
		require.NoError(t, err)
	}
	for _, c := range clients {
		c.CloseIdleConnections()
	}
	require.NoError(t, server.Close())
	synctest.Wait()
}

// A server that answers 503 for a while is asked more and more slowly, and then
// faster again, until its gap is its own: none.
func TestAHostInTroubleIsAskedMoreSlowly(t *testing.T) {
	t.Parallel()
	const s = time.Second
	up := []time.Duration{0, 2 * s, 4 * s, 8 * s, 4 * s, 2 * s, s, s / 2, 0}
	for name, deaf := range map[string]error{"told to all": nil, "kept here": errors.New("the store is away")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				host, p := &troubled{from: 3, to: 7}, &paces{deaf: deaf}
				visitTroubled(t, host, p, 1, 70)
				require.Equal(t, up, host.gaps())
				require.Equal(t, append(up[1:len(up)-1:len(up)-1], 0), p.told)
				require.Equal(t, "it answered 503", p.why[0])
				require.Equal(t, "it answered 200", p.why[3])
			})
		})
	}
}

// What one worker learns, all keep.
func TestAHostInTroubleIsSlowForAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		host, p := &troubled{from: 0, to: 6}, &paces{}
		visitTroubled(t, host, p, 2, 12)
		require.Equal(t, 16*time.Second, slices.Max(p.told))
		require.Equal(t, 16*time.Second, p.slow)
	})
}
