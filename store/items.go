package store

import (
	"context"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// Items lists items across runs by campaign, entry and key.
func (s *Store) Items(ctx context.Context, f rows.ItemsFilter) ([]rows.Item, error) {
	w := where{}
	w.text("i.campaign", f.Campaign)
	w.text("i.entry", f.Entry)
	w.text("i.key", f.Key)
	w.text("i.label", f.Label)
	if f.Unhealthy {
		w.add("i.severity > 0")
	}
	w.oneOf("i.campaign", f.Campaigns)
	w.in("i.outcome", words(f.Outcomes))
	w.holds(f.Text, "i.key", "i.label", "i.host", "i.why")
	list, err := collect(s.reader(ctx), scanItem, `SELECT i.campaign, i.entry, i.key, i.fetcher, i.label, i.host, i.outcome, i.kind, i.why, i.streak,
		coalesce(r.workflow_id, ''), i.last_at, i.last_good, i.last_new, i.last_listed, i.documents, i.first_seen, i.paused, `+passColumns+`
		FROM items i LEFT JOIN runs r ON r.id = i.last_run`+w.sql()+` ORDER BY i.campaign, i.entry, i.key LIMIT ?`, append(w.args, limited(f.Limit))...)
	return list, fault("list items", f.Campaign, err)
}

func scanItem(s scanner) (rows.Item, error) {
	var i rows.Item
	var at, good, fresh, seen int64
	var paused string
	p := &storedPass{}
	err := s.Scan(append([]any{
		&i.Campaign, &i.Entry, &i.Key, &i.Fetcher, &i.Label, &i.Host, &i.Outcome, &i.Kind, &i.Why, &i.Streak,
		&i.LastRun, &at, &good, &fresh, &i.LastListed, &i.Documents, &seen, &paused,
	}, p.into()...)...)
	if err != nil {
		return i, err
	}
	i.LastAt, i.LastGood, i.LastNew, i.FirstSeen = moment(at), moment(good), moment(fresh), moment(seen)
	i.Pass, i.Quarantined = p.pass(), p.quarantined
	i.Paused, err = readPause(paused)
	return i, err
}
