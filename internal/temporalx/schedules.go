package temporalx

import (
	"context"
	"fmt"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
)

// Schedules is a client's ScheduleClient whose memos are decrypted: the SDK hands them out
// as the server keeps them.
func Schedules(c client.ScheduleClient, d converter.DataConverter) client.ScheduleClient {
	return schedules{c, d}
}

type schedules struct {
	client.ScheduleClient
	data converter.DataConverter
}

// List is part of client.ScheduleClient.
func (s schedules) List(ctx context.Context, o client.ScheduleListOptions) (client.ScheduleListIterator, error) {
	it, err := s.ScheduleClient.List(ctx, o)
	return listing{it, s.data}, err
}

// GetHandle is part of client.ScheduleClient.
func (s schedules) GetHandle(ctx context.Context, id string) client.ScheduleHandle {
	return scheduleHandle{s.ScheduleClient.GetHandle(ctx, id), s.data}
}

type listing struct {
	client.ScheduleListIterator
	data converter.DataConverter
}

// Next is part of client.ScheduleListIterator.
func (l listing) Next() (*client.ScheduleListEntry, error) {
	e, err := l.ScheduleListIterator.Next()
	if err != nil {
		return e, err
	}
	e.Memo, err = openMemo(l.data, e.Memo, e.ID)
	return e, err
}

type scheduleHandle struct {
	client.ScheduleHandle
	data converter.DataConverter
}

// Describe is part of client.ScheduleHandle.
func (h scheduleHandle) Describe(ctx context.Context) (*client.ScheduleDescription, error) {
	d, err := h.ScheduleHandle.Describe(ctx)
	if err != nil {
		return d, err
	}
	d.Memo, err = openMemo(h.data, d.Memo, h.GetID())
	return d, err
}

func openMemo(d converter.DataConverter, memo *commonpb.Memo, of string) (*commonpb.Memo, error) {
	if d == nil || len(memo.GetFields()) == 0 {
		return memo, nil
	}
	out := &commonpb.Memo{Fields: map[string]*commonpb.Payload{}}
	for name, p := range memo.GetFields() {
		var value any
		err := d.FromPayload(p, &value)
		if err == nil {
			out.Fields[name], err = converter.GetDefaultDataConverter().ToPayload(value)
		}
		if err != nil {
			return nil, fmt.Errorf("read the memo of schedule %s: %w", of, err)
		}
	}
	return out, nil
}
