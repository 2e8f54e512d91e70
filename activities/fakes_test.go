package activities

import (
	"context"
	"encoding/json"
	"sync"
	"time"
)

type fakeEngine struct {
	mu         sync.Mutex
	open       map[string]bool
	closedAt   time.Time
	err        error
	cancelled  []string
	terminated []string
	woken      []string
}

func (f *fakeEngine) Closed(_ context.Context, workflowID, _ string) (bool, time.Time, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !f.open[workflowID], f.closedAt, f.err
}

func (f *fakeEngine) Cancel(_ context.Context, workflowID, _ string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cancelled = append(f.cancelled, workflowID)
	return nil
}

func (f *fakeEngine) Terminate(_ context.Context, workflowID, _, _ string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open[workflowID] = false
	f.terminated = append(f.terminated, workflowID)
	return nil
}

func (f *fakeEngine) Wake(_ context.Context, workflowID, _ string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.woken = append(f.woken, workflowID)
	return nil
}

type fakeSender struct {
	mu   sync.Mutex
	err  error
	sent []delivery
}

type delivery struct {
	to, key string
	Message
}

func (f *fakeSender) Send(_ context.Context, to, key string, payload json.RawMessage) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return f.err
	}
	d := delivery{to: to, key: key}
	if err := json.Unmarshal(payload, &d.Message); err != nil {
		return err
	}
	f.sent = append(f.sent, d)
	return nil
}

// events lists what was sent, in order.
func (f *fakeSender) events() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []string
	for _, d := range f.sent {
		all = append(all, d.Event)
	}
	return all
}
