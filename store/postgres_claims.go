package store

// ask and do go with the next message; lock passes over what others take at the
// same moment.
func (k *pgSink) ask(scan func(scanner) error, query string, args ...any) error {
	k.w.out.ask(scan, numbered(query), plain(args)...)
	return nil
}

func (k *pgSink) do(query string, args ...any) error {
	k.w.out.do(numbered(query), plain(args)...)
	return nil
}

func (k *pgSink) send() error { return k.w.send() }

func (k *pgSink) lock() string { return ` FOR UPDATE SKIP LOCKED` }

// take marks what a query selects, and hands it out.
func (k *pgSink) take(c *claiming, query string, args []any) error {
	args = append(args, c.Epoch, c.Worker, c.Seat, micros(c.Now), micros(c.Now), c.Run, c.run.lane)
	return k.ask(c.add, `WITH picked AS MATERIALIZED (`+query+`),
		ri AS (UPDATE run_items r SET state = 'claimed', epoch = ?, worker = ?, seat = ?, claimed_at = ?, started_at = CASE WHEN r.started_at = 0 THEN ? ELSE r.started_at END
			FROM picked p WHERE r.run = ? AND r.ord = p.ord AND r.state = 'open' RETURNING r.*)
		SELECT `+claimedColumns+` FROM ri JOIN items i ON i.id = ri.item LEFT JOIN checkpoints c ON c.item = ri.item AND c.lane = ? ORDER BY ri.place, ri.ord`, args...)
}
