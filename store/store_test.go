package store_test

import (
	"path/filepath"
	"testing"

	"github.com/vendemmia/vendemmia/store"
	"github.com/vendemmia/vendemmia/store/storetest"
)

func TestSQLite(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) storetest.Store {
		return storetest.Open(t, filepath.Join(t.TempDir(), "store.db"), store.Options{Create: true})
	})
}

func TestPostgres(t *testing.T) {
	t.Parallel()
	store.Cluster.Cluster(t)
	storetest.Run(t, func(t *testing.T) storetest.Store {
		return storetest.Open(t, store.Cluster.Database(t), store.Options{Create: true})
	})
}
