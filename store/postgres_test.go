package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/store"
	"github.com/vendemmia/vendemmia/store/storetest"
)

// served is a store on the server, as the suite wants it.
type served struct{ *store.Store }

func (s served) Again(t *testing.T) storetest.Store {
	return openServed(t, s.Address(), store.Options{})
}

func openServed(t *testing.T, address string, o store.Options) served {
	t.Helper()
	s, err := store.Open(t.Context(), address, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return served{s}
}

func TestPostgres(t *testing.T) {
	t.Parallel()
	store.Cluster.Cluster(t)
	storetest.Run(t, func(t *testing.T) storetest.Store {
		return openServed(t, store.Cluster.Database(t), store.Options{Create: true})
	})
}
