package rows

import (
	"log/slog"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
)

// How an attempt ended, where it did not close its item; otherwise it is the outcome.
const (
	TryFailed     = "failed"
	TryHandedBack = "handed back"
	TryLost       = "worker lost"
	TryGoingOn    = "going on"
)

// Try is one attempt at an item of a run.
type Try struct {
	Ord    int64        `json:"-"`
	Entry  string       `json:"entry"`
	Key    string       `json:"item"`
	Label  string       `json:"label,omitempty"`
	N      int          `json:"attempt"`
	Worker string       `json:"worker"`
	Began  time.Time    `json:"began"`
	Ended  time.Time    `json:"ended,omitzero"` // zero: it goes on
	How    string       `json:"how"`
	Kind   harvest.Kind `json:"kind,omitempty"`
	Error  string       `json:"error,omitempty"`
	Pages  int          `json:"pages"` // of the item, up to its end
}

// LogLine is a line that was logged about a run.
type LogLine struct {
	ID      int64      `json:"-"`
	Run     int64      `json:"-"`
	At      time.Time  `json:"at"`
	Level   slog.Level `json:"level"`
	Item    string     `json:"item,omitempty"` // "": of the run
	Worker  string     `json:"worker"`
	Message string     `json:"message"`
	More    string     `json:"more,omitempty"` // name=value …
}

// LogFilter selects lines of a run in the order they came; zero members do not select.
type LogFilter struct {
	Run   int64
	After int64 // of ID
	Item  string
	Level slog.Level // at least; the zero value is info
	Since time.Time
	// Last: so many, the last ones; 0: all.
	Last int
}

// MaxLogLines is how many lines of a run are kept, and how many warnings and errors
// besides.
const MaxLogLines = 5000

// LogCount is how many lines came of a run, and how many of them are kept.
type LogCount struct{ Came, Kept int }
