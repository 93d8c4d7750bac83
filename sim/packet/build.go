package packet

import (
	"fmt"
	"math/bits"

	"musubi/internal/memory"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/topology"
	"musubi/units"
)

// New prepares the packet engine. It fails if the buffers cannot hold the
// largest packet, as virtual cut-through demands.
func New(cfg fabric.Config, q *engine.Queue) (*Fabric, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg.Ports = max(cfg.Ports, 1)
	f := &Fabric{
		cfg: cfg, q: q, shift: uint(bits.Len(uint(cfg.Classes*cfg.VCs - 1))),
		cap:     int32(min(cfg.Buffer/cfg.Flit, 1<<30)),
		packets: make([]packet, 1), drains: make([]drain, 1),
		trees: make([]tree, 1), branches: make([]branch, 1), noise: newNoise(&cfg),
	}
	f.mask = 1<<f.shift - 1
	f.follower, _ = cfg.Observer.(fabric.Follower)
	if f.cap < int32(cfg.MaxPacket) {
		return nil, f.tooSmall(cfg.MaxPacket)
	}
	f.build()
	f.choice.prepare(f)
	if cfg.Breaks {
		f.breaking = newBreaking(f)
	}
	for i := range f.kinds {
		if need := int(f.kinds[i].need); int(f.cap) < need {
			return nil, f.tooSmall(need)
		}
	}
	return f, nil
}

func (f *Fabric) tooSmall(least int) error {
	return fmt.Errorf("buffers of %v per virtual channel hold %d flits of %v, but virtual cut-through with %s flow control needs room for %d; enlarge the buffers or choose the flit engine", f.cfg.Buffer, f.cap, f.cfg.Flit, f.cfg.Flow, least)
}

// build lays out links, lanes and requests.
func (f *Fabric) build() {
	net := f.cfg.Net
	channels, ends := net.Channels(), len(net.EndPoints)*f.cfg.Ports
	switches := len(net.Switches)
	f.channels = uint32(channels)
	f.links = memory.Large[link](channels + 3*ends)
	f.ports, f.readings = memory.Large[port](len(f.links)), make([]reading, len(f.links))
	f.busy, f.carried = make([]units.Time, channels+2*ends), make([]fabric.Load, channels+2*ends)
	f.seen = make([]uint32, ends)
	f.nodes = make([]node, switches+ends)
	inputs := make([][]uint32, len(f.nodes))
	kinds := f.kindsOfLinks()
	arrives := func(l, to int) {
		f.ports[l].bit = uint32(len(inputs[to])) << f.shift
		inputs[to] = append(inputs[to], uint32(l))
	}
	join := func(l int, from, to int, speed topology.Speed, cable units.Time) {
		rate, _ := speed.Rate()
		f.links[l] = link{node: uint32(from), kind: kinds(rate, cable, to >= switches)}
		arrives(l, to)
	}
	for c := range channels {
		join(c, net.From(c).Switch, net.To(c).Switch, net.Links[c>>1].Speed, f.cfg.CableOf(c))
	}
	for e := range ends {
		at := &net.EndPoints[e/f.cfg.Ports]
		sw := at.At.Switch
		join(channels+2*e, switches+e, sw, at.Speed, f.cfg.HostCable)
		join(channels+2*e+1, sw, switches+e, at.Speed, f.cfg.HostCable)
	}
	for e := range ends { // the queue inside the network interface
		arrives(channels+2*ends+e, switches+e)
	}
	for i := range f.nodes {
		f.nodes[i] = node{inputs: uint32(len(f.inputs)), bits: uint32(len(inputs[i])) << f.shift}
		f.inputs = append(f.inputs, inputs[i]...)
	}
	f.makeWide(f.links[:channels+2*ends])
	f.lanes = memory.Large[lane](len(f.links) << f.shift)
	if f.cfg.Flow == fabric.StopGo {
		f.sent = make([]drainList, len(f.lanes))
	}
	for i := range f.lanes {
		f.lanes[i].room = f.cap
	}
	state := len(f.links) + len(f.lanes)
	f.isLarge, f.isHuge = state >= largeState, state >= hugeState
}

// kindsOfLinks returns a function that gives the number of the kind of a link, by its rate (0: the
// configured one), its cable, and whether it ends at an end point.
func (f *Fabric) kindsOfLinks() func(units.Rate, units.Time, bool) uint16 {
	type key struct {
		rate  units.Rate
		cable units.Time
		final bool
	}
	numbers := make(map[key]uint16)
	return func(rate units.Rate, cable units.Time, final bool) uint16 {
		if rate == 0 || !f.cfg.LinkRates {
			rate = f.cfg.Rate
		}
		number, ok := numbers[key{rate, cable, final}]
		if !ok {
			number = uint16(len(f.kinds))
			numbers[key{rate, cable, final}] = number
			f.kinds = append(f.kinds, f.kind(rate, cable, final))
		}
		return number
	}
}

// kind returns a kind of links.
func (f *Fabric) kind(rate units.Rate, cable units.Time, final bool) kind {
	k := kind{cable: cable, delay: cable, times: make([]units.Time, f.cfg.MaxPacket+1), final: final}
	for n := range k.times {
		k.times[n] = rate.Transfer(units.Bytes(n) * f.cfg.Flit)
	}
	if !final {
		k.delay += f.cfg.Switch
	}
	if f.cfg.Flow == fabric.StopGo {
		k.need = int32(f.cfg.MaxPacket) + k.slack()
	}
	return k
}
