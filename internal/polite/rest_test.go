package polite

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/times"
)

// told keeps what Settings.Rest was told.
type told struct {
	mu    sync.Mutex
	host  []string
	until []time.Time
	why   []string
	deaf  error // what telling fails with
	ended bool  // a person ended all rests
}

func (r *told) rest(ctx context.Context, host string, until time.Time, why string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ctx.Err() == nil {
		r.host, r.until, r.why = append(r.host, host), append(r.until, until), append(r.why, why)
	}
	return r.deaf
}

// rule is what all processes see of what was told.
func (r *told) rule(string) Rule {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.until) == 0 || r.ended || r.deaf != nil {
		return Rule{}
	}
	return Rule{RestUntil: r.until[len(r.until)-1], RestWhy: r.why[len(r.why)-1]}
}

func (r *told) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
}

// A rest that was told to all ends for all when a person ends it; one that could
// not be told is kept here.
func TestRestEndsWhenAPersonEndsIt(t *testing.T) {
	t.Parallel()
	for _, deaf := range []error{nil, errors.New("the store is away")} {
		var asked atomic.Int64
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			if asked.Add(1) == 1 {
				w.Header().Set("Retry-After", "7200")
				w.WriteHeader(http.StatusTooManyRequests)
			}
		})
		heard := told{deaf: deaf}
		settings := loopback()
		settings.Rest, settings.Rules = heard.rest, heard.rule
		client, _ := client(t, settings)
		_, _, err := get(t.Context(), client, s.URL)
		require.NoError(t, err)
		fails(t, client, s.URL, harvest.KindThrottled)
		heard.end()
		_, _, err = get(t.Context(), client, s.URL)
		require.Equal(t, deaf == nil, err == nil, "%v", err)
	}
}

func TestRetryAfterRestsTheHost(t *testing.T) {
	t.Parallel()
	in := func(d time.Duration) string { return time.Now().Add(d).UTC().Format(http.TimeFormat) }
	for _, c := range []struct {
		name, header string
		status       int
		rest         time.Duration // 0: none
	}{
		{"seconds", "7200", 429, 2 * time.Hour},
		{"503", "3600", 503, time.Hour},
		{"date", in(2 * time.Hour), 503, 2 * time.Hour},
		{"capped", "999999999", 429, 24 * time.Hour},
		{"date years ahead", in(24 * 365 * time.Hour), 429, 24 * time.Hour},
		{"past date", in(-time.Hour), 429, 0},
		{"absent", "", 429, 0},
		{"nonsense", "soon", 503, 0},
		{"negative", "-5", 429, 0},
		{"another status", "120", 500, 0},
		{"no error", "120", 200, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int64
			s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				asked.Add(1)
				if c.header != "" {
					w.Header().Set("Retry-After", c.header)
				}
				w.WriteHeader(c.status)
			})
			var heard told
			settings := loopback()
			settings.Rest, settings.Rules = heard.rest, heard.rule
			client, b := client(t, settings)
			resp, _, err := get(t.Context(), client, s.URL)
			require.NoError(t, err)
			line := b.one(t)
			if c.rest == 0 {
				require.Zero(t, line.RetryAfter)
				require.Empty(t, heard.host)
				_, _, err = get(t.Context(), client, s.URL)
				require.NoError(t, err)
				return
			}
			seen := times.ParseRetryAfter(resp.Header.Get("Retry-After"), time.Now())
			require.LessOrEqual(t, seen, maxRest)
			require.InDelta(t, c.rest, line.RetryAfter, float64(time.Minute))
			require.Equal(t, []string{"127.0.0.1"}, heard.host)
			require.WithinDuration(t, time.Now().Add(c.rest), heard.until[0], time.Minute)
			require.Contains(t, heard.why[0], "it answered")

			e := fails(t, client, s.URL, harvest.KindThrottled)
			require.InDelta(t, c.rest, e.RetryAfter, float64(time.Minute))
			require.Contains(t, e.Error(), "the host rests until")
			require.EqualValues(t, 1, asked.Load(), "the resting host was not asked again")
			require.Len(t, b.all(), 1)
		})
	}
}

func TestShortRestIsWaitedFor(t *testing.T) {
	t.Parallel()
	var first atomic.Bool
	var asked, again time.Time
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		if first.CompareAndSwap(false, true) {
			asked = time.Now()
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		again = time.Now()
	})
	c, b := client(t, loopback())
	for range 2 {
		_, _, err := get(t.Context(), c, s.URL)
		require.NoError(t, err)
	}
	require.GreaterOrEqual(t, again.Sub(asked), time.Second)
	require.Positive(t, b.all()[1].Waited)
}

func TestRestOfTheRuleRefuses(t *testing.T) {
	t.Parallel()
	settings := loopback()
	settings.Rules = func(string) Rule {
		return Rule{RestUntil: time.Now().Add(3 * time.Hour), RestWhy: "another worker was told"}
	}
	c, _ := client(t, settings)
	e := fails(t, c, "http://127.0.0.1:1/", harvest.KindThrottled)
	require.InDelta(t, 3*time.Hour, e.RetryAfter, float64(time.Minute))
	require.Contains(t, e.Error(), "another worker was told")
	require.Equal(t, "127.0.0.1", e.Resting, "it refuses whoever asks")
}
