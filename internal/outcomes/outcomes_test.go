package outcomes_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

func TestOfKind(t *testing.T) {
	t.Parallel()
	for _, k := range harvest.Kinds() {
		require.True(t, outcomes.OfKind(k).Valid())
		require.True(t, outcomes.OfKind(k).Failed(), "an item that gave up has failed: %s", k)
	}
	require.Equal(t, outcomes.Gone, outcomes.OfKind(harvest.KindGone))
	require.Equal(t, outcomes.Failed, outcomes.OfKind(harvest.KindTimeout))
}

func TestSeverity(t *testing.T) {
	t.Parallel()
	want := map[outcomes.Outcome]outcomes.Severity{
		outcomes.Done: outcomes.OK, outcomes.Unchanged: outcomes.OK, outcomes.Skipped: outcomes.OK, outcomes.Cancelled: outcomes.OK,
		outcomes.Empty: outcomes.Warn, outcomes.Partial: outcomes.Warn, outcomes.Warnings: outcomes.Warn,
		outcomes.Throttled: outcomes.Bad, outcomes.Blocked: outcomes.Bad, outcomes.Gone: outcomes.Bad, outcomes.Broken: outcomes.Bad,
		outcomes.Misconfigured: outcomes.Bad, outcomes.Failed: outcomes.Bad, outcomes.Missed: outcomes.Bad,
	}
	require.Len(t, outcomes.All(), len(want))
	for _, o := range outcomes.All() {
		require.Contains(t, want, o)
		require.Equal(t, want[o], o.Severity(), o)
		require.Equal(t, want[o] == outcomes.Bad, o.Failed(), o)
	}
}

func TestOfItem(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tally  harvest.Tally
		always bool
		want   outcomes.Outcome
	}{
		"new":                            {harvest.Tally{Pages: 1, Listed: 3, New: 1}, true, outcomes.Done},
		"changed":                        {harvest.Tally{Pages: 1, Listed: 3, Changed: 1}, true, outcomes.Done},
		"deleted":                        {harvest.Tally{Pages: 1, Deleted: 1}, true, outcomes.Done},
		"all the same":                   {harvest.Tally{Pages: 1, Listed: 3, Same: 3}, true, outcomes.Unchanged},
		"304":                            {harvest.Tally{Pages: 1, NotModified: true}, true, outcomes.Unchanged},
		"nothing listed, as ever":        {harvest.Tally{Pages: 1}, false, outcomes.Unchanged},
		"nothing listed, unlike ever":    {harvest.Tally{Pages: 1}, true, outcomes.Empty},
		"no page at all":                 {harvest.Tally{}.Add(harvest.Tally{}), true, outcomes.Empty},
		"one bad record":                 {harvest.Tally{Pages: 1, Listed: 3, New: 2, Quarantined: 1}, true, outcomes.Partial},
		"known to be incomplete":         {harvest.Tally{Pages: 1, Listed: 3, New: 3, Partial: true}, true, outcomes.Partial},
		"incomplete and nothing listed":  {harvest.Tally{Pages: 1, Partial: true}, true, outcomes.Partial},
		"a 304 after pages with entries": {harvest.Tally{Pages: 1, Listed: 1, New: 1}.Add(harvest.Tally{Pages: 1, NotModified: true}), true, outcomes.Done},
	} {
		require.Equal(t, c.want, outcomes.OfItem(c.tally, c.always), name)
	}
}
