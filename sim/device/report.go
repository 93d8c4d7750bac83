package device

import (
	"cmp"
	"fmt"
	"slices"

	"musubi/sim/fabric"
	"musubi/topology"
	"musubi/units"

	"github.com/HdrHistogram/hdrhistogram-go"
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
	Latency *hdrhistogram.Histogram
	Links   []LinkUse // those that carried something, the most used first
}

// LinkUse says how busy a directed link was.
type LinkUse struct {
	From, To    string  // names of switches and end points
	Port        int     // of the switch that it leaves; 0 if it leaves an end point
	BetweenSw   bool    // between switches
	Utilisation float64 // fraction of the time of the run
}

// Report returns the counters of the run so far.
func (c *Cluster) Report() Report {
	r := Report{Time: c.q.Now(), Events: c.q.Handled()}
	if c.fabric == nil {
		return r
	}
	t := c.fabric.Traffic()
	r.Packets, r.PacketHops, r.Delivered = t.Sent, t.Hops, t.Delivered
	r.Latency = c.latency.packet
	for i, busy := range c.fabric.Busy() {
		if busy > 0 && r.Time > 0 {
			r.Links = append(r.Links, linkUse(c.cfg.Net, i, float64(busy)/float64(r.Time)))
		}
	}
	slices.SortStableFunc(r.Links, func(a, b LinkUse) int { return cmp.Compare(b.Utilisation, a.Utilisation) })
	return r
}

// linkUse names the link at a position of fabric.Fabric.Busy.
func linkUse(net *topology.Network, i int, use float64) LinkUse {
	if i < net.Channels() {
		from, to := net.From(i), net.To(i)
		return LinkUse{From: net.SwitchName(from.Switch), To: net.SwitchName(to.Switch), Port: from.Number, BetweenSw: true, Utilisation: use}
	}
	e := (i - net.Channels()) / 2
	sw, name := net.EndPoints[e].At, net.EndPointName(e)
	if i == fabric.InjectionLink(net, e) {
		return LinkUse{From: name, To: net.SwitchName(sw.Switch), Utilisation: use}
	}
	return LinkUse{From: net.SwitchName(sw.Switch), To: name, Port: sw.Number, Utilisation: use}
}

// String names the link.
func (l LinkUse) String() string {
	if l.Port > 0 {
		return fmt.Sprintf("%s[%d] -> %s", l.From, l.Port, l.To)
	}
	return l.From + " -> " + l.To
}

// latencies records packet latencies in picoseconds to three digits.
type latencies struct{ packet, network *hdrhistogram.Histogram }

func newLatencies() *latencies {
	const most = int64(100 * units.Second)
	return &latencies{hdrhistogram.New(1, most, 3), hdrhistogram.New(1, most, 3)}
}

func (l *latencies) record(d fabric.Delivery) {
	// Values beyond the range are clipped; a packet under way for 100 s is lost in
	// any sense that matters.
	_ = l.packet.RecordValue(min(int64(d.Tail-d.Queued), l.packet.HighestTrackableValue()))
	_ = l.network.RecordValue(min(int64(d.Tail-d.Entered), l.network.HighestTrackableValue()))
}
