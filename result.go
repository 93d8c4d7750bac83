package musubi

import (
	"context"
	"time"

	"musubi/rings"
	"musubi/sim/host"
	"musubi/trace/record"
	"musubi/units"
	"musubi/workload"
)

// Result is what a run has given.
type Result struct {
	Workload string // empty for a program
	Machine  string
	Live     bool // run by processes on this host, so that there is no Simulation
	Ranks    int
	// Topology and Routing are empty on machines without a network.
	Topology, Routing string
	// Engine is nil unless the scenario asks for one.
	Engine *Engine

	// Rows tell what the workload has measured, and then of receive rings, accesses, packets
	// and links: ring_stalls (count) and ring_stall_time (us) if receive rings were used,
	// corrupt_packets and packets_sent_again (count), accesses (count, by case) and
	// system_time (us) with memory-based communication,
	// packet_latency (us, by statistic), utilisation (fraction of the time, by
	// statistic), and where the workload asks for it
	// bytes_per_level (B) and packets_per_level (count), both by level and statistic.
	Rows []workload.Row
	// Links are the directed links that have carried something, those of hosts and their engines
	// included, the most used first; of several offered loads one after the other.
	Links     []LinkUse
	Latencies []Latencies // of packets, as in Rows by statistic

	Simulation Simulation
	Rings      host.RingUse
	Record     *rings.Record // if the scenario asks for it
	Messages   *record.Job   // if the scenario asks for a file of them
}

// LinkUse says how busy a directed link was.
type LinkUse struct {
	host.LinkUse
	Labels []workload.Label // at which offered load, if there are several
}

// Simulation tells of the simulated run itself, or of all simulations together if a run took several.
type Simulation struct {
	Time       units.Time // simulated
	Events     int64
	Packets    int64 // sent
	PacketHops int64 // switches passed
	Delivered  int64 // packets
	Wall       time.Duration
	// WithoutBytes: only the sizes of the data that ranks exchanged were simulated.
	WithoutBytes bool
}

func (s *System) newResult() *Result {
	r := &Result{Workload: s.Scenario.Workload, Machine: Live, Live: s.IsLive(), Ranks: len(s.Hosts), Engine: s.engine}
	if !r.Live {
		r.Machine = s.Machine.Name
	}
	if s.Net != nil {
		r.Topology, r.Routing = s.Net.Name, s.RoutingName()
	}
	return r
}

func (r *Result) addRun(d host.Report, wall time.Duration) {
	s := &r.Simulation
	s.Time += d.Time
	s.Events += d.Events
	s.Packets += d.Packets
	s.PacketHops += d.PacketHops
	s.Delivered += d.Delivered
	s.Wall += wall
}

// addFormula adds results that are calculated without a simulation.
func (r *Result) addFormula(ctx context.Context, formula func(context.Context, *workload.Rows) error) error {
	start := time.Now()
	var rows workload.Rows
	err := formula(ctx, &rows)
	r.Rows = append(r.Rows, rows.All()...)
	r.Simulation.Wall += time.Since(start)
	return err
}

// addRings adds what became of messages to receive rings, if there were any.
func (r *Result) addRings(u host.RingUse) {
	r.Rings = u
	if u.Packets == 0 {
		return
	}
	r.Rows = append(r.Rows,
		workload.Row{Metric: "ring_stalls", Unit: "count", Value: float64(u.Stalls)},
		workload.Row{Metric: "ring_stall_time", Unit: "us", Value: u.StallTime.Microseconds()})
}

// addCounts adds what the network interfaces have counted.
func (r *Result) addCounts(counts []host.Count, labels ...workload.Label) {
	for _, c := range counts {
		row := workload.Row{Metric: c.Metric, Unit: c.Unit, Value: c.Value, Labels: labels}
		if c.Case != "" {
			row.Labels = append(labels[:len(labels):len(labels)], workload.Label{Name: "case", Value: c.Case})
		}
		r.Rows = append(r.Rows, row)
	}
}

// statistics are what is told of a distribution, in microseconds.
var statistics = []struct {
	name string
	of   func(d *host.Distribution) float64
}{
	{"mean", (*host.Distribution).Mean},
	{"p50", func(d *host.Distribution) float64 { return d.Quantile(0.5).Microseconds() }},
	{"p99", func(d *host.Distribution) float64 { return d.Quantile(0.99).Microseconds() }},
	{"max", func(d *host.Distribution) float64 { return d.Max().Microseconds() }},
}

// addDistribution adds a row for each statistic of a distribution.
func (r *Result) addDistribution(metric string, d *host.Distribution, labels ...workload.Label) {
	if d == nil || d.Count() == 0 {
		return
	}
	times := make([]float64, len(Quantiles))
	for i, q := range Quantiles {
		times[i] = d.Quantile(q).Microseconds()
	}
	r.Latencies = append(r.Latencies, Latencies{labels, times})
	for _, s := range statistics {
		r.Rows = append(r.Rows, workload.Row{
			Metric: metric, Unit: "us", Value: s.of(d),
			Labels: append(labels[:len(labels):len(labels)], workload.Label{Name: "statistic", Value: s.name}),
		})
	}
}

// addPacketLatency adds how long packets took, from the queue of the network
// interface to the arrival of their tail.
func (r *Result) addPacketLatency(d *host.Distribution) {
	r.addDistribution("packet_latency", d)
}

// addTraffic adds what became of one offered load: what was accepted, whether latencies had settled, and the
// latency of packets from their generation (kind packet) and from their entry
// into the network (kind network).
func (r *Result) addTraffic(t *workload.Traffic, load float64, got host.TrafficResult) {
	offered := []workload.Label{{Name: "pattern", Value: t.Pattern}, {Name: "offered", Value: load}}
	labels := append(offered[:2:2], workload.Label{Name: "saturated", Value: got.Saturated}, workload.Label{Name: "settled", Value: got.Settled && !got.Saturated})
	r.Rows = append(r.Rows, workload.Row{Metric: "throughput", Unit: "fraction", Value: got.Accepted, Labels: labels})
	for _, l := range []struct {
		kind string
		of   *host.Distribution
	}{{"packet", got.Packet}, {"network", got.Network}} {
		r.addDistribution("latency", l.of, offered[0], offered[1], workload.Label{Name: "kind", Value: l.kind})
	}
}

// addLinks adds the links, and rows of the mean and the largest utilisation over all of them.
func (r *Result) addLinks(s *System, links []host.LinkUse, labels ...workload.Label) {
	if len(links) == 0 {
		return
	}
	sum := 0.0
	for _, l := range links {
		sum += l.Utilisation
	}
	all := s.Net.Channels() + 2*len(s.Net.EndPoints)*host.TraitsOf(s.Machine).Engines
	add := func(value float64, label workload.Label) {
		r.Rows = append(r.Rows, workload.Row{
			Metric: "utilisation", Unit: "fraction", Value: value, Labels: append(labels[:len(labels):len(labels)], label),
		})
	}
	add(sum/float64(all), workload.Label{Name: "statistic", Value: "mean"})
	add(links[0].Utilisation, workload.Label{Name: "statistic", Value: "max"})
	for _, l := range links {
		r.Links = append(r.Links, LinkUse{l, labels})
	}
}
