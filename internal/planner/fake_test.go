package planner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
)

// server is a Temporal server as far as schedules go: it cuts specs in lists,
// counts requests, and fails when told.
type server struct {
	mu        sync.Mutex
	schedules map[string]*client.ScheduleDescription
	calls     []string // "list", "create campaign-news" …
	// fail is asked before each request.
	fail func(call string) error
	// lose makes so many updates vanish without an error.
	lose int
	// stale, when set, is what lists answer.
	stale map[string]*client.ScheduleDescription
	now   time.Time
}

func newServer() *server {
	return &server{schedules: map[string]*client.ScheduleDescription{}, now: time.Date(2026, 4, 30, 10, 0, 0, 0, time.UTC)}
}

func (s *server) call(text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, text)
	if s.fail != nil {
		return s.fail(text)
	}
	return nil
}

// took returns the requests since the last time.
func (s *server) took() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	calls := s.calls
	s.calls = nil
	return calls
}

func (s *server) Create(_ context.Context, o client.ScheduleOptions) (client.ScheduleHandle, error) {
	if err := s.call("create " + o.ID); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.schedules[o.ID] != nil {
		return nil, temporal.ErrScheduleAlreadyRunning
	}
	spec := o.Spec
	s.schedules[o.ID] = &client.ScheduleDescription{
		Schedule: client.Schedule{
			Action: o.Action, Spec: &spec,
			Policy: &client.SchedulePolicies{Overlap: o.Overlap, CatchupWindow: o.CatchupWindow},
			State:  &client.ScheduleState{Note: o.Note, Paused: o.Paused, LimitedActions: o.RemainingActions > 0, RemainingActions: o.RemainingActions},
		},
		Memo: memo(o.Memo), Info: client.ScheduleInfo{CreatedAt: s.now},
	}
	return &handle{server: s, id: o.ID}, nil
}

func memo(values map[string]any) *commonpb.Memo {
	m := &commonpb.Memo{Fields: map[string]*commonpb.Payload{}}
	for key, v := range values {
		p, err := converter.GetDefaultDataConverter().ToPayload(v)
		if err != nil {
			panic(err)
		}
		m.Fields[key] = p
	}
	return m
}

func (s *server) List(context.Context, client.ScheduleListOptions) (client.ScheduleListIterator, error) {
	if err := s.call("list"); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	from := s.schedules
	if s.stale != nil {
		from = s.stale
	}
	it := &iterator{}
	for id, d := range from {
		spec := *d.Schedule.Spec
		spec.Calendars, spec.Skip = head(spec.Calendars, 10), head(spec.Skip, 10)
		it.entries = append(it.entries, &client.ScheduleListEntry{
			ID: id, Spec: &spec, Note: d.Schedule.State.Note, Paused: d.Schedule.State.Paused, Memo: d.Memo,
		})
	}
	slices.SortFunc(it.entries, func(a, b *client.ScheduleListEntry) int { return len(a.ID) - len(b.ID) })
	return it, nil
}

type iterator struct{ entries []*client.ScheduleListEntry }

func (i *iterator) HasNext() bool { return len(i.entries) > 0 }

func (i *iterator) Next() (*client.ScheduleListEntry, error) {
	e := i.entries[0]
	i.entries = i.entries[1:]
	return e, nil
}

func (s *server) GetHandle(_ context.Context, id string) client.ScheduleHandle {
	return &handle{server: s, id: id}
}

type handle struct {
	client.ScheduleHandle
	server *server
	id     string
}

func (h *handle) find() (*client.ScheduleDescription, error) {
	h.server.mu.Lock()
	defer h.server.mu.Unlock()
	d := h.server.schedules[h.id]
	if d == nil {
		return nil, serviceerror.NewNotFound("schedule not found")
	}
	copied := *d
	state, spec := *d.Schedule.State, *d.Schedule.Spec
	copied.Schedule.State, copied.Schedule.Spec = &state, &spec
	return &copied, nil
}

func (h *handle) Describe(context.Context) (*client.ScheduleDescription, error) {
	if err := h.server.call("describe " + h.id); err != nil {
		return nil, err
	}
	return h.find()
}

func (h *handle) Delete(context.Context) error {
	if err := h.server.call("delete " + h.id); err != nil {
		return err
	}
	if _, err := h.find(); err != nil {
		return err
	}
	h.server.mu.Lock()
	defer h.server.mu.Unlock()
	delete(h.server.schedules, h.id)
	return nil
}

func (h *handle) Update(_ context.Context, o client.ScheduleUpdateOptions) error {
	if err := h.server.call("update " + h.id); err != nil {
		return err
	}
	d, err := h.find()
	if err != nil {
		return err
	}
	u, err := o.DoUpdate(client.ScheduleUpdateInput{Description: *d})
	if errors.Is(err, temporal.ErrSkipScheduleUpdate) {
		return nil
	}
	if err != nil {
		return err
	}
	h.server.mu.Lock()
	defer h.server.mu.Unlock()
	if h.server.lose > 0 {
		h.server.lose--
		return nil
	}
	d.Schedule, d.Info.LastUpdateAt = *u.Schedule, h.server.now
	h.server.schedules[h.id] = d
	return nil
}

// byHand changes a schedule as a colleague does, in the Web UI.
func (s *server) byHand(id string, change func(*client.Schedule)) {
	err := (&handle{server: s, id: id}).Update(context.Background(), client.ScheduleUpdateOptions{
		DoUpdate: func(in client.ScheduleUpdateInput) (*client.ScheduleUpdate, error) {
			change(&in.Description.Schedule)
			return &client.ScheduleUpdate{Schedule: &in.Description.Schedule}, nil
		},
	})
	if err != nil {
		panic(fmt.Sprintf("change %s by hand: %v", id, err))
	}
	s.took()
}
