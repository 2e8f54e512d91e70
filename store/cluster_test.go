package store

import "github.com/vendemmia/vendemmia/internal/pgtest"

// Cluster is the PostgreSQL server of all tests of this folder.
var Cluster = pgtest.Shared{Options: pgtest.Options{Settings: []string{"fsync=off"}}} // no test cuts the power
