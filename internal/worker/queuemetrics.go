package worker

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/store"
)

// queueTimeout bounds how long the store may keep a scrape waiting.
const queueTimeout = 5 * time.Second

// queueMetrics tells how much there is to do, as the store knows it when it is
// asked: every worker of a store tells the same.
type queueMetrics struct {
	store *store.Store
	log   *slog.Logger
	own   []string // queues that are told also when they are empty
	items *prometheus.Desc
	age   *prometheus.Desc
	runs  *prometheus.Desc
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

// Collect implements prometheus.Collector. A store that does not answer leaves
// these out of a scrape, and nothing else.
func (q *queueMetrics) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), queueTimeout)
	defer cancel()
	now := time.Now()
	list, err := q.store.Queues(ctx, now)
	if err == nil {
		err = q.collectRuns(ctx, out)
	}
	if err != nil {
		q.log.Warn("could not count queues for /metrics", "error", err)
		return
	}
	for _, one := range q.withOwn(list) {
		for state, n := range map[string]int{"due": one.Due, "running": one.Running, "resting": one.Resting, "held": one.Held} {
			out <- prometheus.MustNewConstMetric(q.items, prometheus.GaugeValue, float64(n), one.Queue, state)
		}
		out <- prometheus.MustNewConstMetric(q.age, prometheus.GaugeValue, one.Waited(now).Seconds(), one.Queue)
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

func (q *queueMetrics) collectRuns(ctx context.Context, out chan<- prometheus.Metric) error {
	states, err := q.store.RunStates(ctx)
	if err != nil {
		return err
	}
	for _, state := range []rows.RunState{rows.RunWaiting, rows.RunOpening, rows.RunOpen} {
		out <- prometheus.MustNewConstMetric(q.runs, prometheus.GaugeValue, float64(states[state]), string(state))
	}
	return nil
}
