package storetest

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

func attemptTests() map[string]func(*testing.T, Store) {
	return map[string]func(*testing.T, Store){
		"every attempt is on record":          triesKept,
		"a deferral is no attempt":            triesDeferred,
		"lines about a run, capped and apart": logKept,
	}
}

func triesKept(t *testing.T, s Store) {
	run := openRun(t, s, "1", keys(1)...)
	at := func(minute int) time.Time { return noon().Add(time.Duration(minute) * time.Minute) }
	got := claimAt(t, s, run, 10, 1, at(0))
	w := reopened(write(got.Items[0]), at(2))
	w.At, w.Settle.Attempts, w.Settle.Kind, w.Settle.Error = at(1), 1, harvest.KindServerError, "HTTP status 502"
	commit(t, s, got.Items[0], w)
	claimAt(t, s, run, 11, 1, at(3)) // its worker dies
	got = claimAt(t, s, run, 12, 1, at(5))
	require.Equal(t, 1, got.Items[0].Lost)
	w = write(got.Items[0])
	w.At, w.Settle = at(6), &rows.Settle{State: rows.ItemOpen}
	commit(t, s, got.Items[0], w)
	got = claimAt(t, s, run, 13, 1, at(7))
	tries, err := s.Tries(t.Context(), run)
	require.NoError(t, err)
	require.Equal(t, rows.TryGoingOn, tries[3].How)
	w = closed(page(got.Items[0], "x"), outcomes.Done)
	w.At = at(8)
	commit(t, s, got.Items[0], w)

	tries, err = s.Tries(t.Context(), run, got.Items[0].Ord)
	require.NoError(t, err)
	var told []string
	for _, one := range tries {
		told = append(told, fmt.Sprint(one.N, " ", one.How, " ", one.Error, " ", one.Began.Sub(noon()), " ", one.Ended.Sub(noon())))
		require.NotEmpty(t, one.Worker)
	}
	require.Equal(t, []string{
		"1 failed HTTP status 502 0s 1m0s", "2 worker lost  3m0s 5m0s", "3 handed back  5m0s 6m0s", "4 done  7m0s 8m0s",
	}, told)
}

func triesDeferred(t *testing.T, s Store) {
	run := openRun(t, s, "1", keys(1)...)
	got := claim(t, s, run, 10, 1)
	w := write(got.Items[0])
	w.Settle = &rows.Settle{State: rows.ItemOpen, NotBefore: noon().Add(time.Hour), Error: "the host rests"}
	commit(t, s, got.Items[0], w)
	tries, err := s.Tries(t.Context(), run)
	require.NoError(t, err)
	require.Empty(t, tries)
}

func logKept(t *testing.T, s Store) {
	line := func(run int64, level slog.Level, text string) rows.LogLine {
		return rows.LogLine{Run: run, At: noon(), Level: level, Item: "a", Worker: "w", Message: text, More: "x=1"}
	}
	require.NoError(t, s.KeepLog(t.Context(), []rows.LogLine{line(1, slog.LevelDebug, "one"), line(2, slog.LevelInfo, "other"), line(1, slog.LevelWarn, "two")}))
	got, n, err := s.RunLog(t.Context(), rows.LogFilter{Run: 1, Level: slog.LevelDebug})
	require.NoError(t, err)
	require.Equal(t, rows.LogCount{Came: 2, Kept: 2}, n)
	require.Equal(t, []string{"one", "two"}, []string{got[0].Message, got[1].Message})
	got[1].ID = 0
	require.Equal(t, line(1, slog.LevelWarn, "two"), got[1])

	for range 2 {
		many := make([]rows.LogLine, rows.MaxLogLines/2+10)
		for i := range many {
			many[i] = line(1, slog.LevelInfo, "many")
		}
		require.NoError(t, s.KeepLog(t.Context(), many))
	}
	require.NoError(t, s.KeepLog(t.Context(), []rows.LogLine{line(1, slog.LevelInfo, "late"), line(1, slog.LevelError, "grave")}))
	got, n, err = s.RunLog(t.Context(), rows.LogFilter{Run: 1, Level: slog.LevelDebug})
	require.NoError(t, err)
	require.Len(t, got, rows.MaxLogLines+2, "plain lines up to the cap, and what is grave")
	require.Equal(t, rows.LogCount{Came: rows.MaxLogLines + 24, Kept: rows.MaxLogLines + 2}, n)
	require.Equal(t, "grave", got[len(got)-1].Message)
	got, _, err = s.RunLog(t.Context(), rows.LogFilter{Run: 1, Level: slog.LevelWarn, Item: "a", After: got[0].ID, Last: 1})
	require.NoError(t, err)
	require.Len(t, got, 1)
	require.Equal(t, "grave", got[0].Message)
}
