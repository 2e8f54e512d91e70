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
	}
	require.False(t, harvest.Kind("tired").Valid())
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
