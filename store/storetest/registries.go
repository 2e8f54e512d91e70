package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

func registryTests() map[string]func(*testing.T, Store) {
	return map[string]func(*testing.T, Store){
		"added, changed, noted, removed": registryRow,
		"jobs are kept as they are":      registryJobs,
		"one holder at a time":           registryHold,
	}
}

func sampleRegistry() rows.Registry {
	return rows.Registry{
		Name: "house", URL: "https://registry.example.org/v1", Format: "json", Every: 30 * time.Second,
		Header: "Authorization: Bearer ${secret:env:TOKEN}", AddedAt: noon(), AddedBy: "marta", MaxRunning: 7,
	}
}

func registryRow(t *testing.T, s Store) {
	_, err := s.Registry(t.Context(), "house")
	require.ErrorIs(t, err, rows.ErrNotFound)
	require.ErrorIs(t, s.NoteRegistry(t.Context(), "house", rows.RegistryLooks{}), rows.ErrNotFound)
	want := sampleRegistry()
	require.NoError(t, s.PutRegistry(t.Context(), want))
	want.RegistryLooks = rows.RegistryLooks{ETag: `"7"`, AskedAt: noon(), ListedAt: noon(), Error: "down", Warning: "half is gone", Accepted: "x"}
	require.NoError(t, s.NoteRegistry(t.Context(), "house", want.RegistryLooks))
	want.Paused = &rows.Pause{By: "marta", At: noon()}
	require.NoError(t, s.PauseRegistry(t.Context(), "house", want.Paused))
	got, err := s.Registry(t.Context(), "house")
	require.NoError(t, err)
	require.Equal(t, want, got)

	want.Every = time.Minute
	require.NoError(t, s.PutRegistry(t.Context(), want))
	list, err := s.Registries(t.Context())
	require.NoError(t, err)
	require.Equal(t, []rows.Registry{want}, list, "what came of asking stays")
	require.NoError(t, s.SaveRegistryJobs(t.Context(), []rows.RegistryJob{sampleJob("1")}))
	stamp := func() string {
		jobs, err := s.RegistryJobs(t.Context(), "house")
		require.NoError(t, err)
		return jobs[0].Stamp
	}
	require.NoError(t, s.PutRegistry(t.Context(), want))
	require.Equal(t, "s", stamp())
	want.URL = "https://elsewhere.example.org"
	require.NoError(t, s.PutRegistry(t.Context(), want))
	require.Empty(t, stamp(), "another service's marks of a change mean nothing")
	got, err = s.Registry(t.Context(), "house")
	require.NoError(t, err)
	require.Empty(t, got.ETag, "another address has other validators")

	require.NoError(t, s.RemoveRegistry(t.Context(), "house"))
	require.ErrorIs(t, s.RemoveRegistry(t.Context(), "house"), rows.ErrNotFound)
	jobs, err := s.RegistryJobs(t.Context(), "house")
	require.NoError(t, err)
	require.Empty(t, jobs)
}

func sampleJob(id string) rows.RegistryJob {
	return rows.RegistryJob{
		Registry: "house", ID: id, Campaign: "reg-house-" + id, State: rows.JobActive, Spec: []byte(`{"id":"` + id + `"}`), Listed: "a", Applied: "b", Missing: 1,
		Problem: "p", Stamp: "s", Ran: "r", Stopped: "t", Again: "g", Reported: "d", ReportedAt: noon(), Sequence: 7, Refused: "HTTP status 503",
	}
}

func registryJobs(t *testing.T, s Store) {
	one, two := sampleJob("1"), sampleJob("2")
	require.NoError(t, s.SaveRegistryJobs(t.Context(), []rows.RegistryJob{two, one}))
	two.State, two.Applied = rows.JobClosing, "c"
	require.NoError(t, s.SaveRegistryJobs(t.Context(), []rows.RegistryJob{two}))
	list, err := s.RegistryJobs(t.Context(), "house")
	require.NoError(t, err)
	require.Equal(t, []rows.RegistryJob{one, two}, list)
}

func registryHold(t *testing.T, s Store) {
	require.NoError(t, s.PutRegistry(t.Context(), sampleRegistry()))
	hold := func(holder string, at, length time.Duration) bool {
		t.Helper()
		held, err := s.HoldRegistry(t.Context(), "house", holder, noon().Add(at), length)
		require.NoError(t, err)
		return held
	}
	require.True(t, hold("a", 0, time.Minute))
	require.False(t, hold("b", time.Second, time.Minute))
	require.True(t, hold("a", 30*time.Second, time.Minute), "its own again")
	require.False(t, hold("b", 80*time.Second, time.Minute))
	require.True(t, hold("b", 90*time.Second, time.Minute), "the time is over")
	require.True(t, hold("b", 91*time.Second, 0), "let go")
	require.True(t, hold("a", 92*time.Second, time.Minute))
}
