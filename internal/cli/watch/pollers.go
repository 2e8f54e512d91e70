package watch

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/internal/cli/engine"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

const (
	// PollWindow is how old the last poll of a living worker may be: a long poll
	// lasts a minute, and servers remember pollers for five.
	PollWindow = 70 * time.Second
)

// AtWork returns who takes work from a queue now: who polled lately and, where
// the server keeps a roster, has not said goodbye there.
func AtWork(ctx context.Context, p *program.Program, e program.QueueEngine, queue string) ([]engine.Poller, error) {
	found, err := e.Pollers(ctx, queue)
	if err != nil || len(found) == 0 {
		return found, err
	}
	roster, err := e.Workers(ctx)
	if err != nil && !errors.Is(err, engine.ErrUnsupported) && !errors.Is(err, engine.ErrForbidden) {
		return nil, err
	}
	return slices.DeleteFunc(found, func(po engine.Poller) bool {
		return LongAgo(p, po.LastSeen) || left(p, roster, po, queue)
	}), nil
}

// LongAgo reports whether a worker seen last at t can be one no more; of one
// that was never seen nothing is known.
func LongAgo(p *program.Program, t time.Time) bool {
	return !t.IsZero() && p.Env.Now().Sub(t) > PollWindow
}

// left reports whether the roster knows a worker on a queue only as one that is
// ending, or ceased to report: a server holds a dead worker's poll to its end. A
// poll that is newer than that is of a process that took its name.
func left(p *program.Program, roster []engine.Worker, po engine.Poller, queue string) bool {
	known := false
	for _, w := range roster {
		if w.Identity != po.Identity || w.Queue != queue {
			continue
		}
		if !Ending(w) && !LongAgo(p, w.LastSeen) || successor(w, po) {
			return false
		}
		known = true
	}
	return known
}

// successor reports whether a poll is too new to be of a worker of the same name
// that was seen last at a moment: its last report and its last poll may each be as
// old as a poll lasts.
func successor(w engine.Worker, po engine.Poller) bool {
	return po.Identity == w.Identity && !w.LastSeen.IsZero() && po.LastSeen.Sub(w.LastSeen) > 2*PollWindow
}

// Ending: the statuses ShuttingDown and Shutdown of the server.
func Ending(w engine.Worker) bool { return strings.HasPrefix(w.Status, "shut") }

// askPollers tells, once per queue, that nobody polls it.
type askPollers struct {
	*program.Program
	engine   program.QueueEngine
	at       time.Time
	reported map[string]bool
}

func (a *askPollers) ask(ctx context.Context, show *Progress, queues ...string) error {
	if time.Now().Before(a.at) {
		return nil
	}
	a.at = time.Now().Add(a.Again)
	for _, q := range queues {
		if a.reported[q] {
			continue
		}
		pollers, err := AtWork(ctx, a.Program, a.engine, q)
		if err != nil {
			return err
		}
		if len(pollers) > 0 {
			continue
		}
		if a.reported == nil {
			a.reported = map[string]bool{}
		}
		a.reported[q] = true
		show.Clear()
		a.Say("nobody polls %s; start one: %s", q, workerCommand(a.Program, q))
	}
	return nil
}

// workerCommand is what to type to have a worker for a queue.
func workerCommand(p *program.Program, queue string) string {
	for _, q := range []string{steps.QueueControl, steps.QueueFetch} {
		if queue == p.Queue(q) {
			return "worker"
		}
	}
	return "worker --queues " + strings.TrimPrefix(queue, p.Queue(""))
}
