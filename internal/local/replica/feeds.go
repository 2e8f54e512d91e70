package replica

import (
	"fmt"
	"net/http"
	"sync"
)

// Feeds is a house of feeds. All methods may be called at once; those that
// name a feed ("0017") panic on a name that is none, for that is a mistake of
// the test.
type Feeds struct {
	config Config
	hosts  []string // authorities, one for each of Config.Hosts
	server *http.Server
	done   chan struct{}
	once   sync.Once
	wg     sync.WaitGroup

	mu       sync.Mutex
	feeds    []*feed
	byName   map[string]*feed
	counts   map[string]Counts // by host
	arrivals map[string][]*Arrival
}

// NewFeeds makes a house without a server: use its Handler. Its addresses then
// begin with "http://replica.example".
func NewFeeds(c Config) *Feeds {
	f := &Feeds{
		config: c.withDefaults(), done: make(chan struct{}), byName: map[string]*feed{},
		counts: map[string]Counts{}, arrivals: map[string][]*Arrival{},
	}
	for i := range f.config.Feeds {
		feed := newFeed(f.config, i)
		f.feeds = append(f.feeds, feed)
		f.byName[feed.name] = feed
	}
	for range f.config.Hosts {
		f.hosts = append(f.hosts, "replica.example")
	}
	return f
}

// StartFeeds makes a house and serves it on loopback addresses. Close it.
func StartFeeds(c Config) (*Feeds, error) {
	f := NewFeeds(c)
	if err := f.listen(); err != nil {
		f.Close()
		return nil, fmt.Errorf("start the replica of %d feeds: %w", f.config.Feeds, err)
	}
	return f, nil
}

// Close ends the server and every answer still under way. It may be called
// twice.
func (f *Feeds) Close() {
	f.once.Do(func() {
		close(f.done)
		if f.server != nil {
			f.server.Close() // nothing is to be kept
		}
	})
	f.wg.Wait()
}

// Names lists the feeds in order: "0000", "0001" …
func (f *Feeds) Names() []string {
	names := make([]string, 0, len(f.feeds))
	for _, feed := range f.feeds {
		names = append(names, feed.name)
	}
	return names
}

// Hosts lists the authorities that answer, one for each of Config.Hosts.
func (f *Feeds) Hosts() []string { return append([]string(nil), f.hosts...) }

// URL is the address of a feed.
func (f *Feeds) URL(name string) string { return f.at(name).url(1) }

// OPML is the address of the list of all feeds.
func (f *Feeds) OPML() string { return "http://" + f.hosts[0] + "/feeds.opml" }

// Publish adds n entries to a feed and returns their identities.
func (f *Feeds) Publish(name string, n int) []string {
	if n <= 0 {
		return nil
	}
	f.change(name, func(feed *feed) { feed.publish(n) })
	v := f.at(name)
	v.fault, v.shape.Window = Fault{}, n
	return identities(v.entries())
}

// Edit changes the newest n entries of a feed; their ids stay.
func (f *Feeds) Edit(name string, n int) {
	f.change(name, func(feed *feed) { feed.edit(n) })
}

// Break makes all coming requests for a feed fail so.
func (f *Feeds) Break(name string, fault Fault) {
	f.change(name, func(feed *feed) { feed.fault, feed.next = fault, nil })
}

// BreakNext makes the next n requests for a feed fail so; calls add up.
func (f *Feeds) BreakNext(name string, n int, fault Fault) {
	f.change(name, func(feed *feed) {
		for range n {
			feed.next = append(feed.next, fault)
		}
	})
}

// Heal ends all faults of a feed.
func (f *Feeds) Heal(name string) { f.Break(name, Fault{}) }

// Entries lists what a feed lists now under its lasting fault, newest first.
func (f *Feeds) Entries(name string) []Entry { return f.at(name).entries() }

// Holds lists the identities of the entries that a feed lists now and that can
// be read, newest first, each once. Faults that spoil an answer but not the
// entries do not count.
func (f *Feeds) Holds(name string) []string { return identities(f.Entries(name)) }

func identities(list []Entry) []string {
	var ids []string
	seen := map[string]bool{}
	for _, e := range list {
		if id := e.Identity(); id != "" && !seen[id] {
			ids, seen[id] = append(ids, id), true
		}
	}
	return ids
}

func (f *Feeds) change(name string, do func(*feed)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	do(f.feed(name))
}

// feed looks up; the lock is held.
func (f *Feeds) feed(name string) *feed {
	feed, ok := f.byName[name]
	if !ok {
		panic(fmt.Sprintf("replica: no feed %q, there are 0000 to %04d", name, len(f.feeds)-1))
	}
	return feed
}

// at is a feed as it is now, at its own address.
func (f *Feeds) at(name string) view {
	f.mu.Lock()
	defer f.mu.Unlock()
	feed := f.feed(name)
	return f.view(feed, feed.fault, f.hosts[feed.shape.Host%len(f.hosts)])
}

// view makes a view of a feed under a fault; the lock is held.
func (f *Feeds) view(feed *feed, fault Fault, host string) view {
	v := view{feed: *feed, seed: f.config.Seed, start: f.config.Start, base: "http://" + host}
	v.opens = f.opens(feed)
	v.fault = fault
	if fault.shape != nil {
		v.shape = fault.shape(v.shape)
	}
	return v
}

func (f *Feeds) opens(feed *feed) int {
	if feed.shape.Entries > 0 {
		return feed.shape.Entries
	}
	return f.config.Entries
}
