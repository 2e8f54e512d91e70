package cli

import (
	"context"
	"slices"
	"strings"
	"sync"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
)

// fakeSchedules keeps schedules as a server does. It is safe for concurrent use, as the
// SDK's client is.
type fakeSchedules struct {
	mu   sync.Mutex
	kept map[string]*client.ScheduleDescription
}

func (s *fakeSchedules) Create(_ context.Context, o client.ScheduleOptions) (client.ScheduleHandle, error) {
	spec := o.Spec
	m := &commonpb.Memo{Fields: map[string]*commonpb.Payload{}}
	for key, v := range o.Memo {
		p, err := converter.GetDefaultDataConverter().ToPayload(v)
		if err != nil {
			return nil, err
		}
		m.Fields[key] = p
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil {
		s.kept = map[string]*client.ScheduleDescription{}
	}
	s.kept[o.ID] = &client.ScheduleDescription{Memo: m, Schedule: client.Schedule{
		Action: o.Action, Spec: &spec, Policy: &client.SchedulePolicies{Overlap: o.Overlap, CatchupWindow: o.CatchupWindow},
		State: &client.ScheduleState{Note: o.Note, Paused: o.Paused, LimitedActions: o.RemainingActions > 0, RemainingActions: o.RemainingActions},
	}}
	return &fakeSchedule{of: s, id: o.ID}, nil
}

func (s *fakeSchedules) List(context.Context, client.ScheduleListOptions) (client.ScheduleListIterator, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	it := &fakeIterator{}
	for id, d := range s.kept {
		it.entries = append(it.entries, &client.ScheduleListEntry{ID: id, Spec: d.Schedule.Spec, Note: d.Schedule.State.Note, Paused: d.Schedule.State.Paused, Memo: d.Memo})
	}
	slices.SortFunc(it.entries, func(a, b *client.ScheduleListEntry) int { return strings.Compare(a.ID, b.ID) })
	return it, nil
}

type fakeIterator struct{ entries []*client.ScheduleListEntry }

func (i *fakeIterator) HasNext() bool { return len(i.entries) > 0 }

func (i *fakeIterator) Next() (*client.ScheduleListEntry, error) {
	e := i.entries[0]
	i.entries = i.entries[1:]
	return e, nil
}

func (s *fakeSchedules) GetHandle(_ context.Context, id string) client.ScheduleHandle {
	return &fakeSchedule{of: s, id: id}
}

type fakeSchedule struct {
	client.ScheduleHandle
	of *fakeSchedules
	id string
}

func (h *fakeSchedule) Describe(context.Context) (*client.ScheduleDescription, error) {
	h.of.mu.Lock()
	defer h.of.mu.Unlock()
	d := h.of.kept[h.id]
	if d == nil {
		return nil, serviceerror.NewNotFound("schedule not found")
	}
	copied := *d
	return &copied, nil
}

func (h *fakeSchedule) Update(ctx context.Context, o client.ScheduleUpdateOptions) error {
	d, err := h.Describe(ctx)
	if err != nil {
		return err
	}
	u, err := o.DoUpdate(client.ScheduleUpdateInput{Description: *d})
	if err != nil {
		return err
	}
	d.Schedule = *u.Schedule
	h.of.mu.Lock()
	defer h.of.mu.Unlock()
	h.of.kept[h.id] = d
	return nil
}

func (h *fakeSchedule) Pause(_ context.Context, o client.SchedulePauseOptions) error {
	return h.hold(true, o.Note)
}

func (h *fakeSchedule) Unpause(_ context.Context, o client.ScheduleUnpauseOptions) error {
	return h.hold(false, o.Note)
}

func (h *fakeSchedule) hold(paused bool, note string) error {
	h.of.mu.Lock()
	defer h.of.mu.Unlock()
	d := h.of.kept[h.id]
	if d == nil {
		return serviceerror.NewNotFound("schedule not found")
	}
	d.Schedule.State.Paused, d.Schedule.State.Note = paused, note
	return nil
}

func (h *fakeSchedule) Delete(ctx context.Context) error {
	if _, err := h.Describe(ctx); err != nil {
		return err
	}
	h.of.mu.Lock()
	defer h.of.mu.Unlock()
	delete(h.of.kept, h.id)
	return nil
}
