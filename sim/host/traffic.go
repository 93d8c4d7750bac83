package host

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/units"
)

// Traffic is synthetic open-loop traffic: in every flit time each end point
// begins a packet with the same probability, whether or not the network takes
// it (a Bernoulli process, as in Dally and Towles, section 24.1).
type Traffic struct {
	// Destination draws the destination of a packet from src out of n end points,
	// with random numbers below its argument from draw; -1 silences the source.
	Destination func(src, n int, draw func(below int) int) int
	Flits       int     // packet length
	Load        float64 // flits per end point and flit time
	Warmup      units.Time
	Measure     units.Time
}

// TrafficResult is what a network made of open-loop traffic.
type TrafficResult struct {
	Offered  float64 // flits per active end point and flit time, as generated
	Accepted float64 // likewise, as delivered during the measurement
	// Packet is the latency of the packets generated during the measurement, from
	// generation to arrival of the tail; Network begins when the header leaves the
	// source.
	Packet, Network *Distribution
	// Saturated means that the network fell behind: the sources stopped with the
	// measurement, for its packets would never have arrived under the same load.
	// The latencies then say little.
	Saturated bool
	// Settled means that packets of the second half of the measurement took as long as those of the
	// first, to within 5 %. If not, the network was not in a steady state yet, or too few packets were
	// measured (BookSim 2.0 compares periods of simulation likewise).
	Settled bool
}

const (
	// keepingUp is the part of the packets offered that must arrive during the
	// measurement, or be the last of their source, if the network is not to count
	// as saturated.
	keepingUp = 0.98
	// patience is how many times the duration of the measurement traffic goes on
	// while packets of the measurement are under way.
	patience = 4
	// steadiness is how much the mean latencies of both halves of a measurement may differ.
	steadiness = 0.05
)

// generator is a set of open-loop sources.
type generator struct {
	c         *Cluster
	t         Traffic
	rng       []*rand.Rand
	slot      []int64 // per end point: flit time of the next packet
	chance    float64 // of a packet to begin in a flit time
	start     units.Time
	stop      units.Time // end of the measurement
	end       units.Time // no packet is generated later
	active    int
	packets   int64        // generated during the measurement
	missing   int64        // those of them that have not arrived
	halves    [2]half      // of the measurement
	arrived   int64        // flits that arrived during the measurement
	carrying  []units.Time // per link: before the measurement, then during it
	over      bool         // the sources have stopped
	saturated bool
}

// half is what packets generated in a part of the measurement have taken.
type half struct {
	packets int64
	took    units.Time
}

// RunTraffic runs open-loop traffic on all hosts of the configuration until the
// packets of the measurement have arrived, then lets the network drain.
func (c *Cluster) RunTraffic(t Traffic) (TrafficResult, error) {
	if err := c.checkTraffic(&t); err != nil {
		return TrafficResult{}, err
	}
	g := &generator{c: c, t: t, chance: t.Load / float64(t.Flits), start: t.Warmup, stop: t.Warmup + t.Measure, end: t.Warmup + patience*t.Measure}
	c.traffic = g
	for e := range c.Hosts {
		g.rng = append(g.rng, engine.NewStream(c.Seed, uint64(e)))
		g.slot = append(g.slot, -1)
		if t.Destination(e, len(c.Hosts), g.rng[e].IntN) >= 0 {
			g.active++
			g.next(e)
		}
	}
	c.Clock.Push(engine.Event{At: g.start, Kind: evMeasure})
	c.Clock.Push(engine.Event{At: g.stop, Kind: evMeasure})
	if err := c.loop(); err != nil {
		return TrafficResult{}, err
	}
	if err := c.conserved(); err != nil {
		return TrafficResult{}, err
	}
	return g.result(), nil
}

func (c *Cluster) checkTraffic(t *Traffic) error {
	most := c.Machine.PacketFlits(c.Machine.Packet.Payload)
	switch {
	case c.Fabric == nil:
		return errors.New("open-loop traffic needs a fabric; machine " + c.Machine.Name + " has none")
	case t.Flits < 1 || t.Flits > most:
		return fmt.Errorf("packets of %d flits; machine %s carries 1 to %d", t.Flits, c.Machine.Name, most)
	case !(t.Load > 0 && t.Load <= 1):
		return fmt.Errorf("offered load %g; expected more than 0 and at most 1, as a fraction of a link", t.Load)
	case t.Warmup < 0 || t.Measure < 1 || max(t.Warmup, t.Measure) > longest:
		return fmt.Errorf("warm-up of %v and measurement of %v; expected at least 0 and more than 0, and at most %v", t.Warmup, t.Measure, longest)
	}
	return nil
}

// next draws the flit time in which an end point begins its next packet. A draw
// of the geometric distribution stands for one Bernoulli draw per flit time.
func (g *generator) next(e int) {
	gap := math.Log(1-g.rng[e].Float64()) / math.Log1p(-g.chance)
	if !(gap < float64(g.end)/float64(g.flitTimes(1))) { // or not a number, with a chance of 0
		return
	}
	g.slot[e] += 1 + int64(gap)
	at := g.flitTimes(g.slot[e])
	if at < g.end {
		g.c.Clock.Push(engine.Event{At: at, Kind: evGenerate, A: uint32(e)})
	}
}

// flitTimes returns the duration of n flits on a link.
func (g *generator) flitTimes(n int64) units.Time {
	return g.c.Machine.Link.Rate.Transfer(units.Bytes(n) * g.c.Machine.Link.Flit)
}

// generate sends one packet.
func (g *generator) generate(e int) {
	if g.over {
		return
	}
	c := g.c
	dst := g.t.Destination(e, len(c.Hosts), g.rng[e].IntN)
	var tag uint64
	if now := c.Clock.Now(); now >= g.start && now < g.stop {
		tag = 1
		g.packets++
		g.missing++
	}
	c.Fabric.Send(fabric.Packet{Src: c.Hosts[e], Dst: c.Hosts[dst], Flits: g.t.Flits, Tag: tag})
	g.next(e)
}

// delivered takes a packet out of the network.
func (g *generator) delivered(packet uint32, d fabric.Delivery) {
	g.c.Fabric.Release(packet)
	if d.Tail >= g.start && d.Tail < g.stop {
		g.arrived += int64(d.Flits)
	}
	if d.Tag == 0 {
		return
	}
	g.c.latency.record(d)
	h := &g.halves[min(2*(d.Queued-g.start)/g.t.Measure, 1)]
	h.packets++
	h.took += d.Tail - d.Queued
	g.missing--
	if g.missing == 0 && g.c.Clock.Now() >= g.stop {
		g.over = true
	}
}

// measure begins and ends the measurement. At the end it stops the sources if the
// network has fallen behind: with every packet more, those that are measured
// take longer.
func (g *generator) measure() {
	if g.carrying == nil {
		g.carrying = slices.Clone(g.c.Fabric.Busy())
		return
	}
	for i, busy := range g.c.Fabric.Busy() {
		g.carrying[i] = busy - g.carrying[i]
	}
	offered := float64(g.packets * int64(g.t.Flits))
	underWay := float64(g.active * g.t.Flits)
	g.saturated = float64(g.arrived)+underWay < keepingUp*offered
	g.over = g.saturated || g.missing == 0
}

func (g *generator) result() TrafficResult {
	perFlit := float64(g.active) * float64(g.t.Measure) / float64(g.flitTimes(1))
	return TrafficResult{
		Offered:  float64(g.packets*int64(g.t.Flits)) / perFlit,
		Accepted: float64(g.arrived) / perFlit,
		Packet:   g.c.latency.packet, Network: g.c.latency.network,
		Saturated: g.saturated || !g.over,
		Settled:   g.settled(),
	}
}

// settled compares the mean latencies of both halves of the measurement.
func (g *generator) settled() bool {
	var mean [2]float64
	for i, h := range g.halves {
		if h.packets == 0 {
			return false
		}
		mean[i] = float64(h.took) / float64(h.packets)
	}
	return math.Abs(mean[1]-mean[0]) <= steadiness*max(mean[0], mean[1])
}
