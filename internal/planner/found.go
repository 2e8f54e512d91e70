package planner

import (
	"context"
	"errors"
	"fmt"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/workflows"
)

// entry is a schedule as the server returns it.
type entry struct {
	id     string
	note   string
	parsed workflows.Note
	ours   bool // the note is one of ours
	paused bool
	spec   client.ScheduleSpec
	// whole is false when the spec comes from a list, which may cut it.
	whole   bool
	store   string // from the memo
	updated time.Time
}

// found is the current state: rows and schedules by campaign.
type found struct {
	stored  map[string]rows.Campaign // not removed
	removed map[string]rows.Campaign
	server  map[string]entry
	hosts   []rows.Host
}

// find reads the store and lists the schedules of the server.
func (r *Planner) find(ctx context.Context) (*found, error) {
	f := &found{stored: map[string]rows.Campaign{}, removed: map[string]rows.Campaign{}}
	for _, removed := range []bool{true, false} {
		list, err := r.store.Campaigns(ctx, "", removed)
		if err != nil {
			return nil, fmt.Errorf("read the campaigns of the store: %w", err)
		}
		for _, c := range list {
			if c.Removed.IsZero() {
				f.stored[c.Name] = c
			} else {
				f.removed[c.Name] = c
			}
		}
	}
	var err error
	if f.hosts, err = r.store.Hosts(ctx); err != nil {
		return nil, fmt.Errorf("read the hosts of the store: %w", err)
	}
	f.server, err = r.list(ctx)
	return f, err
}

// listPage is how many schedules one request returns. A busy server needs seconds
// for a thousand.
const listPage = 250

func (r *Planner) list(ctx context.Context) (map[string]entry, error) {
	out := map[string]entry{}
	if err := r.pace.wait(ctx, 1); err != nil {
		return nil, err
	}
	it, err := r.schedules.List(ctx, client.ScheduleListOptions{PageSize: listPage})
	if err != nil {
		return nil, fmt.Errorf("list the schedules: %w", err)
	}
	for n := 1; it.HasNext(); n++ {
		got, err := it.Next()
		if err != nil {
			return nil, fmt.Errorf("list the schedules: %w", err)
		}
		if name, ours := r.settings.Instance.Campaign(got.ID); ours {
			out[name] = listed(got)
		}
		if n%listPage == 0 {
			if err := r.pace.wait(ctx, 1); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

func listed(s *client.ScheduleListEntry) entry {
	e := entry{id: s.ID, note: s.Note, paused: s.Paused, store: memoText(s.Memo, workflows.MemoStore)}
	if s.Spec != nil {
		e.spec = *s.Spec
	}
	e.parsed, e.ours = workflows.ParseNote(s.Note)
	return e
}

func described(id string, d *client.ScheduleDescription) entry {
	e := entry{id: id, whole: true, updated: d.Info.LastUpdateAt, store: memoText(d.Memo, workflows.MemoStore)}
	if d.Schedule.Spec != nil {
		e.spec = *d.Schedule.Spec
	}
	if s := d.Schedule.State; s != nil {
		e.note, e.paused = s.Note, s.Paused
	}
	e.parsed, e.ours = workflows.ParseNote(e.note)
	return e
}

// mine reports whether a schedule belongs to this store, or does not name its store.
func (r *Planner) mine(e entry) bool {
	own := r.settings.Instance.Store
	return e.store == "" || own == "" || e.store == own
}

func memoText(memo *commonpb.Memo, key string) string {
	var text string
	if p := memo.GetFields()[key]; p != nil {
		if err := converter.GetDefaultDataConverter().FromPayload(p, &text); err != nil {
			return ""
		}
	}
	return text
}

// describe reads one schedule; false if it does not exist.
func (r *Planner) describe(ctx context.Context, name string) (entry, bool, error) {
	id := r.settings.Instance.ScheduleID(name)
	if err := r.pace.wait(ctx, 1); err != nil {
		return entry{}, false, err
	}
	d, err := r.schedules.GetHandle(ctx, id).Describe(ctx)
	if isNotFound(err) {
		return entry{}, false, nil
	}
	if err != nil {
		return entry{}, false, fmt.Errorf("look at schedule %s: %w", id, err)
	}
	return described(id, d), true, nil
}

func isNotFound(err error) bool {
	_, is := errors.AsType[*serviceerror.NotFound](err)
	return is
}
