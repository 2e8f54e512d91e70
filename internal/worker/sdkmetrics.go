package worker

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.temporal.io/sdk/client"
)

// sdkMetrics exports the metrics of the Temporal SDK to Prometheus. The SDK gives one
// name different labels in different places, so there is a vector for each name and
// set of labels. It is safe for many goroutines.
type sdkMetrics struct {
	mu      sync.Mutex
	vectors map[string]prometheus.Collector // by name and names of labels
}

// Describe implements prometheus.Collector; the metrics are not known beforehand.
func (m *sdkMetrics) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (m *sdkMetrics) Collect(out chan<- prometheus.Metric) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, v := range m.vectors {
		v.Collect(out)
	}
}

// sdkHandler is the SDK's view of sdkMetrics: with tags, which become labels.
type sdkHandler struct {
	metrics *sdkMetrics
	tags    prometheus.Labels
}

// WithTags implements client.MetricsHandler.
func (h sdkHandler) WithTags(tags map[string]string) client.MetricsHandler {
	all := maps.Clone(h.tags)
	if all == nil {
		all = prometheus.Labels{}
	}
	maps.Copy(all, tags)
	return sdkHandler{h.metrics, all}
}

// Counter implements client.MetricsHandler.
func (h sdkHandler) Counter(name string) client.MetricsCounter {
	v := vector(h, name+"_total", func(name string, labels []string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: ofSDK}, labels)
	})
	return sdkCounter{v.With(h.tags)}
}

// Gauge implements client.MetricsHandler.
func (h sdkHandler) Gauge(name string) client.MetricsGauge {
	v := vector(h, name, func(name string, labels []string) *prometheus.GaugeVec {
		return prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: ofSDK}, labels)
	})
	return sdkGauge{v.With(h.tags)}
}

// Timer implements client.MetricsHandler.
func (h sdkHandler) Timer(name string) client.MetricsTimer {
	v := vector(h, name+"_seconds", func(name string, labels []string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: ofSDK, Buckets: buckets()}, labels)
	})
	return sdkTimer{v.With(h.tags)}
}

const ofSDK = "A metric of the Temporal SDK, see https://docs.temporal.io/references/sdk-metrics."

// vector returns the vector of a name for the handler's labels.
func vector[V prometheus.Collector](h sdkHandler, name string, make func(string, []string) V) V {
	labels := slices.Sorted(maps.Keys(h.tags))
	key := name + " " + strings.Join(labels, " ")
	h.metrics.mu.Lock()
	defer h.metrics.mu.Unlock()
	if known, ok := h.metrics.vectors[key].(V); ok {
		return known
	}
	v := make(name, labels)
	h.metrics.vectors[key] = v
	return v
}

type sdkCounter struct{ prometheus.Counter }

// Inc implements client.MetricsCounter.
func (c sdkCounter) Inc(n int64) { c.Add(float64(n)) }

type sdkGauge struct{ prometheus.Gauge }

// Update implements client.MetricsGauge.
func (g sdkGauge) Update(v float64) { g.Set(v) }

type sdkTimer struct{ prometheus.Observer }

// Record implements client.MetricsTimer.
func (t sdkTimer) Record(d time.Duration) { t.Observe(d.Seconds()) }
