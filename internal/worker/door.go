package worker

import (
	"context"
	"sync"
)

// door is closed while a worker takes nothing new. It is safe for many goroutines.
type door struct {
	mu     sync.Mutex
	why    string
	opened chan struct{} // closed when it opens
}

func newDoor() *door { return &door{opened: closedChannel()} }

func closedChannel() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

// set closes the door for a reason, or opens it ("").
func (d *door) set(why string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case why == "" && d.why != "":
		close(d.opened)
	case why != "" && d.why == "":
		d.opened = make(chan struct{})
	}
	d.why = why
}

// closed says why nothing new is taken; "" while it is open.
func (d *door) closed() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.why
}

// Open implements temporalx.Door.
func (d *door) Open() bool { return d.closed() == "" }

// Wait implements temporalx.Door.
func (d *door) Wait(ctx context.Context) error {
	d.mu.Lock()
	opened := d.opened
	d.mu.Unlock()
	select {
	case <-opened:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}
