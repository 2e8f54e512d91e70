package store

import (
	"context"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/units"
)

// Past lists how an item ended in the runs that are still kept, the newest
// first.
func (s *Store) Past(ctx context.Context, item units.Item, limit int) ([]rows.PastRun, error) {
	list, err := collect(s.reader(ctx), func(sc scanner) (p rows.PastRun, err error) {
		p.RunItem, err = scanRunItem(sc, &p.Workflow)
		return p, err
	}, `SELECT `+runItemColumns+`, r.workflow_id FROM items i JOIN runs r ON r.campaign = i.campaign JOIN run_items ri ON ri.run = r.id AND ri.item = i.id
		WHERE i.campaign = ? AND i.entry = ? AND i.key = ? AND ri.state = 'closed' ORDER BY r.started_at DESC LIMIT ?`,
		item.Campaign, item.Entry, item.Key, limited(limit))
	return list, fault("list the runs of an item", item.String(), err)
}
