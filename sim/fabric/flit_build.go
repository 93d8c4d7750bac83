package fabric

import "musubi/units"

// build lays out switches, links and lanes. The links that enter a switch are
// neighbours, in the order of its ports, so that walking a set of links visits
// one switch after the other. Input port i and output port i of a switch belong
// to the same cable.
func (f *FlitFabric) build() {
	net := f.cfg.Net
	ends := len(net.EndPoints)
	f.busy, f.carried = make([]units.Time, net.Channels()+2*ends), make([]int64, net.Channels()+2*ends)
	f.channelLink = make([]uint32, net.Channels())
	for c := range f.channelLink {
		f.channelLink[c] = none
	}
	f.injection, f.ejection = make([]uint32, ends), make([]uint32, ends)
	f.sources = make([]flitSource, ends)
	f.queues = make([]flitQueue, ends*f.cfg.Classes)

	widest := int32(0)
	for s := range net.Switches {
		sw := flitSwitch{first: uint32(len(f.links))}
		for _, c := range net.Out(s) {
			back := c ^ 1
			f.channelLink[back] = uint32(len(f.links))
			f.links = append(f.links, flitLink{from: int32(net.To(int(c)).Switch), to: int32(s), endPoint: -1, inPort: sw.ports})
			sw.ports++
		}
		for _, e := range net.EndPointsAt(s) {
			f.injection[e] = uint32(len(f.links))
			f.links = append(f.links, flitLink{from: -1, to: int32(s), endPoint: e, inPort: sw.ports})
			sw.ports++
		}
		f.switches = append(f.switches, sw)
		widest = max(widest, sw.ports)
	}
	intoSwitches := len(f.links)
	for s := range net.Switches {
		for i, c := range net.Out(s) {
			f.links[f.channelLink[c]].outPort = int32(i)
		}
		for i, e := range net.EndPointsAt(s) {
			f.ejection[e] = uint32(len(f.links))
			f.links = append(f.links, flitLink{from: int32(s), to: -1, endPoint: e, outPort: int32(len(net.Out(s)) + i)})
		}
	}
	f.buildLanes()
	f.wheel = newWheel(f.setDelays())
	f.ready, f.hot, f.active = newBitset(intoSwitches), newBitset(len(f.links)), newBitset(ends)
	f.bids = newBids(widest)
	for i := range f.sources {
		f.sources[i].sentIn = -1
	}
	for i := range f.queues {
		f.queues[i].lane = none
	}
}

func (f *FlitFabric) buildLanes() {
	f.lanes = make([]flitLane, len(f.links)*int(f.vcs))
	for i := range f.links {
		l := &f.links[i]
		l.free, l.heldBy, l.heldVC = lowBits(f.vcs), none, noVC
		for vc := range f.vcs {
			f.lanes[uint32(i)*f.vcs+vc] = flitLane{
				link: uint32(i), vc: uint8(vc), credits: f.cap, owner: none, out: none, outLane: none,
			}
		}
	}
}

// setDelays computes the delays of all links and returns the longest of all that
// the wheel is used for.
func (f *FlitFabric) setDelays() int64 {
	longest := int64(max(f.router.RoutingDelay, f.router.VCAllocDelay) + 1)
	for i := range f.links {
		l := &f.links[i]
		l.fly = f.cable(l) + 1
		l.back = f.cable(l) + 1
		if l.from >= 0 {
			l.fly += int64(f.router.SwitchAllocDelay - 1 + f.router.CrossbarDelay)
			l.back += int64(f.router.CreditDelay)
		}
		if l.to >= 0 && !f.stopGo {
			l.fly += f.inputDelay
		}
		longest = max(longest, l.fly, l.back, f.inputDelay)
	}
	return longest
}

// cable returns the latency of a link in cycles.
func (f *FlitFabric) cable(l *flitLink) int64 {
	if l.endPoint >= 0 {
		return f.clock.round(f.cfg.HostCable)
	}
	return f.clock.round(f.cfg.Cable)
}

// lowBits returns a mask of the n lowest bits.
func lowBits(n uint32) uint64 { return 1<<n - 1 }
