package store

import "github.com/vendemmia/vendemmia/internal/testkit/pgtest"

// Cluster is the PostgreSQL server of all tests of this folder; BenchCluster
// that of the benchmarks, set up as one would in earnest.
var (
	Cluster      = pgtest.Shared{Options: pgtest.Options{Settings: []string{"fsync=off"}}} // no test cuts the power
	BenchCluster = pgtest.Shared{Options: pgtest.Options{Settings: []string{"fsync=on", "shared_buffers=256MB", "max_wal_size=4GB", "wal_compression=on"}}}
)

// WithNap says how long the server lets the writing connection sleep in a
// transaction.
func WithNap(o Options, most string) Options {
	o.nap = most
	return o
}
