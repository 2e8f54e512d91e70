package worker

import (
	"context"
	"log/slog"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/fx"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/polite"
	"github.com/vendemmia/vendemmia/store"
)

// hostsEvery is how soon a worker sees what another one, or a person, said about
// a host.
const hostsEvery = 2 * time.Second

// allHostsEvery is how soon it forgets what holds no more by itself, such as what a
// robots.txt asked for.
const allHostsEvery = 10 * time.Minute

// hosts keeps the store's truth about hosts at hand, so that asking for a rule
// costs no statement.
type hosts struct {
	store *store.Store
	log   *slog.Logger
	table atomic.Pointer[map[string]rows.Host]

	mu    sync.Mutex
	after int64     // the change that was seen last
	whole time.Time // when all were read last
}

func newHosts(life fx.Lifecycle, s *store.Store, log *slog.Logger) (*hosts, error) {
	h := &hosts{store: s, log: log}
	if err := h.read(context.Background()); err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	var done sync.WaitGroup
	life.Append(fx.StartStopHook(
		func() { done.Go(func() { h.follow(ctx) }) },
		func() { stop(); done.Wait() },
	))
	return h, nil
}

func (h *hosts) follow(ctx context.Context) {
	tick := time.NewTicker(hostsEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := h.read(ctx); err != nil && ctx.Err() == nil {
				h.log.Warn("the rules of hosts could not be read; the last ones hold", "error", err)
			}
		}
	}
}

// read takes over what changed since the last time.
func (h *hosts) read(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	after := h.after
	if time.Since(h.whole) > allHostsEvery {
		after = 0
	}
	c, err := h.store.HostsSince(ctx, after)
	if err != nil {
		return err
	}
	if c.All || len(c.Hosts) > 0 {
		h.take(c)
	}
	h.after = c.Last
	return nil
}

func (h *hosts) take(c rows.HostChanges) {
	table := make(map[string]rows.Host, len(c.Hosts))
	if c.All {
		h.whole = time.Now()
	} else {
		maps.Copy(table, *h.table.Load())
	}
	for _, host := range c.Hosts {
		table[host.Name] = host
	}
	h.table.Store(&table)
}

// rule is a host's own, with what "*" says for what it leaves open.
func (h *hosts) rule(name string) polite.Rule {
	table := *h.table.Load()
	own, all := table[name], table["*"]
	r := polite.Rule{Slow: own.Slow, RestUntil: own.RestUntil, RestWhy: own.RestWhy, CA: own.CA}
	r.Every, r.Connections, _ = own.Pace(all)
	if r.Robots = own.Robots; r.Robots == "" && all.Robots == polite.RobotsIgnore {
		r.Robots = all.Robots // "obey" for all hosts is what pages do anyway; protocols are not asked to
	}
	for _, p := range []*rows.Pause{own.Paused, all.Paused} {
		if p.Holds(time.Now()) {
			r.Paused, r.PausedAt, r.PausedUntil = pauseText(*p), p.At, p.Until
		}
	}
	return r
}

func pauseText(p rows.Pause) string {
	if p.Note == "" {
		return "paused by " + p.By
	}
	return p.Note
}

// rest is told when a host asked for it: for all workers.
func (h *hosts) rest(ctx context.Context, host string, until time.Time, why string) error {
	ctx = context.WithoutCancel(ctx)
	if err := h.changed(ctx, h.store.RestHost(ctx, host, until, why)); err != nil {
		h.log.Warn("a host's wish for rest could not be kept for all; this worker keeps it", "host", host, "until", until, "error", err)
		return err
	}
	h.log.Info("a host asked for rest", "host", host, "until", until, "why", why)
	return nil
}

// slow is told when a host is to be asked more slowly, or less so: by all workers.
func (h *hosts) slow(ctx context.Context, host string, gap time.Duration, why string) error {
	ctx = context.WithoutCancel(ctx)
	if err := h.changed(ctx, h.store.SlowHost(ctx, host, gap, why)); err != nil {
		h.log.Warn("a host's pace could not be kept for all; this worker keeps it", "host", host, "gap", gap, "error", err)
		return err
	}
	h.log.Info("a host's pace follows its answers", "host", host, "gap", gap, "why", why)
	return nil
}

// delay is told what gap a host's robots.txt asks for, and for how long that holds: for
// all workers.
func (h *hosts) delay(ctx context.Context, host string, gap, keep time.Duration) error {
	if err := h.changed(ctx, h.store.DelayHost(ctx, host, gap, keep)); err != nil {
		h.log.Warn("the Crawl-delay of a host could not be kept for all; who reads its robots.txt keeps it", "host", host, "gap", gap, "error", err)
		return err
	}
	return nil
}

// changed makes what was just written hold here at once.
func (h *hosts) changed(ctx context.Context, err error) error {
	if err != nil {
		return err
	}
	return h.read(ctx)
}
