package worker

import (
	"context"
	"log/slog"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/vendemmia/vendemmia/harvest"
)

const (
	// askEvery is how often what is not there yet is asked again, sayEvery how
	// often that is said.
	askEvery = time.Second
	sayEvery = 5 * time.Second
	// storeTimeout bounds one question to the store, so that a log tells within
	// seconds why a worker does not start.
	storeTimeout = 3 * time.Second
)

// wait asks until the server answers; false: we are to stop.
func (s *service) wait(ctx context.Context) bool {
	w := waiting{log: s.Log, what: "Temporal at " + s.Remote.address}
	for {
		asking, cancel := context.WithTimeout(ctx, askTimeout)
		_, err := s.Remote.CheckHealth(asking, &client.CheckHealthRequest{})
		cancel()
		if err == nil || ctx.Err() != nil {
			w.over(err)
			return ctx.Err() == nil
		}
		s.does("waits for Temporal at " + s.Remote.address)
		w.say(err)
		if !pause(ctx, askEvery) {
			return false
		}
	}
}

// waitStore asks until the store can be written, as another process may hold it
// or its server may be away. An error is one that waiting does not mend.
func (s *service) waitStore(ctx context.Context) error {
	w := waiting{log: s.Log, what: "the store"}
	for {
		asking, cancel := context.WithTimeout(ctx, storeTimeout)
		err := s.Store.Check(asking)
		cancel()
		if err == nil || ctx.Err() != nil || harvest.KindOf(err) == harvest.KindMisconfigured {
			w.over(err)
			return err
		}
		s.does("waits for the store: " + err.Error())
		w.say(err)
		if !pause(ctx, askEvery) {
			return nil
		}
	}
}

// waiting tells the log what is waited for, now and then, and that it is over.
type waiting struct {
	log  *slog.Logger
	what string
	said time.Time
}

func (w *waiting) say(err error) {
	if time.Since(w.said) >= sayEvery {
		w.log.Warn("waits for "+w.what, "error", err)
		w.said = time.Now()
	}
}

func (w *waiting) over(err error) {
	if err == nil && !w.said.IsZero() {
		w.log.Info("waits no longer for " + w.what)
	}
}

// pause returns false when ctx ends first.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
