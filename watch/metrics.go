package watch

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// textFormat is the content type of the text format, which all servers of Prometheus read.
const textFormat = "text/plain; version=0.0.4; charset=utf-8"

// Handler answers GET /metrics for Prometheus.
func (w *Watcher) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(answer http.ResponseWriter, _ *http.Request) {
		answer.Header().Set("Content-Type", textFormat)
		for _, m := range w.metrics() {
			m.write(answer)
		}
	})
	return mux
}

// metric is a number that Prometheus is told.
type metric struct {
	name, kind, help string
	value            float64
}

// write writes a metric in the text format. Helps have neither line feeds nor backslashes, which it would escape.
func (m metric) write(out io.Writer) {
	fmt.Fprintf(out, "# HELP musubi_%[1]s %[2]s\n# TYPE musubi_%[1]s %[3]s\nmusubi_%[1]s %[4]s\n", m.name, m.help, m.kind, strconv.FormatFloat(m.value, 'g', -1, 64))
}

const gauge, counter = "gauge", "counter"

// metrics returns the state. Until something has been verified, there is no verdict to tell.
func (w *Watcher) metrics() []metric {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	all := []metric{
		{"dumps_ok", gauge, "1 if the dumps could be read at the last look, else 0.", flag(w.last.Err == nil)},
		{"verifications_total", counter, "Verifications so far.", float64(w.checks)},
		{"failed_looks_total", counter, "Looks at which the dumps could not be collected or read.", float64(w.failures)},
	}
	if w.at.IsZero() {
		return all
	}
	all = append(all,
		metric{"verdict_ok", gauge, "1 if the tables connect all pairs and no deadlock is possible, else 0.", flag(w.verdict.OK)},
		metric{"cycle_channels", gauge, "Channels of a cycle of dependencies, 0 if there is none.", float64(w.verdict.Cycle)},
		metric{"pairs", gauge, "Ordered pairs of end points.", float64(w.verdict.Pairs)},
		metric{"lost_pairs", gauge, "Ordered pairs that the tables do not surely connect.", float64(w.verdict.Lost)},
		metric{"verdict_age_seconds", gauge, "Time since the last verification.", time.Since(w.at).Seconds()},
	)
	if !w.changed.IsZero() {
		all = append(all, metric{"dumps_age_seconds", gauge, "Time since the newest of the verified dumps was written.", time.Since(w.changed).Seconds()})
	}
	if w.verdict.Load > 0 {
		all = append(all, metric{"worst_load_pairs", gauge, "Pairs whose path uses the most used link in one direction.", float64(w.verdict.Load)})
	}
	return all
}

func flag(on bool) float64 {
	if on {
		return 1
	}
	return 0
}
