package oai

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Path is where Handler answers; below it, at /fault/NAME, are the same records
// behind a fault.
const Path = "/oai"

// Repository is an OAI-PMH repository. All methods may be called at once.
type Repository struct {
	config Config
	newest int64    // datestamp at the start, unix seconds
	specs  []string // setSpec by leaf
	words  words
	faults map[string]Fault
	base   string
	server *http.Server
	done   chan struct{}
	once   sync.Once
	wg     sync.WaitGroup

	mu    sync.RWMutex
	clock time.Time
	total int // numbers given out
	over  map[int]record
	keys  []int // of over, rising
	epoch int   // tokens of another one have expired
	picks *rand.Rand
	cache map[string]*answer

	desk   sync.Mutex // of what follows
	fault  Fault
	coming []Fault
	seen   map[string]bool // by faults that answer differently the second time
	log    []*Request
}

// New makes a repository without a server: use its Handler.
func New(c Config) *Repository {
	c = c.withDefaults()
	r := &Repository{
		config: c, newest: c.Clock.Add(-24 * time.Hour).Unix(), words: newWords(), base: "http://replica.example", done: make(chan struct{}), faults: map[string]Fault{},
		clock: c.Clock, total: c.Records, over: map[int]record{}, fault: c.Fault, seen: map[string]bool{}, cache: map[string]*answer{},
		picks: rand.New(rand.NewPCG(c.Seed, 1)), // repeatable on purpose
	}
	for leaf := range r.leaves() {
		r.specs = append(r.specs, r.leafSpec(leaf))
	}
	for _, f := range Faults() {
		r.faults[f.Name] = f
	}
	return r
}

// Start makes a repository and serves it on a loopback address. Close it.
func Start(c Config) (*Repository, error) {
	r := New(c)
	var lc net.ListenConfig
	l, err := lc.Listen(context.Background(), "tcp4", net.JoinHostPort(r.config.Host, strconv.Itoa(c.Port)))
	if err != nil {
		return nil, fmt.Errorf("start the replica of %d records: %w", r.config.Records, err)
	}
	r.base = "http://" + l.Addr().String()
	r.server = &http.Server{Handler: r.Handler(), ReadHeaderTimeout: 10 * time.Second}
	r.wg.Go(func() { r.server.Serve(l) }) // ends with Close
	return r, nil
}

// Close ends the server and every answer still under way. It may be called
// twice.
func (r *Repository) Close() {
	r.once.Do(func() {
		close(r.done)
		if r.server != nil {
			r.server.Close() // nothing is to be kept
		}
	})
	r.wg.Wait()
}

// URL is the base URL.
func (r *Repository) URL() string { return r.base + Path }

// FaultURL is the base URL behind a fault: "cut-stream", "cut-stream:250".
func (r *Repository) FaultURL(name string) string { return r.base + Path + "/fault/" + name }

// Break makes all coming requests fail so; the zero Fault heals.
func (r *Repository) Break(f Fault) {
	r.desk.Lock()
	defer r.desk.Unlock()
	r.fault, r.coming = f, nil
}

// BreakNext makes the next n requests fail so; calls add up.
func (r *Repository) BreakNext(n int, f Fault) {
	r.desk.Lock()
	defer r.desk.Unlock()
	for range n {
		r.coming = append(r.coming, f)
	}
}

// Heal ends all faults set by call.
func (r *Repository) Heal() { r.Break(Fault{}) }

// Clock is the repository's time.
func (r *Repository) Clock() time.Time {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.clock
}

// SetClock moves the clock, also back.
func (r *Repository) SetClock(t time.Time) {
	r.change(func() { r.clock = t.UTC().Truncate(time.Second) })
}

// Advance moves the clock on.
func (r *Repository) Advance(d time.Duration) { r.SetClock(r.Clock().Add(d)) }

// ExpireTokens makes every token given so far invalid.
func (r *Repository) ExpireTokens() { r.change(func() { r.epoch++ }) }

// change does something after which no rendered page is true any more.
func (r *Repository) change(do func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	do()
	clear(r.cache)
}
