package survey

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/visit"
)

type prober func(context.Context, string) (harvest.Finding, error)

func (p prober) Probe(ctx context.Context, address string) (harvest.Finding, error) {
	return p(ctx, address)
}

func TestAskIsBounded(t *testing.T) {
	t.Parallel()
	var targets []Target
	for host := range 40 {
		for n := range 4 {
			targets = append(targets, Target{Address: fmt.Sprintf("%d/%d", host, n), Host: fmt.Sprint(host)})
		}
	}
	var mu sync.Mutex
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	full, once := make(chan struct{}), sync.Once{}
	flying, most, last := map[string]int{}, map[string]int{}, 0
	answers := Ask(ctx, targets, func(target Target, _ func(*http.Client) *http.Client, _ func(visit.Exchange)) harvest.Prober {
		return prober(func(ctx context.Context, address string) (harvest.Finding, error) {
			count := func(by int) {
				mu.Lock()
				defer mu.Unlock()
				for _, name := range []string{"all", target.Host} {
					flying[name] += by
					most[name] = max(most[name], flying[name])
				}
				if flying["all"] == Whole {
					once.Do(func() { close(full) })
				}
			}
			count(1)
			defer count(-1)
			select {
			case <-full: // as many as may are asked at once
			case <-ctx.Done():
				return harvest.Finding{}, ctx.Err()
			}
			if address == "7/2" {
				panic("no such thing")
			}
			return harvest.Finding{Title: address}, nil
		})
	}, func(n int) { last = n })
	require.Len(t, answers, 160)
	require.Equal(t, 160, last)
	require.Equal(t, Whole, most["all"])
	for i, a := range answers {
		require.LessOrEqual(t, most[targets[i].Host], PerHost)
		if targets[i].Address == "7/2" {
			require.ErrorContains(t, a.Err, "panicked")
			continue
		}
		require.Equal(t, targets[i].Address, a.Title)
	}
}

func TestAskEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	targets := make([]Target, 50)
	answers := Ask(ctx, targets, func(Target, func(*http.Client) *http.Client, func(visit.Exchange)) harvest.Prober {
		return prober(func(ctx context.Context, _ string) (harvest.Finding, error) {
			cancel()
			<-ctx.Done()
			return harvest.Finding{}, ctx.Err()
		})
	}, nil)
	for _, a := range answers {
		require.ErrorIs(t, a.Err, context.Canceled)
	}
}

func TestTLSIsSeen(t *testing.T) {
	t.Parallel()
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(secure.Close)
	ask := func(client *http.Client, address string) Answer {
		return Ask(t.Context(), []Target{{Address: address}}, func(_ Target, wrap func(*http.Client) *http.Client, record func(visit.Exchange)) harvest.Prober {
			return prober(func(ctx context.Context, address string) (harvest.Finding, error) {
				req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
				if err != nil {
					return harvest.Finding{}, err
				}
				resp, err := wrap(client).Do(req)
				if err != nil {
					return harvest.Finding{}, err
				}
				record(visit.Exchange{URL: address + "/robots.txt", Status: 200, Took: time.Hour})
				record(visit.Exchange{URL: address, Status: 200, Took: time.Second})
				record(visit.Exchange{URL: address, Status: 200, Took: time.Minute})
				return harvest.Finding{}, resp.Body.Close()
			})
		}, nil)[0]
	}
	require.Equal(t, Answer{TLS: "none", First: time.Second}, ask(plain.Client(), plain.URL))
	require.Equal(t, Answer{TLS: "1.3", First: time.Second}, ask(secure.Client(), secure.URL))
	refused := ask(&http.Client{Transport: http.DefaultTransport}, secure.URL)
	require.Equal(t, BadCertificate, refused.TLS)
	require.Error(t, refused.Err)
	require.Zero(t, refused.First)
}

func TestColumns(t *testing.T) {
	t.Parallel()
	answer := func(facts ...harvest.Fact) Answer { return Answer{Finding: harvest.Finding{Facts: facts}} }
	a := answer(harvest.Fact{Name: "sets", Value: "1"}, harvest.Fact{Name: "protocol", Value: "2.0"})
	b := answer(harvest.Fact{Name: "sets", Value: "2"}, harvest.Fact{Name: "protocol", Value: "2.0"}, harvest.Fact{Name: "formats", Value: "x"})
	differ, shared := Columns([]Answer{a, {Err: errors.New("down")}, {}, b})
	require.Equal(t, []string{"sets", "formats"}, differ)
	require.Equal(t, []harvest.Fact{{Name: "protocol", Value: "2.0"}}, shared)
	differ, shared = Columns([]Answer{a})
	require.Equal(t, []string{"sets", "protocol"}, differ)
	require.Empty(t, shared)
	a.Title, a.Facts = "Archive", append(a.Facts, harvest.Fact{Name: "name", Value: "Archive"})
	differ, _ = Columns([]Answer{a})
	require.NotContains(t, differ, "name")
	differ, shared = Columns(nil)
	require.Empty(t, differ)
	require.Empty(t, shared)
}
