package store

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/units"
)

// A store of the first version goes on under this program.
func TestUpgradeFromTheFirst(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	old, err := openFile(t, path, Options{Create: true}, program(t, 1))
	require.NoError(t, err)
	name := units.Item{Campaign: "news", Entry: "feed", Key: "a"}
	require.NoError(t, old.SetCheckpoint(t.Context(), name, "", []byte(`{"from":"2026-05-01"}`)))
	require.NoError(t, old.Close())

	s, err := Open(t.Context(), path, Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	require.FileExists(t, path+".before-1")
	items, err := s.Items(t.Context(), rows.ItemsFilter{Campaign: "news"})
	require.NoError(t, err)
	require.Len(t, items, 1)
	require.Zero(t, items[0].Pass)
	kept, err := s.Checkpoints(t.Context(), rows.CheckpointFilter{Campaign: "news"})
	require.NoError(t, err)
	require.JSONEq(t, `{"from":"2026-05-01"}`, string(kept[0].Value))
}
