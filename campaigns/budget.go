package campaigns

import (
	"strconv"
	"time"

	"github.com/vendemmia/vendemmia/campaigns/internal/values"
)

// What an allowance can be of, and per what.
const (
	Requests  = "requests"
	Bytes     = "bytes"
	Documents = "documents"

	PerRun   = "run"
	PerDay   = "day"
	PerMonth = "month"
)

// Limit is an allowance and for whom it holds: for the items of an entry together, or,
// without an entry, for the whole campaign.
type Limit struct {
	Allowance
	Entry string
}

// Limits returns the limits of an entry's items, those of the campaign first.
func (c *Campaign) Limits(e *Entry) []Limit {
	var out []Limit
	for _, a := range c.Budget {
		out = append(out, Limit{Allowance: a})
	}
	for _, a := range e.Budget {
		out = append(out, Limit{Allowance: a, Entry: e.Name})
	}
	return out
}

// AllLimits returns the limits of the campaign and of all its entries.
func (c *Campaign) AllLimits() []Limit {
	out := c.Limits(&Entry{})
	for i := range c.Entries {
		for _, a := range c.Entries[i].Budget {
			out = append(out, Limit{Allowance: a, Entry: c.Entries[i].Name})
		}
	}
	return out
}

// Zone returns the time zone of the campaign, in which its days and months are.
func (c *Campaign) Zone() *time.Location {
	if c.Schedule != nil {
		if zone, err := time.LoadLocation(c.Schedule.TimeZone); err == nil {
			return zone
		}
	}
	return time.UTC
}

// Amount writes an amount of what the allowance is of: 500 documents, 5GiB.
func (a Allowance) Amount(n int64) string {
	if a.What == Bytes {
		return values.FormatSize(n)
	}
	return strconv.FormatInt(n, 10) + " " + a.What
}

// Period returns the first day of the allowance's day or month around a moment, and when
// that ends. An allowance per run has neither.
func (a Allowance) Period(now time.Time) (from int, ends time.Time) {
	y, m, d := now.Date()
	switch a.Per {
	case PerDay:
		return Day(now), time.Date(y, m, d+1, 0, 0, 0, 0, now.Location())
	case PerMonth:
		return Day(now) - d + 1, time.Date(y, m+1, 1, 0, 0, 0, 0, now.Location())
	default:
		return 0, time.Time{}
	}
}

// Day writes a day as a number: 20261122.
func Day(at time.Time) int {
	y, m, d := at.Date()
	return y*10000 + int(m)*100 + d
}
