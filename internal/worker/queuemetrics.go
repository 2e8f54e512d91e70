package worker

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/store"
)

// queueTimeout bounds how long the store may keep a scrape waiting.
const queueTimeout = 5 * time.Second

// queueMetrics tells how much there is to do, as the store knew it some seconds ago at
// most: every worker of a store tells the same.
type queueMetrics struct {
	store *store.Store
	log   *slog.Logger
	own   []string // queues that are told also when they are empty
	items *prometheus.Desc
	age   *prometheus.Desc
	runs  *prometheus.Desc

	mu     sync.Mutex
	at     time.Time // of the count below
	queues []rows.Queue
	states map[rows.RunState]int
}

func newQueueMetrics(st *service, s *store.Store, m *metrics, log *slog.Logger) *queueMetrics {
	q := &queueMetrics{
		store: s, log: log, own: st.ownQueues(),
		items: prometheus.NewDesc("vendemmia_queue_items", "Items of runs that are going on, in the whole store.", []string{"queue", "state"}, nil),
		age:   prometheus.NewDesc("vendemmia_queue_oldest_due_seconds", "How long the item that waits longest has been due, in the whole store.", []string{"queue"}, nil),
		runs:  prometheus.NewDesc("vendemmia_runs", "Runs that have not ended, in the whole store.", []string{"state"}, nil),
	}
	m.registry.MustRegister(q)
	return q
}

// Describe implements prometheus.Collector.
func (q *queueMetrics) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{q.items, q.age, q.runs} {
		out <- d
	}
}

// queueEvery is how old a count may be: counting reads every open item of the store.
const queueEvery = 5 * time.Second

// count counts, unless somebody has just now.
func (q *queueMetrics) count() ([]rows.Queue, map[rows.RunState]int, time.Time, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	if now.Sub(q.at) < queueEvery {
		return q.queues, q.states, q.at, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), queueTimeout)
	defer cancel()
	queues, err := q.store.Queues(ctx, now)
	if err != nil {
		return nil, nil, now, err
	}
	states, err := q.store.RunStates(ctx)
	if err != nil {
		return nil, nil, now, err
	}
	q.queues, q.states, q.at = queues, states, now
	return queues, states, now, nil
}

// Collect implements prometheus.Collector. A store that does not answer leaves
// these out of a scrape, and nothing else.
func (q *queueMetrics) Collect(out chan<- prometheus.Metric) {
	list, states, at, err := q.count()
	if err != nil {
		q.log.Warn("could not count queues for /metrics", "error", err)
		return
	}
	for _, state := range []rows.RunState{rows.RunWaiting, rows.RunOpening, rows.RunOpen} {
		out <- prometheus.MustNewConstMetric(q.runs, prometheus.GaugeValue, float64(states[state]), string(state))
	}
	for _, one := range q.withOwn(slices.Clone(list)) {
		for state, n := range map[string]int{"due": one.Due, "running": one.Running, "resting": one.Resting, "held": one.Held} {
			out <- prometheus.MustNewConstMetric(q.items, prometheus.GaugeValue, float64(n), one.Queue, state)
		}
		out <- prometheus.MustNewConstMetric(q.age, prometheus.GaugeValue, one.Waited(at).Seconds(), one.Queue)
	}
}

// withOwn adds this worker's queues without an item: a series that comes and goes
// is hard to alert on.
func (q *queueMetrics) withOwn(list []rows.Queue) []rows.Queue {
	for _, name := range q.own {
		if !slices.ContainsFunc(list, func(o rows.Queue) bool { return o.Queue == name }) {
			list = append(list, rows.Queue{Queue: name})
		}
	}
	return list
}
