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
