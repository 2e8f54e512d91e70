package rows_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

func TestNextPass(t *testing.T) {
	t.Parallel()
	seen := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	const day = 24 * time.Hour
	for name, c := range map[string]struct {
		pass rows.Pass
		want time.Duration
	}{
		"never":                    {rows.Pass{}, 10 * day},
		"done":                     {rows.Pass{DoneAt: seen.Add(3 * day)}, 13 * day},
		"tried after one was done": {rows.Pass{DoneAt: seen.Add(3 * day), TriedAt: seen.Add(13 * day)}, 14 * day},
		"tried by hand, too early": {rows.Pass{DoneAt: seen.Add(3 * day), TriedAt: seen.Add(5 * day)}, 13 * day},
	} {
		require.Equal(t, seen.Add(c.want), c.pass.Next(10*day, seen), name)
	}
}
