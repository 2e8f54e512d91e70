package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

const runColumns = `id, run_id, workflow_id, campaign, lane, version, state, outcome, why, trigger_by, started_by, retry_of, overrides,
	processors, due_at, started_at, closed_at, deadline, stop, paused, items, tally, summary, epoch`

func scanRun(s scanner) (rows.Run, error) {
	var r rows.Run
	var overrides, tally, summary string
	var due, started, closed, deadline int64
	err := s.Scan(&r.ID, &r.RunID, &r.WorkflowID, &r.Campaign, &r.Lane, &r.Version, &r.State, &r.Outcome, &r.Why, &r.Trigger, &r.By, &r.RetryOf, &overrides,
		&r.Processors, &due, &started, &closed, &deadline, &r.Stop, &r.Paused, &r.Items, &tally, &summary, &r.Epoch)
	if err != nil {
		return r, err
	}
	r.Overrides, r.Summary = raw(overrides), raw(summary)
	r.DueAt, r.StartedAt, r.ClosedAt, r.Deadline = moment(due), moment(started), moment(closed), moment(deadline)
	if tally != "" {
		err = json.Unmarshal([]byte(tally), &r.Tally)
	}
	return r, err
}

// RunByID returns a run by the store's number, or rows.ErrNotFound. The tally of
// a run that is going on is left empty: every step of a run asks, and summing up
// its items each time would cost more than the work; Totals tells it.
func (s *Store) RunByID(ctx context.Context, id int64) (rows.Run, error) {
	r, found, err := first(s.reader(ctx), scanRun, `SELECT `+runColumns+` FROM runs WHERE id = ? AND cleaned = 0`, id)
	if err == nil && !found {
		return r, notFound("run %d", id)
	}
	return r, fault("read run", strconv.FormatInt(id, 10), err)
}

// RunByRunID returns a run by the id of its first execution, or
// rows.ErrNotFound.
func (s *Store) RunByRunID(ctx context.Context, runID string) (rows.Run, error) {
	return s.oneRun(ctx, runID, `run_id = ? AND cleaned = 0`, runID)
}

func (s *Store) oneRun(ctx context.Context, ref, where string, args ...any) (rows.Run, error) {
	q := s.reader(ctx)
	r, found, err := first(q, scanRun, `SELECT `+runColumns+` FROM runs WHERE `+where, args...)
	if err == nil && !found {
		return r, notFound("run %s", ref)
	}
	if err == nil {
		r, err = withTally(q, r)
	}
	return r, fault("read run", ref, err)
}

// withTally sums up the items of a run that is still going on; a closed run has
// its sum stored.
func withTally(q querier, r rows.Run) (rows.Run, error) {
	if r.State == rows.RunClosed || r.State == rows.RunWaiting {
		return r, nil
	}
	counts, err := totals(q, r.ID)
	r.Tally = tallyOf(counts)
	return r, err
}

// FindRun returns the run a person means: a workflow id, "news" (the last run),
// "news~1" (the one before) or "news@2026-05-03" (the last of that UTC day).
// Due times at which nothing ran count only when there is nothing else.
func (s *Store) FindRun(ctx context.Context, ref string) (rows.Run, error) {
	if r, err := s.oneRun(ctx, ref, `workflow_id = ? AND cleaned = 0 ORDER BY id DESC LIMIT 1`, ref); err == nil || !isNotFound(err) {
		return r, err
	}
	campaign, back, from, until, err := parseRef(ref)
	if err != nil {
		return rows.Run{}, err
	}
	const where = `campaign = ? AND cleaned = 0 AND recorded <= ? AND started_at >= ? AND started_at < ? ORDER BY started_at DESC, id DESC LIMIT 1 OFFSET ?`
	r, err := s.oneRun(ctx, ref, where, campaign, 0, from, until, back)
	if !isNotFound(err) {
		return r, err
	}
	if _, last := s.oneRun(ctx, ref, where, campaign, 0, from, until, 0); !isNotFound(last) {
		return r, cmp.Or(last, err) // there are runs, but not so many
	}
	return s.oneRun(ctx, ref, where, campaign, 1, from, until, back)
}

// parseRef splits "news~1" and "news@2026-05-03".
func parseRef(ref string) (campaign string, back int, from, until int64, err error) {
	until = 1 << 62
	if name, n, ok := strings.Cut(ref, "~"); ok {
		if back, err = strconv.Atoi(n); err != nil || back < 0 {
			return "", 0, 0, 0, badRef(ref)
		}
		return name, back, 0, until, nil
	}
	if name, day, ok := strings.Cut(ref, "@"); ok {
		at, err := time.Parse(time.DateOnly, day)
		if err != nil {
			return "", 0, 0, 0, badRef(ref)
		}
		return name, 0, micros(at), micros(at.AddDate(0, 0, 1)), nil
	}
	return ref, 0, 0, until, nil
}

func badRef(ref string) error {
	return refuse("find run", ref, "write news, news~1, news@2026-05-03 or a workflow id", "this names no run")
}

// runOrder is how a list of runs is sorted; of equals the newest is first.
func runOrder(f rows.RunFilter) (string, error) {
	columns := map[rows.RunSort]string{
		"": "started_at", rows.SortStarted: "started_at", rows.SortItems: "items",
		rows.SortTook:     "CASE WHEN closed_at > 0 THEN closed_at - started_at ELSE 0 END",
		rows.SortAttempts: "(SELECT coalesce(max(ri.attempts + ri.throttles + ri.lost), 0) FROM run_items ri WHERE ri.run = runs.id)",
	}
	column, ok := columns[f.Sort]
	if !ok {
		return "", refuse("list runs", "by "+string(f.Sort), "sort by started, took, items or attempts", "there is no such order")
	}
	way := " DESC"
	if f.Reverse {
		way = " ASC"
	}
	return " ORDER BY " + column + way + ", id" + way + " LIMIT ? OFFSET ?", nil
}

// Runs lists runs, the newest first where the filter has no other order.
func (s *Store) Runs(ctx context.Context, f rows.RunFilter) ([]rows.Run, error) {
	w := where{}
	w.add("cleaned = 0")
	w.text("campaign", f.Campaign)
	w.in("outcome", words(f.Outcomes))
	w.in("state", words(f.States))
	w.since("started_at", f.Since)
	w.before("started_at", f.Until)
	w.oneOf("campaign", f.Campaigns)
	w.in("trigger_by", words(f.Triggers))
	w.holds(f.Why, "why")
	w.holds(f.Text, "workflow_id", "why", "summary")
	if f.Attempts > 0 {
		w.add("EXISTS (SELECT 1 FROM run_items ri WHERE ri.run = runs.id AND ri.attempts + ri.throttles + ri.lost >= ?)", f.Attempts)
	}
	order, err := runOrder(f)
	if err != nil {
		return nil, err
	}
	list, err := s.listRuns(ctx, w.sql()+order, append(w.args, limited(f.Limit), f.Skip)...)
	return list, fault("list runs", f.Campaign, err)
}

// OpenRuns lists all runs that are not closed, the oldest first.
func (s *Store) OpenRuns(ctx context.Context) ([]rows.Run, error) {
	list, err := s.listRuns(ctx, ` WHERE state <> 'closed' ORDER BY id`)
	return list, fault("list open runs", "", err)
}

// Unfinished lists the runs that OpenRuns does, without what their items have come
// to: summing that up reads all of them.
func (s *Store) Unfinished(ctx context.Context) ([]rows.Run, error) {
	list, err := collect(s.reader(ctx), scanRun, `SELECT `+runColumns+` FROM runs WHERE state <> 'closed' ORDER BY id`)
	return list, fault("list open runs", "", err)
}

func (s *Store) listRuns(ctx context.Context, tail string, args ...any) ([]rows.Run, error) {
	q := s.reader(ctx)
	list, err := collect(q, scanRun, `SELECT `+runColumns+` FROM runs`+tail, args...)
	if err != nil {
		return nil, err
	}
	for i := range list {
		if list[i], err = withTally(q, list[i]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// RecordRun keeps a closed run that did no work: skipped, or missed. The same
// run id twice is kept once.
func (s *Store) RecordRun(ctx context.Context, r rows.Run, outbox ...rows.Message) error {
	r.State = rows.RunClosed
	if r.StartedAt.IsZero() {
		r.StartedAt = r.DueAt
	}
	if r.ClosedAt.IsZero() {
		r.ClosedAt = r.StartedAt
	}
	return s.writeLocked(ctx, lockGate(r.Campaign, r.Lane), "record run", r.WorkflowID, func(t *tx) error {
		known, err := number(t, `SELECT id FROM runs WHERE run_id = ?`, r.RunID)
		if err != nil || known != 0 {
			return err
		}
		id, err := insertRun(t, r, false)
		if err != nil {
			return err
		}
		_, err = t.exec(`UPDATE runs SET recorded = 1, outcome = ?, why = ?, closed_at = ?, items = ?, tally = ?, summary = ? WHERE id = ?`,
			string(r.Outcome), r.Why, micros(r.ClosedAt), r.Items, text(r.Tally), string(r.Summary), id)
		if err != nil {
			return err
		}
		return post(t, id, r.ClosedAt, outbox)
	})
}

// StopRun tells a run to stop at its next page. A closed run is left alone.
func (s *Store) StopRun(ctx context.Context, run int64, why string) error {
	if why == "" {
		why = "stopped"
	}
	return s.markRun(ctx, "stop run", run, `UPDATE runs SET stop = ? WHERE id = ? AND state <> 'closed'`, why)
}

// PauseRun keeps why a run hands out nothing; "" resumes it.
func (s *Store) PauseRun(ctx context.Context, run int64, why string) error {
	return s.markRun(ctx, "pause run", run, `UPDATE runs SET paused = ? WHERE id = ? AND state <> 'closed'`, why)
}

func (s *Store) markRun(ctx context.Context, op string, run int64, update, why string) error {
	return s.write(ctx, op, fmt.Sprint(run), func(t *tx) error {
		if n, err := t.exec(update, why, run); err != nil || n > 0 {
			return err
		}
		return runExists(t, run)
	})
}

func runExists(q querier, run int64) error {
	n, err := number(q, `SELECT count(*) FROM runs WHERE id = ?`, run)
	if err == nil && n == 0 {
		return notFound("run %d", run)
	}
	return err
}

// lockOpenItems makes pages of a run wait, and waits for those that are being
// committed.
func (s *Store) lockOpenItems(t *tx, run int64) error {
	_, err := collect(t, scanNumber, s.engine.locked(`SELECT ord FROM run_items WHERE run = ? AND state <> 'closed' ORDER BY ord`, "run_items"), run)
	return err
}

// FinishRun closes a run and puts its messages into the outbox, in one
// transaction. The first finish wins; later ones change and send nothing.
func (s *Store) FinishRun(ctx context.Context, f rows.Finish) error {
	if f.At.IsZero() {
		f.At = time.Now()
	}
	return s.write(ctx, "finish run", fmt.Sprint(f.Run), func(t *tx) error {
		if err := s.lockOpenItems(t, f.Run); err != nil {
			return err
		}
		counts, err := totals(t, f.Run)
		if err != nil {
			return err
		}
		n, err := t.exec(`UPDATE runs SET state = 'closed', outcome = ?, why = ?, summary = ?, closed_at = ?, tally = ?, totals = ?,
			items = (SELECT count(*) FROM run_items WHERE run = runs.id) WHERE id = ? AND state <> 'closed'`,
			string(f.Outcome), f.Why, string(f.Summary), micros(f.At), text(tallyOf(counts)), text(counts), f.Run)
		if err != nil {
			return err
		}
		if n == 0 {
			return runExists(t, f.Run)
		}
		if _, err := t.exec(`DELETE FROM claims WHERE run = ?`, f.Run); err != nil {
			return err
		}
		if err := endAlerts(t, f.Over); err != nil {
			return err
		}
		return post(t, f.Run, f.At, f.Outbox)
	})
}
