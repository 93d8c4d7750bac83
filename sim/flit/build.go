package flit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"musubi/routing"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/units"
)

// New prepares the flit engine. It fails if the buffers cannot hold the
// largest packet under cut-through switching, or what stop-and-go flow control
// needs; if Config.Switch is shorter than the router's stages; and if
// Config.LinkRates is set, because all links share a clock.
func New(cfg fabric.Config, q *engine.Queue) (*Fabric, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	f := &Fabric{cfg: cfg, router: withDefaults(cfg.Router), q: q, done: -1, tickAt: units.Never, packets: make([]packet, 1)}
	if err := checkRouter(&f.router); err != nil {
		return nil, err
	}
	f.routes = append([]*routing.Routes{cfg.Routes}, f.router.Alternates...)
	f.computed = !slices.ContainsFunc(f.routes, func(r *routing.Routes) bool { return !r.Computed() })
	f.rng = rand.New(rand.NewPCG(f.router.Seed, 0))
	if err := f.checkAbilities(); err != nil {
		return nil, err
	}
	f.line = newClock(cfg.Flit, cfg.Rate)
	f.pace = int64(math.Round(1000 * f.router.Speedup))
	f.clock = f.line.faster(f.pace)
	f.vcs = uint32(cfg.Classes * cfg.VCs * f.router.Lanes)
	f.cap = int32(min(cfg.Buffer/cfg.Flit, 1<<30))
	f.cutThrough = f.router.Switching == fabric.CutThrough
	f.stopGo = cfg.Flow == fabric.StopGo
	if err := f.checkBuffers(); err != nil {
		return nil, err
	}
	if err := f.checkLatencies(); err != nil {
		return nil, err
	}
	f.build()
	f.choice.prepare(f)
	f.findPositions()
	if cfg.Breaks {
		f.breaking = newBreaking(f)
	}
	return f, nil
}

// checkAbilities refuses configurations that this engine does not support.
func (f *Fabric) checkAbilities() error {
	cfg := &f.cfg
	for _, r := range f.router.Alternates {
		if r.Net != cfg.Net || r.VCs > cfg.VCs {
			return fmt.Errorf("alternate routes %s are for network %q and %d virtual channels; expected %q and at most %d", r.Algorithm, r.Net.Name, r.VCs, cfg.Net.Name, cfg.VCs)
		}
	}
	if cfg.LinkRates {
		return fmt.Errorf("the flit engine has one clock for all links; use the packet engine for links of different rates")
	}
	if cfg.Ports > 1 {
		return fmt.Errorf("end points of %d ports; the flit engine joins each by one, use the packet engine", cfg.Ports)
	}
	if cfg.Flow == fabric.StopGo && f.router.Speedup != 1 {
		return fmt.Errorf("a speed-up of %g with stop-and-go; the flit engine has it with credits only", f.router.Speedup)
	}
	if cfg.Errors > 0 {
		return fmt.Errorf("errors with a probability of %v per bit; the flit engine makes none, use the packet engine", cfg.Errors)
	}
	if cfg.Flit > 1<<20 {
		return fmt.Errorf("flit of %v; the flit engine expects at most 1MiB", cfg.Flit)
	}
	if n := cfg.Classes * cfg.VCs * f.router.Lanes; n > 64 {
		return fmt.Errorf("%d classes of %d virtual channels with %d lanes each; expected at most 64 in all", cfg.Classes, cfg.VCs, f.router.Lanes)
	}
	return nil
}

// stopRoom returns the places that must be free at the end of a cable for a lane
// not to be stopped: one for each cycle between a flit's grant and the stop that
// it causes, and with cut-through switching for the rest of the packet that began
// last.
func (f *Fabric) stopRoom(cable int64) int32 {
	r := &f.router
	room := int32(2*(cable+1)) + int32(r.SwitchAllocDelay-1+r.CrossbarDelay+r.CreditDelay)
	if f.cutThrough {
		room += int32(f.cfg.MaxPacket) - 1
	}
	return room
}

func (f *Fabric) checkBuffers() error {
	least, why := int32(1), "a flit"
	if f.cutThrough {
		least, why = int32(f.cfg.MaxPacket), "the largest packet, as cut-through switching demands; enlarge the buffers or choose wormhole switching"
	}
	if f.stopGo {
		least = f.stopRoom(f.clock.round(max(f.cfg.Cable, f.cfg.HostCable, f.cfg.LongCable)))
		why = "what arrives until a stop takes effect; enlarge the buffers or choose credit flow control"
	}
	if f.cap < least {
		return fmt.Errorf("buffers of %v per virtual channel hold %d flits of %v; expected at least %d for %s", f.cfg.Buffer, f.cap, f.cfg.Flit, least, why)
	}
	return nil
}

func (f *Fabric) checkLatencies() error {
	for _, t := range []units.Time{f.cfg.Switch, f.cfg.Cable, f.cfg.HostCable, f.cfg.LongCable} {
		if f.clock.round(t) > maxDelay {
			return fmt.Errorf("latency of %v is more than %d cycles of %v", t, maxDelay, f.clock.time(1))
		}
	}
	if f.longestQueue() > maxDelay {
		return fmt.Errorf("buffers of %v for each of %d virtual channels, and a speed-up of %g, make queues behind the crossbar of more than %d cycles; expected smaller buffers", f.cfg.Buffer, f.vcs, f.router.Speedup, maxDelay)
	}
	total, stages := f.clock.round(f.cfg.Switch), stages(&f.router)
	f.inputDelay = total - int64(stages)
	if f.inputDelay < 0 {
		return fmt.Errorf("switch latency of %v is %d cycles of %v, but the stages of the router take %d", f.cfg.Switch, total, f.clock.time(1), stages)
	}
	return nil
}

// build lays out switches, links and lanes. The links that enter a switch are
// neighbours, in the order of its ports, so that walking a set of links visits
// one switch after the other. Input port i and output port i of a switch belong
// to the same cable.
func (f *Fabric) build() {
	net := f.cfg.Net
	ends := len(net.EndPoints)
	f.busy, f.carried = make([]units.Time, net.Channels()+2*ends), make([]fabric.Load, net.Channels()+2*ends)
	f.channelLink = make([]uint32, net.Channels())
	for c := range f.channelLink {
		f.channelLink[c] = none
	}
	f.injection, f.ejection = make([]uint32, ends), make([]uint32, ends)
	f.sources = make([]source, ends)
	f.queues = make([]queue, ends*f.cfg.Classes)

	widest := int32(0)
	for s := range net.Switches {
		sw := switchNode{first: uint32(len(f.links))}
		for _, c := range net.Out(s) {
			back := c ^ 1
			f.channelLink[back] = uint32(len(f.links))
			f.links = append(f.links, link{from: int32(net.To(int(c)).Switch), to: int32(s), endPoint: -1, inPort: sw.ports, cable: f.cfg.CableOf(int(c))})
			sw.ports++
		}
		for _, e := range net.EndPointsAt(s) {
			f.injection[e] = uint32(len(f.links))
			f.links = append(f.links, link{from: -1, to: int32(s), endPoint: e, inPort: sw.ports, cable: f.cfg.HostCable})
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
			f.links = append(f.links, link{from: int32(s), to: -1, endPoint: e, outPort: int32(len(net.Out(s)) + i), cable: f.cfg.HostCable})
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

func (f *Fabric) buildLanes() {
	f.lanes = make([]lane, len(f.links)*int(f.vcs))
	for i := range f.links {
		l := &f.links[i]
		l.free, l.heldBy, l.heldVC = lowBits(f.vcs), none, noVC
		for vc := range f.vcs {
			f.lanes[uint32(i)*f.vcs+vc] = lane{
				link: uint32(i), vc: uint8(vc), credits: f.cap, owner: none, out: none, outLane: none,
			}
		}
	}
}

// setDelays computes the delays of all links and returns the longest of all that
// the wheel is used for.
func (f *Fabric) setDelays() int64 {
	longest := int64(max(f.router.RoutingDelay, f.router.VCAllocDelay) + 1)
	queue := f.longestQueue()
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
		if f.pace != paceless {
			l.line = f.line.round(l.cable)
			l.fly, l.back = 0, 0
			if l.from >= 0 {
				l.fly, l.back = int64(f.router.SwitchAllocDelay-1+f.router.CrossbarDelay), int64(f.router.CreditDelay)
			}
			longest = max(longest, f.first(l.line+queue+2)+l.fly+l.back+f.inputDelay+f.pace/paceless+1)
		}
		longest = max(longest, l.fly, l.back, f.inputDelay)
	}
	return longest
}

// cable returns the latency of a link in cycles.
func (f *Fabric) cable(l *link) int64 { return f.clock.round(l.cable) }

// longestQueue returns how many cycles of links a flit waits behind the crossbar at most.
func (f *Fabric) longestQueue() int64 {
	if f.pace == paceless {
		return 0
	}
	return int64(f.cap)*int64(f.vcs) + 1
}

// lowBits returns a mask of the n lowest bits.
func lowBits(n uint32) uint64 { return 1<<n - 1 }
