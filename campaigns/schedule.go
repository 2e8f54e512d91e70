package campaigns

import "time"

// Schedule says when a campaign is due. Exactly one of Every, At and Cron is
// set.
type Schedule struct {
	Every  time.Duration `json:"every,omitempty"`
	Offset time.Duration `json:"offset,omitempty"`
	At     []string      `json:"at,omitempty"`   // "18:00"
	Days   []string      `json:"days,omitempty"` // mon … sun; empty: all
	Cron   []string      `json:"cron,omitempty"` // five fields, or @daily …
	// TimeZone is an IANA name; empty is UTC.
	TimeZone string `json:"time_zone,omitempty"`
	// Jitter is the spread; nil: by name, up to two minutes.
	Jitter  *time.Duration `json:"jitter,omitempty"`
	Start   string         `json:"start,omitempty"` // 2026-01-31
	End     string         `json:"end,omitempty"`   // included
	Skip    []string       `json:"skip,omitempty"`  // 2026-08-15 or 12-25
	MaxRuns int            `json:"max_runs,omitempty"`
	Overlap Overlap        `json:"overlap"`
	CatchUp time.Duration  `json:"catch_up"`
}

// Overlap is what happens if a run is due while another one is running.
type Overlap string

// The overlap policies.
const (
	OverlapSkip      Overlap = "skip"
	OverlapBufferOne Overlap = "buffer_one"
	OverlapBufferAll Overlap = "buffer_all"
	OverlapCancel    Overlap = "cancel"
	OverlapTerminate Overlap = "terminate"
	OverlapAllow     Overlap = "allow"
)
