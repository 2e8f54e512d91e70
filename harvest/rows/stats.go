package rows

import "time"

// Queue is how much there is to do on one task queue. Due can be taken now,
// Running is with workers, Resting waits for a retry or for a host's rest, and Held
// belongs to runs that are opening, paused or stopping.
type Queue struct {
	Queue   string `json:"queue"`
	Due     int    `json:"due"`
	Running int    `json:"running"`
	Resting int    `json:"resting"`
	Held    int    `json:"held"`
	// OldestDue is since when the item that waits longest could have been taken;
	// zero: nothing is due. NextDue is when the first of those that rest may be.
	OldestDue time.Time `json:"oldest_due,omitzero"`
	NextDue   time.Time `json:"next_due,omitzero"`
}

// Waited is how long the item that waits longest has been due.
func (q Queue) Waited(now time.Time) time.Duration {
	if q.OldestDue.IsZero() {
		return 0
	}
	return max(0, now.Sub(q.OldestDue))
}

// Group is a count of documents under names, one for each grouping that was asked
// for.
type Group struct {
	Names     []string `json:"names"`
	Documents int64    `json:"documents"`
}

// StatsFilter selects items that ended since a moment; zero members do not select.
type StatsFilter struct {
	Campaign  string
	Campaigns []string // one of these; an empty list that is not nil fits nothing
	Queue     string
	Since     time.Time
	Now       time.Time
	// Delayed and Slow are from how long a wait and a work on count as such, Many from
	// how many attempts on.
	Delayed, Slow time.Duration
	Many          int
	Hosts         int // at most so many
}

// Stats is how it went: what waits now, and what ended since a moment.
type Stats struct {
	Queued    int `json:"queued"`    // due now
	Postponed int `json:"postponed"` // due later
	Running   int `json:"running"`
	Stuck     int `json:"stuck"` // not ended, and workers died under them since their last page
	Ended     int `json:"ended"`
	// Latency is from when an item's run was due to its first attempt, Execution from
	// there to its end, waits between attempts included.
	Latency   Spread `json:"latency"`
	Execution Spread `json:"execution"`
	Delayed   int    `json:"delayed"`
	Slow      int    `json:"slow"`
	Many      int    `json:"many_attempts"`
	// What those that ended asked for, and brought.
	Requests  int64      `json:"requests"`
	Bytes     int64      `json:"bytes"`
	Documents int64      `json:"documents"` // new, changed or deleted
	Hosts     []HostCost `json:"hosts"`     // the most asked first
}

// Spread is how long something took.
type Spread struct {
	Average time.Duration `json:"average"`
	Median  time.Duration `json:"p50"`
	P95     time.Duration `json:"p95"`
}

// HostCost is what one host was asked for.
type HostCost struct {
	Host     string        `json:"host"`
	Requests int64         `json:"requests"`
	Bytes    int64         `json:"bytes"`
	Took     time.Duration `json:"took"`
	Waited   time.Duration `json:"waited"`
}
