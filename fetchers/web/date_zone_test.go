package web

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestZonesOfDatesAreKnownOrSaid(t *testing.T) {
	t.Parallel()
	f := &field{zone: time.UTC}
	at, err := f.date("Sun, 03 May 2026 10:30:00 CEST")
	require.NoError(t, err)
	require.Equal(t, "2026-05-03T08:30:00Z", at.Format(time.RFC3339), "Go makes up an offset of zero for a zone it does not know")
	for _, text := range []string{"Sun, 03 May 2026 10:30:00 XYZ", "9999-12-31T23:00:00-05:00"} {
		_, err := f.date(text)
		require.Error(t, err, text)
	}
}
