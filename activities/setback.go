package activities

import (
	"sync"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/temporalx"
)

// setback remembers since when this process gets nowhere with the store, so that
// attempts come ever more seldom, whichever run they are of.
type setback struct {
	mu    sync.Mutex
	since time.Time // zero: all is well
}

// over ends it: the store has answered.
func (s *setback) over() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.since = time.Time{}
}

// again is err with the wait before the next attempt: as long as it has been
// going on, from a second to a minute. What only a person can remove comes back
// as it is.
func (s *setback) again(err error, now time.Time) error {
	if harvest.KindOf(err) == harvest.KindMisconfigured {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.since.IsZero() {
		s.since = now
	}
	return temporalx.Again(err, now.Sub(s.since))
}
