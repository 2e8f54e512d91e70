package replica

import (
	"cmp"
	"time"
)

// Config describes a house of feeds; the zero value is one of each format.
type Config struct {
	// Seed makes the content; equal seeds give equal bytes.
	Seed uint64
	// Feeds is how many there are; 0: one of each format.
	Feeds int
	// Hosts is over how many addresses they are spread, at most MaxHosts; 0: 1.
	Hosts int
	// Port is the port on every address; 0: any that is free.
	Port int
	// Entries is how many each feed holds at the start; 0: 20.
	Entries int
	// Start is the time of the newest entry; zero: 3 May 2026, 08:00 UTC.
	Start time.Time
	// Shape says how feed i (from 0) is written; nil: the formats in turn, in
	// UTF-8, the hosts in turn.
	Shape func(i int) Shape
	// Faults are there from the start, by feed name.
	Faults map[string]Fault
}

// MaxHosts is how many loopback addresses there can be: 127.0.0.2 and up.
const MaxHosts = 200

// Shape is how one feed is written.
type Shape struct {
	Format  Format
	Charset Charset
	// Host is the number of its address, taken modulo Config.Hosts.
	Host int
	// Entries at the start; 0: Config.Entries.
	Entries int
	// Window lists only the newest so many; 0: all.
	Window int
	// Page splits JSON Feed (next_url) and Atom (rel=next, RFC 5005) into pages
	// of so many entries; 0: one page. The other formats have no paging.
	Page int
	// Weak gives a weak ETag; NoValidators neither ETag nor Last-Modified.
	Weak, NoValidators bool
}

// Format is a feed format.
type Format string

// The formats.
const (
	RSS091 Format = "rss-0.91"
	RSS092 Format = "rss-0.92"
	RSS1   Format = "rss-1.0"
	RSS2   Format = "rss-2.0"
	Atom03 Format = "atom-0.3"
	Atom1  Format = "atom-1.0"
	JSON1  Format = "json-1.1"
)

// Formats returns all formats.
func Formats() []Format { return []Format{RSS2, Atom1, RSS1, JSON1, RSS092, RSS091, Atom03} }

// hasIDs reports whether the format knows ids; else the link is the identity.
func (f Format) hasIDs() bool { return f == RSS2 || f == Atom03 || f == Atom1 || f == JSON1 }

func (c Config) withDefaults() Config {
	c.Feeds = cmp.Or(c.Feeds, len(Formats()))
	c.Hosts = min(max(c.Hosts, 1), MaxHosts)
	c.Entries = cmp.Or(c.Entries, 20)
	if c.Start.IsZero() {
		c.Start = time.Date(2026, time.May, 3, 8, 0, 0, 0, time.UTC)
	}
	if c.Shape == nil {
		formats := Formats()
		c.Shape = func(i int) Shape { return Shape{Format: formats[i%len(formats)], Host: i} }
	}
	return c
}
