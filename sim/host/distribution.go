package host

import (
	"musubi/sim/fabric"
	"musubi/units"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Distribution summarises times. Count, mean and maximum are exact, quantiles to
// three digits.
type Distribution struct {
	histogram *hdrhistogram.Histogram
	sum       float64
	max       units.Time
}

// longest is the longest time whose quantile is told from longer ones.
const longest = 100 * units.Second

func newDistribution() *Distribution {
	return &Distribution{histogram: hdrhistogram.New(1, int64(longest), 3)}
}

func (d *Distribution) record(t units.Time) {
	d.sum += float64(t)
	d.max = max(d.max, t)
	// The only error is a value out of range.
	_ = d.histogram.RecordValue(int64(min(t, longest)))
}

// Count returns how many times were recorded.
func (d *Distribution) Count() int64 { return d.histogram.TotalCount() }

// Mean returns the mean in microseconds; 0 if nothing was recorded.
func (d *Distribution) Mean() float64 {
	if d.Count() == 0 {
		return 0
	}
	return d.sum / float64(d.Count()) / float64(units.Microsecond)
}

// Max returns the longest time.
func (d *Distribution) Max() units.Time { return d.max }

// Quantile returns the time that a part of all, from 0 to 1, does not exceed.
func (d *Distribution) Quantile(part float64) units.Time {
	return min(d.max, units.Time(d.histogram.ValueAtQuantile(100*part)))
}

// latencies are the times from when a packet is in the queue of its network interface, and from
// when it enters the network, to the arrival of its tail.
type latencies struct{ packet, network *Distribution }

func newLatencies() *latencies { return &latencies{newDistribution(), newDistribution()} }

// record enters a packet, unless it is many.
func (l *latencies) record(d fabric.Delivery) {
	if d.Packets > 0 {
		return
	}
	l.packet.record(d.Tail - d.Queued)
	l.network.record(d.Tail - d.Entered)
}
