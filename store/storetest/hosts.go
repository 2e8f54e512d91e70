package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

func defineHosts(t *testing.T, s Store) {
	say := func(project string, hosts ...rows.Host) error {
		_, err := s.Apply(t.Context(), rows.Application{Project: project, Hosts: hosts})
		return err
	}
	slow := rows.Host{Name: "www.example.org", Every: 1250 * time.Millisecond, Connections: 1, Robots: "obey", CA: "-----BEGIN CERTIFICATE-----", Source: "gu.yaml:3"}
	require.NoError(t, say("law", slow, rows.Host{Name: "*", Every: time.Second, Connections: 2, Source: "gu.yaml:2"}))
	require.NoError(t, say("weather", slow), "the same twice is no contradiction")
	fast := slow
	fast.Every, fast.Source = time.Millisecond, "weather.yaml:9"
	err := say("weather", fast)
	require.Equal(t, harvest.KindMisconfigured, harvest.KindOf(err))
	require.Contains(t, err.Error(), "gu.yaml:3")
	require.Contains(t, err.Error(), "weather.yaml:9")
	other := slow
	other.CA = ""
	require.Error(t, say("weather", other), "another authority is another truth")
	hosts, err := s.Hosts(t.Context())
	require.NoError(t, err)
	require.Len(t, hosts, 2)
	slow.Project = "law"
	require.Equal(t, slow, hosts[1])
	require.NoError(t, say("weather"))
	require.NoError(t, say("law", fast), "what the project said before is gone")
}

func defineRest(t *testing.T, s Store) {
	require.NoError(t, s.RestHost(t.Context(), "example.org", noon().Add(time.Hour), "429, Retry-After 1h"))
	require.NoError(t, s.RestHost(t.Context(), "example.org", noon(), "shorter"))
	pause := rows.Pause{By: "marta", At: noon()}
	require.NoError(t, s.PauseHost(t.Context(), "example.org", &pause))
	hosts, err := s.Hosts(t.Context())
	require.NoError(t, err)
	require.Equal(t, []rows.Host{{Name: "example.org", RestUntil: noon().Add(time.Hour), RestWhy: "429, Retry-After 1h", Paused: &pause}}, hosts)
	require.NoError(t, s.RestHost(t.Context(), "example.org", time.Time{}, ""))
	require.NoError(t, s.PauseHost(t.Context(), "example.org", nil))
	hosts, err = s.Hosts(t.Context())
	require.NoError(t, err)
	require.True(t, hosts[0].RestUntil.IsZero())
}

func defineSlow(t *testing.T, s Store) {
	host := func() rows.Host {
		hosts, err := s.Hosts(t.Context())
		require.NoError(t, err)
		require.Len(t, hosts, 1)
		return hosts[0]
	}
	slow := func(gap time.Duration, why string) rows.Host {
		require.NoError(t, s.SlowHost(t.Context(), "example.org", gap, why))
		return host()
	}
	require.NoError(t, s.RestHost(t.Context(), "example.org", noon(), "429, Retry-After 1h"))
	require.Zero(t, host().SlowSince)
	first := slow(2*time.Second, "it answered 503")
	require.WithinDuration(t, time.Now(), first.SlowSince, time.Minute)
	require.Equal(t, rows.Host{
		Name: "example.org", RestUntil: noon(), RestWhy: "429, Retry-After 1h", Slow: 2 * time.Second, SlowWhy: "it answered 503", SlowSince: first.SlowSince,
	}, first)
	more := slow(4*time.Second, "it answered 429")
	require.Equal(t, 4*time.Second, more.Slow)
	require.Equal(t, "it answered 429", more.SlowWhy)
	require.Equal(t, first.SlowSince, more.SlowSince, "it goes on since it began")
	require.Equal(t, rows.Host{Name: "example.org", RestUntil: noon(), RestWhy: "429, Retry-After 1h"}, slow(0, "it answered 200"))
	again := slow(time.Second/2, "it answered 503")
	require.Equal(t, time.Second/2, again.Slow)
	require.True(t, again.SlowSince.After(first.SlowSince), "it begins anew")
}

func defineDelay(t *testing.T, s Store) {
	delay := func(gap, keep time.Duration) time.Duration {
		require.NoError(t, s.DelayHost(t.Context(), "example.org", gap, keep))
		hosts, err := s.Hosts(t.Context())
		require.NoError(t, err)
		require.Len(t, hosts, 1)
		return hosts[0].Delay
	}
	require.NoError(t, s.RestHost(t.Context(), "example.org", noon(), "429, Retry-After 1h"))
	require.Equal(t, 2*time.Second, delay(2*time.Second, time.Hour))
	require.Equal(t, 2*time.Second, delay(time.Second, time.Hour), "the longer one stays while it holds")
	require.Equal(t, 3*time.Second, delay(3*time.Second, time.Hour))
	require.Zero(t, delay(4*time.Second, -time.Second), "it is over")
	require.Equal(t, time.Second, delay(time.Second, time.Hour), "what is over does not stay")
}

// A worker that has seen all reads what changed since, and all when a file spoke.
func defineHostChanges(t *testing.T, s Store) {
	last := int64(0)
	changed := func() (names []string) {
		c, err := s.HostsSince(t.Context(), last)
		require.NoError(t, err)
		last = c.Last
		if c.All {
			names = append(names, "all")
		}
		for _, h := range c.Hosts {
			names = append(names, h.Name)
		}
		return names
	}
	_, err := s.Apply(t.Context(), rows.Application{Project: "law", Hosts: []rows.Host{{Name: "a", Every: time.Second}, {Name: "b"}, {Name: "c"}}})
	require.NoError(t, err)
	require.Equal(t, []string{"all", "a", "b", "c"}, changed())
	require.Empty(t, changed())
	require.NoError(t, s.RestHost(t.Context(), "a", noon(), "429"))
	require.NoError(t, s.SlowHost(t.Context(), "d", time.Second, "503"))
	before := last
	require.Equal(t, []string{"a", "d"}, changed())
	require.NoError(t, s.PauseHost(t.Context(), "b", &rows.Pause{By: "marta"}))
	require.NoError(t, s.DelayHost(t.Context(), "c", time.Second, time.Hour))
	require.Equal(t, []string{"b", "c"}, changed())
	require.Empty(t, changed())
	c, err := s.HostsSince(t.Context(), before)
	require.NoError(t, err)
	require.Equal(t, time.Second, c.Hosts[0].Every, "with what the files say")
	_, err = s.Apply(t.Context(), rows.Application{Project: "law"})
	require.NoError(t, err)
	require.Equal(t, []string{"all", "a", "b", "c", "d"}, changed())
}
