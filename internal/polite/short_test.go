package polite

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestShort(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		3 * time.Hour: "3h", 90 * time.Second: "1m30s", time.Minute: "1m", 10 * time.Second: "10s", time.Hour + time.Second: "1h0m1s", 0: "0s", 20 * time.Hour: "20h",
	} {
		require.Equal(t, want, short(d))
	}
}
