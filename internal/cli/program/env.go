package program

import (
	"io"
	"time"

	"github.com/vendemmia/vendemmia/fetchers"
)

// Env is everything a command may touch. Nothing else of the process is read or
// written.
type Env struct {
	Args   []string // without the program's name
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	Getenv func(string) string
	// Environ lists the variables; nil: none (TEMPORAL_GRPC_META_* is then not
	// seen).
	Environ  func() []string
	Fetchers fetchers.Set
	Version  string
	Dir      string // working folder
	// Now and Zone are the clock; nil: the machine's.
	Now  func() time.Time
	Zone *time.Location
}
