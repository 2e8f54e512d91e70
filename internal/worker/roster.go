package worker

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/store"
)

const (
	// rosterLook is how soon a worker sees that it shall drain, or is short of memory.
	rosterLook = time.Second
	// rosterEvery is how often it reports itself when nothing changes, and rosterLeast
	// the shortest silence after which it may count as gone.
	rosterEvery, rosterLeast = 5 * time.Second, 10 * time.Second
	// freeEvery is how often an idle worker that is short of memory gives some back.
	freeEvery = 10 * time.Second
)

// doors are what holds back new work: items for lack of memory, everything while it
// drains.
type doors struct{ items, all *door }

func newDoors() doors { return doors{newDoor(), newDoor()} }

// closed says why no new item is taken.
func (d doors) closed() string { return cmp.Or(d.all.closed(), d.items.closed()) }

// Open and Wait make both doors one for items.
func (d doors) Open() bool { return d.closed() == "" }

// Wait implements temporalx.Door.
func (d doors) Wait(ctx context.Context) error {
	for !d.Open() {
		if err := cmp.Or(d.all.Wait(ctx), d.items.Wait(ctx)); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// roster reports this worker to the store, and closes its doors.
type roster struct {
	service  *service
	store    *store.Store
	doors    doors
	memory   memory
	log      *slog.Logger
	me       rows.Worker
	patience time.Duration
	told     rows.Worker // the last report
	toldAt   time.Time
	freedAt  time.Time
	stop     context.CancelFunc
	done     sync.WaitGroup
}

func newRoster(st *service) *roster {
	host, _ := os.Hostname() // "" is shown as unknown
	now, set, m := time.Now(), st.Settings, st.Memory
	return &roster{service: st, store: st.Store, doors: newDoors(), memory: m, log: st.Log, patience: max(set.Heartbeat, rosterLeast), me: rows.Worker{
		Identity: string(st.Remote.identity), Process: fmt.Sprintf("%d %d", os.Getpid(), now.UnixNano()), Host: host, Version: st.Env.Version,
		Queues: st.queues(), Slots: set.ItemSlots, MemoryLimit: m.limit, MemoryMax: m.max, Started: now,
	}}
}

func (o *roster) start() {
	ctx, stop := context.WithCancel(context.Background())
	o.stop = stop
	o.done.Go(func() { o.follow(ctx) })
}

func (o *roster) follow(ctx context.Context) {
	if err := o.store.ForgetWorkers(ctx); err != nil && ctx.Err() == nil {
		o.log.Warn("workers that are gone for long stay in the roster", "error", err)
	}
	tick := time.NewTicker(rosterLook)
	defer tick.Stop()
	for {
		if err := o.look(ctx); err != nil && ctx.Err() == nil {
			o.log.Warn("this worker could not report itself; after a while it counts as gone in starter workers", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// look closes and opens the doors, and reports what changed.
func (o *roster) look(ctx context.Context) error {
	o.weigh()
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	asked, err := o.store.Draining(ctx, o.me)
	if err != nil {
		return err
	}
	o.drain(asked)
	o.me.State, o.me.Why = o.state()
	if o.me.State == o.told.State && (o.me.Why == o.told.Why || o.me.State == rows.WorkerFull) && time.Since(o.toldAt) < min(rosterEvery, o.patience/3) {
		return nil
	}
	if err := o.store.ReportWorker(ctx, o.me, o.patience); err != nil {
		return err
	}
	o.told, o.toldAt = o.me, time.Now()
	return nil
}

// weigh closes the door for items while memory is short. One that has nothing in work
// gives back what the garbage collector has freed.
func (o *roster) weigh() {
	o.me.MemoryUsed = o.memory.used()
	before := o.doors.items.closed()
	why := o.memory.full(o.me.MemoryUsed, before != "")
	if why != "" && o.service.Metrics.inFlight.Load() == 0 && time.Since(o.freedAt) > freeEvery {
		debug.FreeOSMemory()
		o.freedAt, o.me.MemoryUsed = time.Now(), o.memory.used()
		why = o.memory.full(o.me.MemoryUsed, true)
	}
	if (why == "") != (before == "") {
		o.log.Warn(map[bool]string{true: "takes items again", false: "takes no new item"}[why == ""], "memory_used", o.me.MemoryUsed, "memory_max", o.memory.max)
	}
	o.doors.items.set(why)
}

// drain closes the door for everything while somebody wants that.
func (o *roster) drain(asked *rows.Pause) {
	why := ""
	if asked != nil {
		why = "drained by " + cmp.Or(asked.By, "somebody")
		if asked.Note != "" {
			why += ": " + asked.Note
		}
	}
	if (why == "") != o.doors.all.Open() {
		o.log.Info(map[bool]string{true: "takes work again", false: "drains: takes nothing new"}[why == ""], "why", why)
	}
	o.doors.all.set(why)
}

func (o *roster) state() (rows.WorkerState, string) {
	draining := o.doors.all.closed()
	switch doing := o.service.state(); {
	case doing == stopping:
		return rows.WorkerStopping, ""
	case doing != "":
		return rows.WorkerStarting, doing
	case draining != "" && o.service.Metrics.inFlight.Load() > 0:
		return rows.WorkerDraining, draining
	case draining != "":
		return rows.WorkerDrained, draining
	case !o.doors.items.Open():
		return rows.WorkerFull, o.doors.items.closed()
	default:
		return rows.WorkerWorking, ""
	}
}

// leave takes the worker from the roster at once.
func (o *roster) leave() {
	o.stop()
	o.done.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), leaveTimeout)
	defer cancel()
	if err := o.store.LeaveWorker(ctx, o.me); err != nil {
		o.log.Warn("this worker stays in starter workers for a while", "error", err)
	}
}
