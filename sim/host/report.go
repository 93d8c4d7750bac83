package host

import (
	"cmp"
	"fmt"
	"slices"

	"musubi/sim/fabric"
	"musubi/sim/failure"
	"musubi/topology"
	"musubi/units"
)

// Report is what a run leaves behind besides the results of the program.
type Report struct {
	Time       units.Time // at the end
	Events     int64
	Packets    int64 // sent
	PacketHops int64 // switches passed
	Delivered  int64
	// Latency of packets in picoseconds, from the network interface's queue to the
	// arrival of the tail. Nil on machines without a fabric.
	Latency *Distribution
	Links   []LinkUse  // those that carried something, the most used first
	Carried []LinkLoad // by link, in the order of fabric.Fabric.Busy; nil without a fabric
	Rings   RingUse    // receive rings of all ranks
	RingsOf []RingUse  // by rank; nil if no rank has any
	Counts  []Count    // of the network interfaces
}

// Count is something that network interfaces have counted in a run.
type Count struct {
	Metric, Unit string
	Case         string // of the metric; empty if it has no cases
	Value        float64
}

// RingUse says what has become of the messages for receive rings.
type RingUse struct {
	Messages  int64      // appended, complete
	Packets   int64      // appended
	Stalls    int64      // packets that found no room when they arrived
	StallTime units.Time // from then until they had a place, summed over those that got one
	NoRing    int64      // messages refused: the target has no ring for their sender
	TooLong   int64      // messages refused: their ring cannot ever hold them
	Foreign   int64      // packets refused that came from another process group
}

func (u *RingUse) add(v RingUse) {
	u.Messages += v.Messages
	u.Packets += v.Packets
	u.Stalls += v.Stalls
	u.StallTime += v.StallTime
	u.NoRing += v.NoRing
	u.TooLong += v.TooLong
	u.Foreign += v.Foreign
}

// LinkLoad is what a directed link has carried.
type LinkLoad = fabric.Load

// LinkUse says how busy a directed link was.
type LinkUse struct {
	From, To    string  // names of switches and end points
	Channel     int     // of the network; -1 if the link is one of an end point
	Port        int     // of the switch that it leaves; 0 if it leaves an end point
	Utilisation float64 // fraction of the time of the run, or of the measurement of traffic
}

// Report returns the counters of the run so far.
func (c *Cluster) Report() Report {
	r := Report{Time: c.Clock.Now(), Events: c.Clock.Handled()}
	c.reportRings(&r)
	if m, ok := c.Model.(Counter); ok {
		r.Counts = m.Counts()
	}
	if c.Fabric == nil {
		return r
	}
	if o, ok := c.wholeFabric().(interface{ Reordering() fabric.Reordering }); ok {
		use := o.Reordering()
		r.Counts = append(r.Counts,
			Count{Metric: "reordered", Unit: "count", Value: float64(use.Packets)},
			Count{Metric: "reorder_buffer", Unit: "B", Value: float64(units.Bytes(use.Flits) * c.Machine.Link.Flit)})
	}
	if c.failures != nil {
		r.addFailures(c.failures.Report())
	}
	t := c.Fabric.Traffic()
	r.Packets, r.PacketHops, r.Delivered = t.Sent, t.Hops, t.Delivered
	r.Latency = c.latency.packet
	r.Carried = slices.Clone(c.Fabric.Carried())
	carrying, during := c.Fabric.Busy(), r.Time
	if c.traffic != nil {
		carrying, during = c.traffic.carrying, c.traffic.t.Measure
	}
	for i, busy := range carrying {
		if busy > 0 {
			r.Links = append(r.Links, linkUse(c.Net, c.Traits.Engines, i, float64(busy)/float64(during)))
		}
	}
	slices.SortStableFunc(r.Links, func(a, b LinkUse) int { return cmp.Compare(b.Utilisation, a.Utilisation) })
	return r
}

// wholeFabric returns the fabric, which other clusters may use as well.
func (c *Cluster) wholeFabric() fabric.Fabric {
	if n := c.Config.Network; n != nil {
		return n.fabric
	}
	return c.Fabric
}

// addFailures adds what failures have done.
func (r *Report) addFailures(f failure.Report) {
	r.Counts = append(r.Counts,
		Count{Metric: "failures", Unit: "count", Value: float64(f.Failures)},
		Count{Metric: "reroutes", Unit: "count", Value: float64(f.Reroutes)},
		Count{Metric: "lost", Unit: "packets", Value: float64(f.Lost)},
		Count{Metric: "resent", Unit: "packets", Value: float64(f.Resent)})
	for _, o := range f.Out {
		r.Counts = append(r.Counts, Count{Metric: "out_of_service", Unit: "us", Case: o.What, Value: o.Time.Microseconds()})
	}
}

// reportRings enters what the receive rings of all ranks say.
func (c *Cluster) reportRings(r *Report) {
	for i := range c.Ranks {
		b := &c.Ranks[i].inbox
		if b.layout == nil && b.use == (RingUse{}) {
			continue
		}
		if r.RingsOf == nil {
			r.RingsOf = make([]RingUse, len(c.Ranks))
		}
		use := b.use
		if b.layout != nil {
			counted := b.rx.Counters()
			use.Messages, use.Packets = int64(counted.Messages), int64(counted.Packets)
		}
		r.RingsOf[i] = use
		r.Rings.add(use)
	}
}

// LinkName names the link at a position of fabric.Fabric.Busy, or behind them all the queue of a source.
func (c *Config) LinkName(i int) string {
	ports := TraitsOf(c.Machine).Engines
	if source := i - c.Net.Channels() - 2*ports*len(c.Net.EndPoints); source >= 0 {
		return "source " + linkUse(c.Net, ports, c.Net.Channels()+2*source, 0).From
	}
	return linkUse(c.Net, ports, i, 0).String()
}

// linkUse names the link at a position of fabric.Fabric.Busy, where end points have so
// many ports.
func linkUse(net *topology.Network, ports, i int, use float64) LinkUse {
	if i < net.Channels() {
		from, to := net.From(i), net.To(i)
		return LinkUse{From: net.SwitchName(from.Switch), To: net.SwitchName(to.Switch), Channel: i, Port: from.Number, Utilisation: use}
	}
	port := (i - net.Channels()) / 2
	e := port / ports
	sw, name := net.EndPoints[e].At, net.EndPointName(e)
	if ports > 1 {
		name += fmt.Sprintf(" engine %d", port%ports)
	}
	if i == fabric.InjectionLink(net, port) {
		return LinkUse{From: name, To: net.SwitchName(sw.Switch), Channel: -1, Utilisation: use}
	}
	return LinkUse{From: net.SwitchName(sw.Switch), To: name, Channel: -1, Port: sw.Number, Utilisation: use}
}

// String names the link.
func (l LinkUse) String() string {
	if l.Port > 0 {
		return fmt.Sprintf("%s[%d] -> %s", l.From, l.Port, l.To)
	}
	return l.From + " -> " + l.To
}
