package store

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// The order in which tables are read decides whether a large store is usable;
// it must not be left to the planner's guess.
func TestPlans(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	plan := func(query string) string {
		lines, err := collect(s.reader(t.Context()), func(sc scanner) (text string, err error) {
			var id, parent, unused int
			return text, sc.Scan(&id, &parent, &unused, &text)
		}, "EXPLAIN QUERY PLAN "+query)
		require.NoError(t, err)
		return strings.Join(lines, "\n")
	}
	const newest = ` ORDER BY v.number DESC LIMIT 5`
	one := plan(`SELECT v.title` + byName + ` WHERE ` + current + ` AND v.collection = 'c' AND v.id = 'i' AND v.number < 9` + newest)
	require.True(t, strings.HasPrefix(one, "SEARCH d USING PRIMARY KEY (collection=? AND id=?)\nSEARCH v USING INTEGER PRIMARY KEY (rowid=?)"), one)
	for _, condition := range []string{"", " AND v.collection = 'c'", " AND v.item IN (SELECT id FROM items WHERE campaign = 'c')"} {
		many := plan(`SELECT v.title` + byNumber + ` WHERE ` + current + condition + ` AND v.number < 9` + newest)
		require.True(t, strings.HasPrefix(many, "SEARCH v USING INTEGER PRIMARY KEY (rowid<?)"), many)
		require.NotContains(t, many, "TEMP B-TREE", condition)
	}
	gone := plan(strings.NewReplacer("?", "1").Replace(selectDropped))
	require.NotContains(t, gone, "SCAN v", gone)
	require.Contains(t, gone, "SEARCH d USING PRIMARY KEY (collection=? AND id=?)")
	require.Contains(t, gone, "SEARCH l USING PRIMARY KEY (item=? AND collection=? AND id=?)", gone)
	listers := plan(strings.NewReplacer("?", "1").Replace(selectListers))
	require.Contains(t, listers, "SEARCH l USING COVERING INDEX listings_document (collection=? AND id=?)", listers)
	unlisted := plan(strings.NewReplacer("?", "1").Replace(selectUnlisted))
	require.Contains(t, unlisted, "SEARCH v USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)")
	require.NotContains(t, unlisted, "TEMP B-TREE")
	former := plan(strings.NewReplacer("?", "1").Replace(selectFormer))
	require.Contains(t, former, "SEARCH l USING PRIMARY KEY (item=? AND collection=? AND id>?)")
	require.NotContains(t, former, "TEMP B-TREE")
	shared := &claiming{Claim: rows.Claim{Shared: true, Max: 9}}
	due, _ := shared.due("")
	older, _ := shared.older()
	for _, query := range []string{due, reopen + older} {
		queue := plan(strings.ReplaceAll(query, "?", "1"))
		require.Contains(t, queue, "SEARCH run_items USING INDEX run_items_queue (run=? AND queue=? AND state=?", queue)
		require.NotContains(t, queue, "PRIMARY KEY", "a claim reads its queue, not the run")
		require.NotContains(t, queue, "TEMP B-TREE")
	}
	resting := plan(strings.ReplaceAll(deferHost(""), "?", "1"))
	require.Contains(t, resting, "INDEX run_items_host (run=? AND host=?", resting)
	for index, query := range map[string]string{
		"versions_replaced":  `SELECT v.number FROM versions v WHERE v.before > 0 AND (v.at, v.number) > (1, 1) AND v.at < 2 ORDER BY v.at, v.number LIMIT 3`,
		"ledger_raw_at":      `SELECT l.id FROM ledger l WHERE l.raw <> '' AND (l.at, l.id) > (1, 1) AND l.at < 2 ORDER BY l.at, l.id LIMIT 3`,
		"quarantine_settled": `SELECT q.id FROM quarantine q WHERE ` + isSettled + ` AND (q.at, q.id) > (1, 1) AND q.at < 2 ORDER BY q.at, q.id LIMIT 3`,
	} {
		retention := plan(query)
		require.Contains(t, retention, index)
		require.NotContains(t, retention, "TEMP B-TREE", index)
	}
}
