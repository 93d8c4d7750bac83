package pairs

import (
	"math"
	"slices"

	"musubi/units"
	"musubi/workload"
	"musubi/workload/internal/ranks"
)

// trial is one measurement of a benchmark between two ranks.
type trial struct {
	pair
	by      mechanism
	copying copying
	size    int              // data per message, in bytes
	places  int              // for messages in flight that must not overwrite each other
	labels  []workload.Label // of its results
}

// readTrials reads the parameters mechanism, copy, from, to and bytes, and returns
// their combinations. If bytes has no value, sizes go up to most.
func readTrials(v *workload.Values, env workload.Env, most units.Bytes) []trial {
	mechanisms, copies, pairs := readMechanisms(v, env), readCopies(v), readPairs(v, env)
	var list []trial
	for _, by := range mechanisms {
		sizes := sizesBy(v, by, env, most)
		for _, copying := range copies {
			var common []workload.Label
			if len(mechanisms) > 1 {
				common = append(common, workload.Label{Name: "mechanism", Value: string(by)})
			}
			if len(copies) > 1 {
				common = append(common, workload.Label{Name: "copy", Value: string(copying)})
			}
			for _, q := range pairs {
				labels := append(common[:len(common):len(common)], q.labels()...)
				for _, size := range sizes {
					list = append(list, trial{pair: q, by: by, copying: copying, size: size, places: 1, labels: labels})
				}
			}
		}
	}
	return list
}

// largest returns the size of the longest message.
func largest(trials []trial) int {
	size := 0
	for i := range trials {
		size = max(size, trials[i].size)
	}
	return size
}

// mostPlaces returns how many places the trials need.
func mostPlaces(trials []trial) int {
	n := 0
	for i := range trials {
		n = max(n, trials[i].places)
	}
	return n
}

// inFlight returns how many bytes the messages of a trial have that may not overwrite each other, at most.
func inFlight(trials []trial) int {
	bytes := 0
	for i := range trials {
		bytes = max(bytes, trials[i].places*trials[i].size)
	}
	return bytes
}

// of returns the trials in which a rank takes part.
func of(rank int, trials []trial) []trial {
	return slices.DeleteFunc(slices.Clone(trials), func(t trial) bool { return !t.includes(rank) })
}

// copied returns the trials in which the receiver copies messages.
func copied(trials []trial) []trial {
	return slices.DeleteFunc(slices.Clone(trials), func(t trial) bool { return t.copying == copyNone })
}

// only returns the trials that use a mechanism.
func only(by mechanism, trials []trial) []trial {
	return slices.DeleteFunc(slices.Clone(trials), func(t trial) bool { return t.by != by })
}

// earlier counts the trials before slot, among those that some selects, with the same mechanism and
// size, so that their messages end in the same place.
func earlier(trials []trial, slot int, some func(t *trial) bool) int {
	n := 0
	for i := range slot {
		if t := &trials[i]; t.by == trials[slot].by && t.size == trials[slot].size && some(t) {
			n++
		}
	}
	return n
}

// metric converts the time of a message in microseconds into a result.
type metric struct {
	name, unit string
	value      func(bytes int, us float64) float64
}

var (
	latencyMetric   = metric{"latency", "us", func(_ int, us float64) float64 { return us }}
	intervalMetric  = metric{"interval", "us", func(_ int, us float64) float64 { return us }}
	bandwidthMetric = metric{"bandwidth", "MB/s", func(bytes int, us float64) float64 { return float64(bytes) / us }}
	rateMetric      = metric{"message_rate", "1/s", func(_ int, us float64) float64 { return 1e6 / us }}
)

// rows adds the results of trials; the scores are their times in microseconds. What takes no time, as
// between ranks of an ideal host, has no rate, and so no row of it.
func rows(trials []trial, results *ranks.Scores, out *workload.Rows, metrics ...metric) error {
	times, err := results.All()
	if err != nil {
		return err
	}
	for _, m := range metrics {
		for i, us := range times {
			t, value := &trials[i], m.value(trials[i].size, us)
			if !math.IsInf(value, 0) && !math.IsNaN(value) {
				out.Add(workload.Row{Metric: m.name, Unit: m.unit, Value: value, Bytes: t.size, Labels: t.labels})
			}
		}
	}
	return nil
}
