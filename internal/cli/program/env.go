package program

import (
	"time"

	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/internal/process"
)

// Env is everything a command may touch. Nothing else of the process is read or
// written. Without Environ, TEMPORAL_GRPC_META_* is not seen.
type Env struct {
	process.Env
	Fetchers fetchers.Set
	// Now and Zone are the clock; nil: the machine's.
	Now  func() time.Time
	Zone *time.Location
}
