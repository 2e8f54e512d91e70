package store

import (
	"context"
	"time"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// Stats counts what waits now, and what became of the items that ended since a
// moment and are still kept.
func (s *Store) Stats(ctx context.Context, f rows.StatsFilter) (st rows.Stats, err error) {
	for _, part := range []func(context.Context, rows.StatsFilter, *rows.Stats) error{s.statsNow, s.statsEnded, s.statsSpreads, s.statsHosts} {
		if err := part(ctx, f, &st); err != nil {
			return st, fault("count statistics", f.Campaign, err)
		}
	}
	return st, nil
}

func statsWhere(f rows.StatsFilter) where {
	w := where{}
	w.text("r.campaign", f.Campaign)
	w.oneOf("r.campaign", f.Campaigns)
	w.text("ri.queue", f.Queue)
	return w
}

func (s *Store) statsNow(ctx context.Context, f rows.StatsFilter, st *rows.Stats) error {
	w, now := statsWhere(f), micros(f.Now)
	w.add("r.state <> 'closed'")
	w.add("ri.state <> 'closed'")
	return scanOne(s.reader(ctx), []any{&st.Queued, &st.Postponed, &st.Running, &st.Stuck},
		`SELECT count(CASE WHEN ri.state = 'open' AND ri.not_before <= ? THEN 1 END), count(CASE WHEN ri.state = 'open' AND ri.not_before > ? THEN 1 END),
			count(CASE WHEN ri.state = 'claimed' THEN 1 END), count(CASE WHEN ri.stuck > 0 THEN 1 END)
		FROM runs r JOIN run_items ri ON ri.run = r.id`+w.sql(), append([]any{now, now}, w.args...)...)
}

// latency and execution are SQL, of an item that was begun.
const (
	latency   = `(ri.started_at - CASE WHEN r.due_at > 0 THEN r.due_at ELSE r.started_at END)`
	execution = `(ri.closed_at - ri.started_at)`
)

// endedWhere selects the items that ended since the moment.
func endedWhere(f rows.StatsFilter) where {
	w := statsWhere(f)
	w.add("r.cleaned = 0")
	w.add("ri.state = 'closed'")
	w.add("ri.started_at > 0")
	if !f.Since.IsZero() {
		w.add("(r.state <> 'closed' OR r.closed_at >= ?)", micros(f.Since))
		w.since("ri.closed_at", f.Since)
	}
	return w
}

func (s *Store) statsEnded(ctx context.Context, f rows.StatsFilter, st *rows.Stats) error {
	w := endedWhere(f)
	args := append([]any{f.Delayed.Microseconds(), f.Slow.Microseconds(), f.Many}, w.args...)
	return scanOne(s.reader(ctx), []any{&st.Ended, &st.Delayed, &st.Slow, &st.Many, &st.Requests, &st.Bytes, &st.Documents},
		`SELECT count(*), count(CASE WHEN `+latency+` >= ? THEN 1 END), count(CASE WHEN `+execution+` >= ? THEN 1 END),
			count(CASE WHEN ri.attempts + ri.throttles + ri.lost >= ? THEN 1 END), CAST(coalesce(sum(ri.asked), 0) AS BIGINT), CAST(coalesce(sum(ri.bytes), 0) AS BIGINT),
			CAST(coalesce(sum(ri.new + ri.changed + ri.deleted), 0) AS BIGINT)
		FROM runs r JOIN run_items ri ON ri.run = r.id`+w.sql(), args...)
}

func (s *Store) statsSpreads(ctx context.Context, f rows.StatsFilter, st *rows.Stats) error {
	for into, column := range map[*rows.Spread]string{&st.Latency: latency, &st.Execution: execution} {
		var average, median, p95 int64
		w := endedWhere(f)
		err := scanOne(s.reader(ctx), []any{&average, &median, &p95}, `SELECT CAST(coalesce(avg(took), 0) AS BIGINT),
				coalesce(max(CASE WHEN nth = (many + 1) / 2 THEN took END), 0), coalesce(max(CASE WHEN nth = (many * 95 + 99) / 100 THEN took END), 0)
			FROM (SELECT `+column+` AS took, row_number() OVER (ORDER BY `+column+`) AS nth, count(*) OVER () AS many
				FROM runs r JOIN run_items ri ON ri.run = r.id`+w.sql()+`) sorted`, w.args...)
		if err != nil {
			return err
		}
		into.Average, into.Median, into.P95 = span64(average), span64(median), span64(p95)
	}
	return nil
}

func span64(micros int64) time.Duration { return time.Duration(micros) * time.Microsecond }

// statsHosts sums up the exchanges of these campaigns since the moment.
func (s *Store) statsHosts(ctx context.Context, f rows.StatsFilter, st *rows.Stats) error {
	from, err := s.ledgerSince(ctx, rows.LedgerFilter{Since: f.Since})
	if err != nil {
		return err
	}
	w := where{}
	w.add("l.id > ?", from)
	w.since("l.at", f.Since)
	w.text("r.campaign", f.Campaign)
	w.oneOf("r.campaign", f.Campaigns)
	if f.Queue != "" {
		w.add("EXISTS (SELECT 1 FROM run_items ri WHERE ri.run = l.run AND ri.ord = l.ord AND ri.queue = ?)", f.Queue)
	}
	st.Hosts, err = collect(s.reader(ctx), func(sc scanner) (h rows.HostCost, err error) {
		var took, waited int64
		err = sc.Scan(&h.Host, &h.Requests, &h.Bytes, &took, &waited)
		h.Took, h.Waited = span64(took), span64(waited)
		return h, err
	}, `SELECT l.host, count(*), CAST(sum(l.bytes) AS BIGINT), CAST(sum(l.took) AS BIGINT), CAST(sum(l.waited) AS BIGINT)
		FROM ledger l LEFT JOIN runs r ON r.id = l.run`+w.sql()+` GROUP BY l.host ORDER BY 2 DESC, 1 LIMIT ?`, append(w.args, limited(f.Hosts))...)
	return err
}
