package campaigns

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/diagnose"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/units"
)

func TestPassesInWords(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 3, 18, 0, 0, 0, time.UTC)
	c := print.Clock{Now: func() time.Time { return now }, Zone: time.UTC}
	begun, done := now.Add(-time.Hour), now.AddDate(0, 0, -10)
	for want, p := range map[string]rows.Pass{
		"":                                   {},
		"2 under way since " + c.Full(begun): {Number: 2, Begun: begun, DoneAt: done},
		"2 ended " + c.Full(done):            {Number: 2, DoneAt: done},
		"2 ended " + c.Full(done) + "; it deleted all that it did not list but 3 that sets / math lists": {
			Number: 2, DoneAt: done, Kept: []rows.Kept{{Item: units.Item{Campaign: "oai", Entry: "sets", Key: "math"}, Documents: 3}},
		},
		"2 under way since " + c.Full(begun) + ", listed whole; what is no longer listed is being deleted": {Number: 2, Begun: begun, Listed: true},
		"2 under way since " + c.Full(begun) + ", and will delete nothing: torn":                           {Number: 2, Begun: begun, Note: "torn"},
		"3 ended " + c.Full(begun) + " and deleted nothing: torn":                                          {Number: 3, DoneAt: done, TriedAt: begun, Note: "torn"},
	} {
		require.Equal(t, want, diagnose.Pass(p, c))
	}
	all := &entryPasses{}
	const refresh = 30 * 24 * time.Hour
	require.Equal(t, "; the first harvest is a full pass", all.text(c))
	for _, it := range []rows.Item{
		{Pass: rows.Pass{Number: 2, Begun: begun}},
		{FirstSeen: now.Add(-2 * refresh)},
		{FirstSeen: now.Add(-2 * refresh), Pass: rows.Pass{Number: 1, DoneAt: done}},
		{FirstSeen: now},
	} {
		all.add(it, refresh, now)
	}
	require.Equal(t, "; 1 under way; 1 due at the next run; next due "+c.Full(done.Add(refresh))+"; last "+c.Full(done), all.text(c))
}
