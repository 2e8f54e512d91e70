// Package times reads and writes durations, and knows the dates that can be stored.
package times

import "time"

// Storable returns t in UTC, and whether its year in UTC is from 1 to 9999: JSON and
// the stores hold no other dates.
func Storable(t time.Time) (time.Time, bool) {
	t = t.UTC()
	return t, t.Year() >= 1 && t.Year() <= 9999
}
