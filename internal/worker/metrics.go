package worker

import (
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/process"
	"github.com/vendemmia/vendemmia/internal/visit"
)

// metrics counts what happens in this process. No label names a host, an item
// or an address: there are too many, and some are secret.
type metrics struct {
	registry  *prometheus.Registry
	items     *prometheus.CounterVec
	runs      *prometheus.CounterVec
	lastGood  *prometheus.GaugeVec
	running   prometheus.Gauge
	pages     *prometheus.CounterVec
	documents *prometheus.CounterVec
	exchanges *prometheus.CounterVec
	notified  *prometheus.CounterVec
	bytes     prometheus.Counter
	took      prometheus.Histogram
	waited    prometheus.Histogram
	sdk       *sdkMetrics
	inFlight  atomic.Int64 // what running says
}

func newMetrics(e process.Env) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		items:    counter("items_total", "Items closed.", "fetcher", "outcome"),
		runs:     counter("runs_total", "Runs that this process closed.", "campaign", "outcome"),
		lastGood: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "vendemmia_run_last_success_timestamp_seconds", Help: "When this process last closed a run that went well; take the newest of all workers.",
		}, []string{"campaign"}),
		running:   prometheus.NewGauge(prometheus.GaugeOpts{Name: "vendemmia_items_in_flight", Help: "Items at work in this process."}),
		pages:     counter("pages_total", "Pages committed.", "fetcher"),
		documents: counter("documents_total", "Documents of committed pages.", "fetcher", "change"),
		exchanges: counter("exchanges_total", "HTTP exchanges.", "status", "kind"),
		notified:  counter("notifications_total", "Attempts to send a notification.", "result"),
		bytes:     prometheus.NewCounter(prometheus.CounterOpts{Name: "vendemmia_received_bytes_total", Help: "Bytes of bodies, as transferred."}),
		took:      seconds("exchange_seconds", "Duration of an exchange."),
		waited:    seconds("host_wait_seconds", "Wait for the turn of a host."),
		sdk:       &sdkMetrics{vectors: map[string]prometheus.Collector{}},
	}
	m.registry.MustRegister(m.items, m.runs, m.lastGood, m.running, m.pages, m.documents, m.exchanges, m.notified, m.bytes, m.took, m.waited, m.sdk,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	build := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "vendemmia_build_info", Help: "Which version this process is."}, []string{"version"})
	build.WithLabelValues(e.Version).Set(1)
	m.registry.MustRegister(build)
	return m
}

func counter(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: "vendemmia_" + name, Help: help}, labels)
}

func seconds(name, help string) prometheus.Histogram {
	return prometheus.NewHistogram(prometheus.HistogramOpts{Name: "vendemmia_" + name, Help: help, Buckets: buckets()})
}

func buckets() []float64 { return []float64{.01, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60} }

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// ItemClosed, ItemsInFlight, Page and Exchange are what activities tell.
func (m *metrics) ItemClosed(fetcher string, o outcomes.Outcome) {
	m.items.WithLabelValues(fetcher, string(o)).Inc()
}

// RunClosed counts how a run ended.
func (m *metrics) RunClosed(campaign string, o outcomes.Outcome, at time.Time) {
	m.runs.WithLabelValues(campaign, string(o)).Inc()
	if o.Severity() == outcomes.OK {
		m.lastGood.WithLabelValues(campaign).Set(float64(at.Unix()))
	}
}

func (m *metrics) ItemsInFlight(change int) {
	m.inFlight.Add(int64(change))
	m.running.Add(float64(change))
}

func (m *metrics) Page(fetcher string, t harvest.Tally) {
	m.pages.WithLabelValues(fetcher).Inc()
	for change, n := range map[string]int{"new": t.New, "changed": t.Changed, "same": t.Same, "deleted": t.Deleted, "quarantined": t.Quarantined} {
		if n > 0 {
			m.documents.WithLabelValues(fetcher, change).Add(float64(n))
		}
	}
}

// Notified counts what became of an attempt to send a message.
func (m *metrics) Notified(result string) { m.notified.WithLabelValues(result).Inc() }

// Exchange counts a request.
func (m *metrics) Exchange(x visit.Exchange) {
	m.exchanges.WithLabelValues(strconv.Itoa(x.Status), string(x.Kind)).Inc()
	m.bytes.Add(float64(x.Bytes))
	m.took.Observe(x.Took.Seconds())
	m.waited.Observe(x.Waited.Seconds())
}
