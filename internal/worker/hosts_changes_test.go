package worker

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/store"
)

// What another process says about one host is known here without reading all.
func TestHostsTakeOverWhatChanged(t *testing.T) {
	t.Parallel()
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "store.db"), store.Options{Create: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	_, err = s.Apply(t.Context(), rows.Application{Project: "law", Hosts: []rows.Host{{Name: "*", Every: time.Second}, {Name: "a", Every: time.Minute}}})
	require.NoError(t, err)
	h := &hosts{store: s}
	require.NoError(t, h.read(t.Context()))
	whole, table := h.whole, h.table.Load()
	require.Equal(t, time.Minute, h.rule("a").Every)
	require.NoError(t, h.read(t.Context()))
	require.Same(t, table, h.table.Load(), "nothing was said")

	require.NoError(t, s.SlowHost(t.Context(), "a", time.Hour, "503"))
	require.NoError(t, h.read(t.Context()))
	require.Equal(t, time.Hour, h.rule("a").Slow)
	require.Equal(t, time.Minute, h.rule("a").Every)
	require.Equal(t, time.Second, h.rule("b").Every)
	require.Equal(t, whole, h.whole, "the others were not read again")

	_, err = s.Apply(t.Context(), rows.Application{Project: "law"})
	require.NoError(t, err)
	require.NoError(t, h.read(t.Context()))
	require.Zero(t, h.rule("a").Every)
	require.Equal(t, time.Hour, h.rule("a").Slow)
}
