package activities

import (
	"context"
	"slices"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/vendemmia/vendemmia/harvest"
)

// progress is the heartbeat's details, which the Web UI shows of a running activity.
type progress struct {
	Closed  int        `json:"closed"`
	Running []beatItem `json:"running,omitempty"` // at most five
	More    int        `json:"more,omitempty"`
}

type beatItem struct {
	Item  string `json:"item"`
	Done  int64  `json:"done,omitempty"`
	Total int64  `json:"total,omitempty"`
	New   int    `json:"new,omitempty"`
}

const beatItems = 5

// beat heartbeats until the activity is over, also while it drains, or hangs in the
// store.
func (k *session) beat(ctx context.Context, over <-chan struct{}) {
	every := beatEvery
	if timeout := activity.GetInfo(ctx).HeartbeatTimeout; timeout > 0 {
		every = min(every, timeout/3)
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		activity.RecordHeartbeat(ctx, k.progress())
		select {
		case <-tick.C:
		case <-over:
			return
		case <-k.frozen:
			k.Log.Error("a call of the store hangs; the heartbeat ends", "run", k.in.RunID)
			return
		}
	}
}

func (k *session) progress() progress {
	k.mu.Lock()
	defer k.mu.Unlock()
	p := progress{Closed: k.closedSoFar}
	for _, at := range k.at {
		p.Running = append(p.Running, at)
	}
	slices.SortFunc(p.Running, func(a, b beatItem) int {
		if a.Item < b.Item {
			return -1
		}
		return 1
	})
	if n := len(p.Running); n > beatItems {
		p.Running, p.More = p.Running[:beatItems], n-beatItems
	}
	return p
}

// noteProgress records how far an item is; noteEnd that it has ended.
func (k *session) noteProgress(name string, page *harvest.Page, t harvest.Tally) {
	k.mu.Lock()
	defer k.mu.Unlock()
	at := beatItem{Item: name, New: t.New}
	if page != nil {
		at.Done, at.Total = page.Done, page.Total
	}
	k.at[name] = at
}

func (k *session) noteEnd(name string, closed bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.at, name)
	if closed {
		k.closedSoFar++
	}
}
