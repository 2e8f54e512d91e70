package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

// AddItems adds items to a run that is opening. What is there already, by
// ordinal or by entry and key, is left as it is: the first writer wins, so
// that a second attempt changes nothing. Once the run is sealed, adding what it
// has is still right, and adding anything else an error.
func (s *Store) AddItems(ctx context.Context, run int64, items []rows.RunItem) error {
	for part := range slices.Chunk(items, addBatch) {
		err := s.write(ctx, "add items to run", fmt.Sprint(run), func(t *tx) error { return s.addPart(t, run, part) })
		if err != nil {
			return err
		}
	}
	return nil
}

// addBatch bounds how long adding items keeps other writers waiting.
const addBatch = 5000

func (s *Store) addPart(t *tx, run int64, items []rows.RunItem) error {
	r, err := s.lockRun(t, run)
	if err != nil {
		return err
	}
	ids, err := s.itemIDs(t, r.campaign, items)
	if err != nil {
		return err
	}
	list := make([]addedItem, len(items))
	for i, it := range items {
		list[i] = addedItem{run: run, ord: it.Ord, item: ids[i], label: it.Label, fetcher: it.Fetcher, host: it.Host, policy: string(it.Policy), params: string(it.Params), queue: it.Queue, place: it.Place}
	}
	added, err := s.engine.addItems(t, list)
	if err == nil && added > 0 && r.state != rows.RunOpening {
		err = fmt.Errorf("the run is %s; items are added only while it is opening", r.state)
	}
	return err
}

type knownItem struct {
	at                   int
	id                   int64
	fetcher, label, host string
}

func scanKnownItem(s scanner) (k knownItem, err error) {
	return k, s.Scan(&k.at, &k.id, &k.fetcher, &k.label, &k.host)
}

// itemIDs finds the numbers of items, makes rows for new ones, and keeps label,
// fetcher and host as they are said now.
func (s *Store) itemIDs(t *tx, campaign string, items []rows.RunItem) ([]int64, error) {
	names := make([][2]string, len(items))
	for i, it := range items {
		names[i] = [2]string{it.Entry, it.Key}
	}
	known, err := s.engine.items(t, campaign, names)
	if err != nil {
		return nil, err
	}
	ids := make([]int64, len(items))
	for _, k := range known {
		ids[k.at] = k.id
		it := items[k.at]
		if k.fetcher == it.Fetcher && k.label == it.Label && k.host == it.Host {
			continue
		}
		if _, err := t.exec(`UPDATE items SET fetcher = ?, label = ?, host = ? WHERE id = ?`, it.Fetcher, it.Label, it.Host, k.id); err != nil {
			return nil, err
		}
	}
	return ids, s.nameItems(t, campaign, items, ids)
}

// nameItems fills in the numbers that are still 0.
func (s *Store) nameItems(t *tx, campaign string, items []rows.RunItem, ids []int64) error {
	now := micros(time.Now())
	var unknown []newItem
	for i, it := range items {
		if ids[i] == 0 {
			unknown = append(unknown, newItem{campaign: campaign, entry: it.Entry, key: it.Key, fetcher: it.Fetcher, label: it.Label, host: it.Host, seen: now})
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	given, err := s.engine.newItems(t, unknown)
	if err != nil {
		return err
	}
	for i := range ids {
		if ids[i] == 0 {
			ids[i], given = given[0], given[1:]
		}
	}
	return nil
}

// SealRun ends the opening of a run and says how many items it has. Sealing a
// run that is open already only counts.
func (s *Store) SealRun(ctx context.Context, run int64, processors int, deadline time.Time) (items int, err error) {
	err = s.write(ctx, "seal run", fmt.Sprint(run), func(t *tx) error {
		if _, err := s.lockRun(t, run); err != nil {
			return err
		}
		n, err := number(t, `SELECT count(*) FROM run_items WHERE run = ?`, run)
		if err != nil {
			return err
		}
		items = int(n)
		_, err = t.exec(`UPDATE runs SET state = 'open', items = ?, processors = ?, deadline = ? WHERE id = ? AND state = 'opening'`, n, processors, micros(deadline), run)
		return err
	})
	return items, err
}

// EntryRanges returns the span of ordinals of each entry of a run, in order. An
// entry is the part of the ordinal above 32 bits.
func (s *Store) EntryRanges(ctx context.Context, run int64) ([]rows.EntryRange, error) {
	list, err := collect(s.reader(ctx), func(s scanner) (e rows.EntryRange, err error) { return e, s.Scan(&e.Entry, &e.Lo, &e.Hi, &e.Items) },
		`SELECT (SELECT i.entry FROM run_items ri JOIN items i ON i.id = ri.item WHERE ri.run = ? AND ri.ord = e.lo), e.lo, e.hi, e.n
		FROM (SELECT min(ord) AS lo, max(ord) AS hi, count(*) AS n FROM run_items WHERE run = ? GROUP BY ord >> 32) e ORDER BY e.lo`, run, run)
	return list, fault("list entries of run", fmt.Sprint(run), err)
}

// tallySums adds up the counters of items.
const tallySums = `CAST(sum(seq) AS BIGINT), CAST(sum(listed) AS BIGINT), CAST(sum(new) AS BIGINT), CAST(sum(changed) AS BIGINT), CAST(sum(same) AS BIGINT), CAST(sum(deleted) AS BIGINT), CAST(sum(quarantined) AS BIGINT), CAST(sum(asked) AS BIGINT), CAST(sum(bytes) AS BIGINT), coalesce(min(CASE WHEN seq > 0 THEN not_modified END), 0), max(partial)`

func tallyInto(t *harvest.Tally) []any {
	return []any{&t.Pages, &t.Listed, &t.New, &t.Changed, &t.Same, &t.Deleted, &t.Quarantined, &t.Asked, &t.Bytes, &t.NotModified, &t.Partial}
}

// Totals counts a run's items and what they brought by outcome, the best first;
// open items have the outcome "". It answers from the run's row once the items
// were cleaned away.
func (s *Store) Totals(ctx context.Context, run int64) ([]rows.OutcomeCount, error) {
	q := s.reader(ctx)
	stored, found, err := first(q, scanText, `SELECT totals FROM runs WHERE id = ? AND cleaned = 0`, run)
	if err == nil && !found {
		return nil, notFound("run %d", run)
	}
	var counts []rows.OutcomeCount
	if err == nil && stored != "" {
		err = json.Unmarshal([]byte(stored), &counts)
	} else if err == nil {
		counts, err = totals(q, run)
	}
	return counts, fault("count items of run", fmt.Sprint(run), err)
}

func totals(q querier, run int64) ([]rows.OutcomeCount, error) {
	counts, err := collect(q, func(s scanner) (c rows.OutcomeCount, err error) {
		return c, s.Scan(append([]any{&c.Outcome, &c.Items}, tallyInto(&c.Tally)...)...)
	}, `SELECT outcome, count(*), `+tallySums+` FROM run_items WHERE run = ? GROUP BY outcome`, run)
	order := outcomes.All()
	slices.SortFunc(counts, func(a, b rows.OutcomeCount) int {
		return slices.Index(order, a.Outcome) - slices.Index(order, b.Outcome)
	})
	return counts, err
}

// sumOf adds up tallies; where no page came, none said "not modified".
func sumOf(tallies ...harvest.Tally) (sum harvest.Tally) {
	for _, t := range tallies {
		sum = sum.Add(t)
	}
	sum.NotModified = sum.NotModified && sum.Pages > 0
	return sum
}

func tallyOf(counts []rows.OutcomeCount) harvest.Tally {
	tallies := make([]harvest.Tally, len(counts))
	for i, c := range counts {
		tallies[i] = c.Tally
	}
	return sumOf(tallies...)
}

const runItemColumns = `ri.run, ri.ord, i.entry, i.key, ri.label, ri.fetcher, ri.params, ri.host, ri.policy, ri.queue, ri.place, ri.state, ri.epoch, ri.worker, ri.not_before,
	ri.attempts, ri.throttles, ri.lost, ri.stuck, ri.seq, ri.done, ri.total, ri.outcome, ri.why, ri.kind, ri.error, ri.warnings, ri.started_at, ri.claimed_at, ri.closed_at,
	ri.seq, ri.listed, ri.new, ri.changed, ri.same, ri.deleted, ri.quarantined, ri.asked, ri.bytes, ri.not_modified = 1, ri.partial = 1`

// scanRunItem reads runItemColumns, and what follows them into more.
func scanRunItem(s scanner, more ...any) (rows.RunItem, error) {
	var r rows.RunItem
	var params, policy, warnings string
	var notBefore, started, claimed, closed int64
	into := append([]any{
		&r.Run, &r.Ord, &r.Entry, &r.Key, &r.Label, &r.Fetcher, &params, &r.Host, &policy, &r.Queue, &r.Place, &r.State, &r.Epoch, &r.Worker, &notBefore,
		&r.Attempts, &r.Throttles, &r.Lost, &r.Stuck, &r.Seq, &r.Done, &r.Total, &r.Outcome, &r.Why, &r.Kind, &r.Error, &warnings, &started, &claimed, &closed,
	}, tallyInto(&r.Tally)...)
	if err := s.Scan(append(into, more...)...); err != nil {
		return r, err
	}
	r.Params, r.Policy = raw(params), raw(policy)
	r.NotBefore, r.StartedAt, r.ClaimedAt, r.ClosedAt = moment(notBefore), moment(started), moment(claimed), moment(closed)
	if warnings == "" {
		return r, nil
	}
	return r, json.Unmarshal([]byte(warnings), &r.Warnings)
}

// RunItems lists items of a run in dispatch order; with Worst, what needs a
// look first.
func (s *Store) RunItems(ctx context.Context, run int64, f rows.ItemFilter) ([]rows.RunItem, error) {
	w := where{}
	w.add("ri.run = ?", run)
	w.text("i.entry", f.Entry)
	w.in("i.key", words(f.Keys))
	w.in("ri.outcome", words(f.Outcomes))
	w.in("ri.state", words(f.States))
	if f.Passes {
		w.add("ri.why LIKE 'full pass %'")
	}
	order := " ORDER BY ri.ord LIMIT ?"
	if f.Worst {
		order = " ORDER BY " + worstFirst() + ", ri.ord LIMIT ?"
	}
	list, err := collect(s.reader(ctx), func(sc scanner) (rows.RunItem, error) { return scanRunItem(sc) },
		`SELECT `+runItemColumns+` FROM run_items ri JOIN items i ON i.id = ri.item`+w.sql()+order, append(w.args, limited(f.Limit))...)
	return list, fault("list items of run", fmt.Sprint(run), err)
}

// worstFirst orders outcomes as outcomes.All does, the other way round.
func worstFirst() string {
	order := "CASE ri.outcome"
	for i, o := range outcomes.All() {
		order += fmt.Sprintf(" WHEN '%s' THEN %d", o, -i)
	}
	return order + " ELSE 1 END"
}

// liveRun is what writes need to know of a run.
type liveRun struct {
	campaign, lane, stop, paused string
	state                        rows.RunState
}

const selectLive = `SELECT campaign, lane, stop, paused, state FROM runs WHERE id = ?`

func runRow(q querier, run int64) (liveRun, error) { return liveRow(q, selectLive, run) }

// lockRun makes others wait who add items to a run, or seal it.
func (s *Store) lockRun(t *tx, run int64) (liveRun, error) {
	return liveRow(t, s.engine.locked(selectLive, "runs"), run)
}

func liveRow(q querier, query string, run int64) (liveRun, error) {
	r, found, err := first(q, func(s scanner) (r liveRun, err error) {
		return r, s.Scan(&r.campaign, &r.lane, &r.stop, &r.paused, &r.state)
	}, query, run)
	if err == nil && !found {
		return r, notFound("run %d", run)
	}
	return r, err
}
