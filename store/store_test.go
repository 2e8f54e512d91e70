package store_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/store"
	"github.com/vendemmia/vendemmia/store/storetest"
)

// opened is a store as the suite wants it.
type opened struct{ *store.Store }

func (o opened) Again(t *testing.T) storetest.Store {
	return openAt(t, strings.TrimPrefix(o.Address(), "sqlite:"), store.Options{})
}

func openAt(t *testing.T, path string, o store.Options) opened {
	t.Helper()
	s, err := store.Open(t.Context(), path, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return opened{s}
}

func TestSQLite(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) storetest.Store {
		return openAt(t, filepath.Join(t.TempDir(), "store.db"), store.Options{Create: true})
	})
}
