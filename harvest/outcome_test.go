package harvest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
)

func TestKinds(t *testing.T) {
	t.Parallel()
	require.Len(t, harvest.Kinds(), 10)
	for _, k := range harvest.Kinds() {
		require.True(t, k.Valid())
		require.True(t, k.Outcome().Valid())
		require.True(t, k.Outcome().Failed(), "an item that gave up has failed: %s", k)
	}
	require.False(t, harvest.Kind("tired").Valid())
	require.Equal(t, harvest.OutcomeGone, harvest.KindGone.Outcome())
	require.Equal(t, harvest.OutcomeFailed, harvest.KindTimeout.Outcome())
}

func TestSeverity(t *testing.T) {
	t.Parallel()
	want := map[harvest.Outcome]harvest.Severity{
		harvest.OutcomeDone: harvest.OK, harvest.OutcomeUnchanged: harvest.OK, harvest.OutcomeSkipped: harvest.OK, harvest.OutcomeCancelled: harvest.OK,
		harvest.OutcomeEmpty: harvest.Warn, harvest.OutcomePartial: harvest.Warn, harvest.OutcomeWarnings: harvest.Warn,
		harvest.OutcomeThrottled: harvest.Bad, harvest.OutcomeBlocked: harvest.Bad, harvest.OutcomeGone: harvest.Bad, harvest.OutcomeBroken: harvest.Bad,
		harvest.OutcomeMisconfigured: harvest.Bad, harvest.OutcomeFailed: harvest.Bad, harvest.OutcomeMissed: harvest.Bad,
	}
	require.Len(t, harvest.Outcomes(), len(want))
	for _, o := range harvest.Outcomes() {
		require.Contains(t, want, o)
		require.Equal(t, want[o], o.Severity(), o)
		require.Equal(t, want[o] == harvest.Bad, o.Failed(), o)
	}
}

func TestItemOutcome(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tally  harvest.Tally
		always bool
		want   harvest.Outcome
	}{
		"new":                            {harvest.Tally{Pages: 1, Listed: 3, New: 1}, true, harvest.OutcomeDone},
		"changed":                        {harvest.Tally{Pages: 1, Listed: 3, Changed: 1}, true, harvest.OutcomeDone},
		"deleted":                        {harvest.Tally{Pages: 1, Deleted: 1}, true, harvest.OutcomeDone},
		"all the same":                   {harvest.Tally{Pages: 1, Listed: 3, Same: 3}, true, harvest.OutcomeUnchanged},
		"304":                            {harvest.Tally{Pages: 1, NotModified: true}, true, harvest.OutcomeUnchanged},
		"nothing listed, as ever":        {harvest.Tally{Pages: 1}, false, harvest.OutcomeUnchanged},
		"nothing listed, unlike ever":    {harvest.Tally{Pages: 1}, true, harvest.OutcomeEmpty},
		"no page at all":                 {harvest.Tally{}.Add(harvest.Tally{}), true, harvest.OutcomeEmpty},
		"one bad record":                 {harvest.Tally{Pages: 1, Listed: 3, New: 2, Quarantined: 1}, true, harvest.OutcomePartial},
		"known to be incomplete":         {harvest.Tally{Pages: 1, Listed: 3, New: 3, Partial: true}, true, harvest.OutcomePartial},
		"incomplete and nothing listed":  {harvest.Tally{Pages: 1, Partial: true}, true, harvest.OutcomePartial},
		"a 304 after pages with entries": {harvest.Tally{Pages: 1, Listed: 1, New: 1}.Add(harvest.Tally{Pages: 1, NotModified: true}), true, harvest.OutcomeDone},
	} {
		require.Equal(t, c.want, harvest.ItemOutcome(c.tally, c.always), name)
	}
}

func TestTally(t *testing.T) {
	t.Parallel()
	a := harvest.Tally{Pages: 1, Listed: 2, New: 3, Changed: 4, Same: 5, Deleted: 6, Quarantined: 7, Asked: 8, Bytes: 9, NotModified: true}
	b := harvest.Tally{Pages: 10, Listed: 20, New: 30, Changed: 40, Same: 50, Deleted: 60, Quarantined: 70, Asked: 80, Bytes: 90, Partial: true}
	want := harvest.Tally{Pages: 11, Listed: 22, New: 33, Changed: 44, Same: 55, Deleted: 66, Quarantined: 77, Asked: 88, Bytes: 99, Partial: true}
	require.Equal(t, want, a.Add(b))
	require.Equal(t, want, b.Add(a))
	require.Equal(t, a, a.Add(harvest.Tally{}), "nothing added changes nothing")
	require.Equal(t, a, harvest.Tally{}.Add(a))
	require.True(t, a.Add(a).NotModified)
	require.False(t, harvest.Tally{}.Add(harvest.Tally{}).NotModified, "no page said so")
	require.Equal(t, 13, a.Documents())
}

func TestCount(t *testing.T) {
	t.Parallel()
	require.Equal(t, 0, harvest.Count{}.Of(100))
	require.Equal(t, 3, harvest.Count{N: 3}.Of(100))
	require.Equal(t, 6, harvest.Count{Share: 0.05}.Of(133), "rounded down")
	require.Equal(t, 29, harvest.Count{Share: 0.29}.Of(100), "not 28: a share is not exact in binary")
	require.Equal(t, 5, harvest.Count{N: 50, Share: 0.05}.Of(100), "a share outranks a number")
}
