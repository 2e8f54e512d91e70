package activities

import (
	"sync"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/temporalx"
)

// setback remembers since when the store has failed, so that the attempts of all runs
// become rarer. It is safe for many goroutines.
type setback struct {
	mu    sync.Mutex
	since time.Time // zero: the store works
}

// over resets the setback: the store has answered.
func (s *setback) over() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.since = time.Time{}
}

// delay adds the wait before the next attempt to err: as long as the setback has
// lasted, from a second to a minute. Misconfiguration comes back unchanged.
func (s *setback) delay(err error, now time.Time) error {
	if harvest.KindOf(err) == harvest.KindMisconfigured {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.since.IsZero() {
		s.since = now
	}
	return temporalx.RetryIn(err, now.Sub(s.since))
}
