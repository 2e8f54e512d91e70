package store

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// maxLogText bounds a text of a line, in bytes.
const maxLogText = 4096

// KeepLog keeps lines about runs, up to the cap of each run; further ones are counted.
func (s *Store) KeepLog(ctx context.Context, lines []rows.LogLine) error {
	byRun := map[int64][]rows.LogLine{}
	for _, l := range lines {
		byRun[l.Run] = append(byRun[l.Run], l)
	}
	return s.write(ctx, "keep log", fmt.Sprintf("%d lines", len(lines)), func(t *tx) error {
		for _, run := range slices.Sorted(maps.Keys(byRun)) {
			if err := keepLog(t, run, byRun[run]); err != nil {
				return err
			}
		}
		return nil
	})
}

func keepLog(t *tx, run int64, lines []rows.LogLine) error {
	var came [2]int64 // plain, grave
	for _, l := range lines {
		came[kindOfLine(l)]++
	}
	_, err := t.exec(`INSERT INTO run_log_counts (run, plain, grave) VALUES (?, ?, ?) ON CONFLICT (run)
		DO UPDATE SET plain = run_log_counts.plain + excluded.plain, grave = run_log_counts.grave + excluded.grave`, run, came[0], came[1])
	if err != nil {
		return err
	}
	var sum [2]int64
	if err := scanOne(t, []any{&sum[0], &sum[1]}, `SELECT plain, grave FROM run_log_counts WHERE run = ?`, run); err != nil {
		return err
	}
	room := [2]int64{rows.MaxLogLines - sum[0] + came[0], rows.MaxLogLines - sum[1] + came[1]}
	for _, l := range lines {
		if k := kindOfLine(l); room[k] > 0 {
			room[k]--
			_, err := t.exec(`INSERT INTO run_logs (run, at, level, item, worker, message, more) VALUES (?, ?, ?, ?, ?, ?, ?)`,
				run, micros(l.At), int64(l.Level), clean(l.Item), l.Worker, cutLog(l.Message), cutLog(l.More))
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// kindOfLine is 1 for warnings and errors.
func kindOfLine(l rows.LogLine) int {
	if l.Level >= slog.LevelWarn {
		return 1
	}
	return 0
}

func cutLog(s string) string { return clean(s[:min(len(s), maxLogText)]) }

// RunLog lists lines about a run, and counts how many came and how many are kept.
func (s *Store) RunLog(ctx context.Context, f rows.LogFilter) (list []rows.LogLine, n rows.LogCount, err error) {
	w := where{}
	w.add("run = ?", f.Run)
	w.add("level >= ?", int64(f.Level))
	w.text("item", f.Item)
	if f.After > 0 {
		w.add("id > ?", f.After)
	}
	if !f.Since.IsZero() {
		w.add("at >= ?", micros(f.Since))
	}
	list, err = collect(s.reader(ctx), func(sc scanner) (l rows.LogLine, err error) {
		var at, level int64
		err = sc.Scan(&l.ID, &l.Run, &at, &level, &l.Item, &l.Worker, &l.Message, &l.More)
		l.At, l.Level = moment(at), slog.Level(level)
		return l, err
	}, `SELECT id, run, at, level, item, worker, message, more FROM run_logs`+w.sql()+` ORDER BY id DESC LIMIT ?`, append(w.args, limited(f.Last))...)
	if err != nil {
		return nil, n, fault("read log of run", fmt.Sprint(f.Run), err)
	}
	slices.Reverse(list)
	var plain, grave int
	_, _, err = first(s.reader(ctx), func(sc scanner) (none struct{}, err error) { return none, sc.Scan(&plain, &grave) }, `SELECT plain, grave FROM run_log_counts WHERE run = ?`, f.Run)
	n = rows.LogCount{Came: plain + grave, Kept: min(plain, rows.MaxLogLines) + min(grave, rows.MaxLogLines)}
	return list, n, fault("read log of run", fmt.Sprint(f.Run), err)
}
