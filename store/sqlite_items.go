package store

func (f *sqliteFile) items(t *tx, campaign string, names [][2]string) ([]knownItem, error) {
	return collect(t, scanKnownItem, `SELECT j.key, i.id, i.fetcher, i.label, i.host FROM json_each(?) j
		CROSS JOIN items i ON i.campaign = ? AND i.entry = j.value ->> 0 AND i.key = j.value ->> 1`, text(names), campaign)
}

func (f *sqliteFile) newItems(t *tx, list []newItem) ([]int64, error) {
	ids := make([]int64, len(list))
	for i, it := range list {
		var err error
		ids[i], err = t.insert(`INSERT INTO items (campaign, entry, key, fetcher, label, host, first_seen) VALUES (?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (campaign, entry, key) DO NOTHING`, it.campaign, it.entry, it.key, it.fetcher, it.label, it.host, it.seen)
		if err != nil {
			return nil, err
		}
	}
	return ids, nil
}

func (f *sqliteFile) addItems(t *tx, list []addedItem) (added int64, err error) {
	for _, it := range list {
		n, err := t.exec(`INSERT INTO run_items (run, ord, item, label, fetcher, host, policy, params, queue, place) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
			it.run, it.ord, it.item, it.label, it.fetcher, it.host, it.policy, it.params, it.queue, it.place)
		if err != nil {
			return 0, err
		}
		added += n
	}
	return added, nil
}

// ask and do run at once.
func (k *sqliteSink) ask(scan func(scanner) error, query string, args ...any) error {
	_, err := collect(k.t, func(s scanner) (none struct{}, err error) { return none, scan(s) }, query, args...)
	return err
}

func (k *sqliteSink) do(query string, args ...any) error {
	_, err := k.t.exec(query, args...)
	return err
}

func (k *sqliteSink) send() error { return nil }

func (k *sqliteSink) settle() error { return nil }

// lock: the file has one writer at a time.
func (k *sqliteSink) lock() string { return "" }

// take marks what a query selects, and hands it out.
func (k *sqliteSink) take(c *claiming, query string, args []any) error {
	args = append([]any{c.Epoch, c.Worker, c.Seat, micros(c.Now), micros(c.Now), c.Run}, args...)
	ords, err := collect(k.t, scanNumber, `UPDATE run_items SET state = 'claimed', epoch = ?, worker = ?, seat = ?, claimed_at = ?, started_at = CASE WHEN started_at = 0 THEN ? ELSE started_at END
		WHERE run = ? AND ord IN (`+query+`) RETURNING ord`, args...)
	if err != nil || len(ords) == 0 {
		return err
	}
	return k.ask(c.add, `SELECT `+claimedColumns+` FROM json_each(?) j CROSS JOIN run_items ri ON ri.run = ? AND ri.ord = j.value
		JOIN items i ON i.id = ri.item LEFT JOIN checkpoints c ON c.item = ri.item AND c.lane = ? ORDER BY ri.place, ri.ord`, text(ords), c.Run, c.run.lane)
}
