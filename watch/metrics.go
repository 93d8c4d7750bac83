package watch

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Handler answers GET /metrics for Prometheus.
func (w *Watcher) Handler() http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(w)
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	return mux
}

// metric describes what Prometheus is told.
func metric(name, help string) *prometheus.Desc {
	return prometheus.NewDesc("musubi_"+name, help, nil, nil)
}

var (
	metricOK       = metric("verdict_ok", "1 if the tables connect all pairs and no deadlock is possible, else 0.")
	metricCycle    = metric("cycle_channels", "Channels of a cycle of dependencies, 0 if there is none.")
	metricPairs    = metric("pairs", "Ordered pairs of end points.")
	metricLost     = metric("lost_pairs", "Ordered pairs that the tables do not surely connect.")
	metricLoad     = metric("worst_load_pairs", "Pairs whose path uses the most used link in one direction.")
	metricAge      = metric("verdict_age_seconds", "Time since the last verification.")
	metricDumpAge  = metric("dumps_age_seconds", "Time since the newest of the verified dumps was written.")
	metricReadable = metric("dumps_ok", "1 if the dumps could be read at the last look, else 0.")
	metricChecks   = metric("verifications_total", "Verifications so far.")
	metricFailures = metric("failed_looks_total", "Looks at which the dumps could not be collected or read.")
)

// Describe and Collect implement prometheus.Collector.
func (w *Watcher) Describe(out chan<- *prometheus.Desc) { prometheus.DescribeByCollect(w, out) }

// Collect tells the state. Until something has been verified, there is no verdict to tell.
func (w *Watcher) Collect(out chan<- prometheus.Metric) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	tell := func(d *prometheus.Desc, kind prometheus.ValueType, v float64) {
		out <- prometheus.MustNewConstMetric(d, kind, v)
	}
	tell(metricReadable, prometheus.GaugeValue, flag(w.last.Err == nil))
	tell(metricChecks, prometheus.CounterValue, float64(w.checks))
	tell(metricFailures, prometheus.CounterValue, float64(w.failures))
	if w.at.IsZero() {
		return
	}
	tell(metricOK, prometheus.GaugeValue, flag(w.verdict.OK))
	tell(metricCycle, prometheus.GaugeValue, float64(w.verdict.Cycle))
	tell(metricPairs, prometheus.GaugeValue, float64(w.verdict.Pairs))
	tell(metricLost, prometheus.GaugeValue, float64(w.verdict.Lost))
	tell(metricAge, prometheus.GaugeValue, time.Since(w.at).Seconds())
	if !w.changed.IsZero() {
		tell(metricDumpAge, prometheus.GaugeValue, time.Since(w.changed).Seconds())
	}
	if w.verdict.Load > 0 {
		tell(metricLoad, prometheus.GaugeValue, float64(w.verdict.Load))
	}
}

func flag(on bool) float64 {
	if on {
		return 1
	}
	return 0
}
