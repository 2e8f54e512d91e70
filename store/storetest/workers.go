package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

func workerTests() map[string]func(*testing.T, Store) {
	return map[string]func(*testing.T, Store){
		"a worker reports, is gone when silent": workersReport,
		"a wish to drain is of one process":     workersDrain,
		"only its own process leaves":           workersLeave,
		"what each holds, and since when":       workersHold,
	}
}

func roster(t *testing.T, s Store) []rows.Worker {
	t.Helper()
	list, err := s.Workers(t.Context())
	require.NoError(t, err)
	return list
}

func someWorker(process string) rows.Worker {
	return rows.Worker{
		Identity: "w", Process: process, Host: "h", Version: "1", Queues: []string{"a", "b"}, State: rows.WorkerFull, Why: "memory",
		Slots: 20, MemoryLimit: 3, MemoryMax: 2, MemoryUsed: 1, Started: noon(),
	}
}

func workersReport(t *testing.T, s Store) {
	w := someWorker("1")
	require.NoError(t, s.ReportWorker(t.Context(), w, time.Hour))
	got := roster(t, s)
	require.Len(t, got, 1)
	require.WithinDuration(t, time.Now(), got[0].Seen, time.Minute)
	w.Seen = got[0].Seen
	require.Equal(t, w, got[0])
	require.NoError(t, s.ReportWorker(t.Context(), w, -time.Second))
	require.True(t, roster(t, s)[0].Gone)
	require.NoError(t, s.ForgetWorkers(t.Context()))
	require.Len(t, roster(t, s), 1, "for a day it is known that it is gone")
	require.NoError(t, s.ReportWorker(t.Context(), w, -25*time.Hour))
	require.NoError(t, s.ForgetWorkers(t.Context()))
	require.Empty(t, roster(t, s))
}

func workersDrain(t *testing.T, s Store) {
	w, p := someWorker("1"), &rows.Pause{By: "marta", At: noon(), Note: "new kernel"}
	require.ErrorIs(t, s.DrainWorker(t.Context(), "w", p), rows.ErrNotFound)
	require.NoError(t, s.ReportWorker(t.Context(), w, time.Hour))
	require.NoError(t, s.DrainWorker(t.Context(), "w", p))
	require.NoError(t, s.ReportWorker(t.Context(), w, time.Hour))
	got, err := s.Draining(t.Context(), w)
	require.NoError(t, err)
	require.Equal(t, p, got)
	require.NoError(t, s.DrainWorker(t.Context(), "w", nil))
	got, err = s.Draining(t.Context(), w)
	require.NoError(t, err)
	require.Nil(t, got)

	require.NoError(t, s.DrainWorker(t.Context(), "w", p))
	require.NoError(t, s.ReportWorker(t.Context(), someWorker("2"), time.Hour))
	require.Nil(t, roster(t, s)[0].Drain, "a new process takes work")
	require.NoError(t, s.ReportWorker(t.Context(), someWorker("2"), -time.Second))
	require.ErrorIs(t, s.DrainWorker(t.Context(), "w", p), rows.ErrNotFound, "it is gone")
}

func workersLeave(t *testing.T, s Store) {
	require.NoError(t, s.ReportWorker(t.Context(), someWorker("2"), time.Hour))
	require.NoError(t, s.LeaveWorker(t.Context(), someWorker("1")))
	require.Len(t, roster(t, s), 1)
	require.NoError(t, s.LeaveWorker(t.Context(), someWorker("2")))
	require.Empty(t, roster(t, s))
}

func workersHold(t *testing.T, s Store) {
	run := openRun(t, s, "1", keys(3)...)
	got := claimAt(t, s, run, 10, 2, noon().Add(time.Minute))
	held, err := s.HeldItems(t.Context())
	require.NoError(t, err)
	require.Len(t, held, 2)
	require.Equal(t, noon().Add(time.Minute), held[0].Since)
	require.Equal(t, got.Items[0].Key, held[0].Key)
	commit(t, s, got.Items[0], closed(page(got.Items[0], "x"), outcomes.Done))
	held, err = s.HeldItems(t.Context())
	require.NoError(t, err)
	require.Len(t, held, 1)
	items, err := s.RunItems(t.Context(), run, rows.ItemFilter{})
	require.NoError(t, err)
	require.Equal(t, held[0].Worker, items[0].Worker, "who did it stays on record")
}
