package oai

import (
	"cmp"
	"time"
)

// Config describes a repository; the zero value is one of 1,000 records.
type Config struct {
	// Seed makes the content; equal seeds give equal bytes.
	Seed uint64
	// Records is how many there are at the start, deleted ones included; 0: 1,000.
	Records int
	// Page is how many records (or sets) a page holds; 0: 100.
	Page int
	// Collections and Parts make the sets: col_1 … with col_1:part_1 … below,
	// every record in exactly one of them; 0: 4 and 3. With one part the sets
	// are flat: col_1 …
	Collections, Parts int
	// OpenEvery puts every so-manieth record into the set "open" as well; 0: none.
	OpenEvery int
	// NoSets is a repository without sets (noSetHierarchy).
	NoSets bool
	// DeletedEvery makes every so-manieth record a deleted one; 0: none.
	DeletedEvery int
	// Deleted is the policy; "": persistent.
	Deleted Policy
	// Days is granularity day instead of second.
	Days bool
	// Earliest is the oldest datestamp; zero: 1 January 2015.
	Earliest time.Time
	// Clock is the repository's time, a day after the newest datestamp at the
	// start; zero: 3 May 2026, 08:00 UTC.
	Clock time.Time
	// TokenLife is how long a resumption token is valid; 0: a day.
	TokenLife time.Duration
	// Host and Port are where Start listens; "" and 0: 127.0.0.1, and any port
	// that is free.
	Host string
	Port int
	// Fault is there from the start, see Break.
	Fault Fault
	// CachePages keeps so many rendered pages, so that a benchmark measures the
	// harvester; 0: none. A change of content or clock forgets them.
	CachePages int
}

// Policy is what a repository does about deleted records.
type Policy string

// The policies (specification, section 2.5.1).
const (
	Persistent Policy = "persistent" // told for ever
	Transient  Policy = "transient"  // told until Forget
	Never      Policy = "no"         // not told: they are not there
)

func (c Config) withDefaults() Config {
	c.Records = cmp.Or(c.Records, 1000)
	c.Page = cmp.Or(c.Page, 100)
	c.Collections = cmp.Or(c.Collections, 4)
	c.Parts = cmp.Or(c.Parts, 3)
	c.Deleted = cmp.Or(c.Deleted, Persistent)
	c.Host = cmp.Or(c.Host, "127.0.0.1")
	c.TokenLife = cmp.Or(c.TokenLife, 24*time.Hour)
	if c.Earliest.IsZero() {
		c.Earliest = time.Date(2015, time.January, 1, 0, 0, 0, 0, time.UTC)
	}
	if c.Clock.IsZero() {
		c.Clock = time.Date(2026, time.May, 3, 8, 0, 0, 0, time.UTC)
	}
	c.Earliest, c.Clock = c.Earliest.UTC().Truncate(time.Second), c.Clock.UTC().Truncate(time.Second)
	return c
}
