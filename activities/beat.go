package activities

import (
	"context"
	"slices"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/vendemmia/vendemmia/harvest"
)

// progress is the heartbeat's details: what the Web UI shows of a chunk at work.
type progress struct {
	Closed int        `json:"closed"`
	Flying []beatItem `json:"flying,omitempty"` // at most five
	More   int        `json:"more,omitempty"`
}

type beatItem struct {
	Item  string `json:"item"`
	Done  int64  `json:"done,omitempty"`
	Total int64  `json:"total,omitempty"`
	New   int    `json:"new,omitempty"`
}

const beatItems = 5

// beat tells Temporal that the chunk lives, until it is over. It goes on while
// the chunk drains.
func (k *chunk) beat(ctx context.Context, over <-chan struct{}) {
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
		}
	}
}

func (k *chunk) progress() progress {
	k.mu.Lock()
	defer k.mu.Unlock()
	p := progress{Closed: k.closedSoFar}
	for _, at := range k.at {
		p.Flying = append(p.Flying, at)
	}
	slices.SortFunc(p.Flying, func(a, b beatItem) int {
		if a.Item < b.Item {
			return -1
		}
		return 1
	})
	if n := len(p.Flying); n > beatItems {
		p.Flying, p.More = p.Flying[:beatItems], n-beatItems
	}
	return p
}

// fliesAt notes how far an item is; landed that it is over.
func (k *chunk) fliesAt(name string, page *harvest.Page, t harvest.Tally) {
	k.mu.Lock()
	defer k.mu.Unlock()
	at := beatItem{Item: name, New: t.New}
	if page != nil {
		at.Done, at.Total = page.Done, page.Total
	}
	k.at[name] = at
}

func (k *chunk) landed(name string, closed bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.at, name)
	if closed {
		k.closedSoFar++
	}
}
