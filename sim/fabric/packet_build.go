package fabric

import (
	"fmt"
	"math/bits"

	"musubi/sim/engine"
	"musubi/units"
)

// NewPacket prepares the packet engine. It fails if the buffers cannot hold the
// largest packet, as virtual cut-through demands.
func NewPacket(cfg Config, q *engine.Queue) (*PacketFabric, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	cfg.Ports = max(cfg.Ports, 1)
	f := &PacketFabric{
		cfg: cfg, q: q, shift: uint(bits.Len(uint(cfg.Classes*cfg.VCs - 1))),
		cap:     int32(min(cfg.Buffer/cfg.Flit, 1<<30)),
		packets: make([]packet, 1), drains: make([]drain, 1),
		trees: make([]tree, 1), branches: make([]branch, 1), noise: newNoise(&cfg),
	}
	if f.cap < int32(cfg.MaxPacket) {
		return nil, f.tooSmall(cfg.MaxPacket)
	}
	f.build()
	for i := range f.links {
		if need := int(f.links[i].need); int(f.cap) < need {
			return nil, f.tooSmall(need)
		}
	}
	return f, nil
}

func (f *PacketFabric) tooSmall(least int) error {
	return fmt.Errorf("buffers of %v per virtual channel hold %d flits of %v, but virtual cut-through with %s flow control needs room for %d; enlarge the buffers or choose the flit engine", f.cfg.Buffer, f.cap, f.cfg.Flit, f.cfg.Flow, least)
}

// build lays out links, lanes and request masks.
func (f *PacketFabric) build() {
	net := f.cfg.Net
	channels, ends := net.Channels(), len(net.EndPoints)*f.cfg.Ports
	switches := len(net.Switches)
	f.channels = uint32(channels)
	f.links = make([]link, channels+3*ends)
	f.readings = make([]reading, len(f.links))
	f.busy, f.carried = make([]units.Time, channels+2*ends), make([]Load, channels+2*ends)
	f.seen = make([]uint32, ends)
	f.nodes = make([]node, switches+ends)
	times := f.transferTimes()
	join := func(l int, from, to int, rate units.Rate, cable units.Time) {
		n := &f.nodes[to]
		f.links[l] = link{cable: cable, delay: cable, node: int32(from), bit: uint32(len(n.inputs)) << f.shift, times: times(rate), final: to >= switches}
		if to < switches {
			f.links[l].delay += f.cfg.Switch
		}
		n.inputs = append(n.inputs, uint32(l))
		if f.cfg.Flow == StopGo {
			f.links[l].need = int32(f.cfg.MaxPacket) + f.links[l].slack()
		}
	}
	for c := range channels {
		rate, _ := net.Links[c>>1].Speed.Rate()
		join(c, net.From(c).Switch, net.To(c).Switch, rate, f.cfg.Cable)
	}
	for e := range ends {
		at := &net.EndPoints[e/f.cfg.Ports]
		rate, _ := at.Speed.Rate()
		sw := at.At.Switch
		join(channels+2*e, switches+e, sw, rate, f.cfg.HostCable)
		join(channels+2*e+1, sw, switches+e, rate, f.cfg.HostCable)
	}
	for e := range ends { // the queue inside the network interface
		n := &f.nodes[switches+e]
		f.links[channels+2*ends+e].bit = uint32(len(n.inputs)) << f.shift
		n.inputs = append(n.inputs, uint32(channels+2*ends+e))
	}
	words := uint32(0)
	for l := range f.links[:channels+2*ends] {
		inputs := len(f.nodes[f.links[l].node].inputs)
		f.links[l].mask, f.links[l].words = words, uint32((inputs<<f.shift+63)/64)
		words += f.links[l].words
	}
	f.masks = make([]uint64, words)
	f.lanes = make([]lane, len(f.links)<<f.shift)
	for i := range f.lanes {
		f.lanes[i].room = f.cap
	}
}

// transferTimes returns a function that gives, for a link's rate (0: the
// configured one), the table of transfer times by flits, shared between links.
func (f *PacketFabric) transferTimes() func(units.Rate) *[]units.Time {
	tables := make(map[units.Rate]*[]units.Time)
	return func(rate units.Rate) *[]units.Time {
		if rate == 0 || !f.cfg.LinkRates {
			rate = f.cfg.Rate
		}
		table, ok := tables[rate]
		if !ok {
			times := make([]units.Time, f.cfg.MaxPacket+1)
			for n := range times {
				times[n] = rate.Transfer(units.Bytes(n) * f.cfg.Flit)
			}
			table = &times
			tables[rate] = table
		}
		return table
	}
}
