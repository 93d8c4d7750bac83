package fabric

import (
	"fmt"
	"math/rand/v2"

	"musubi/routing"
	"musubi/sim/engine"
	"musubi/units"
)

// Events of the flit engine.
const (
	evCycle     uint32 = 1 + iota // a clock cycle begins
	evTailReady                   // the tail of a packet may leave source A from now on
)

// FlitFabric is the flit engine: it moves every flit, cycle by cycle, through
// input-queued routers with virtual channels. See Router for what they consist
// of.
//
// Within a cycle, credits and flits arrive, then virtual channels are allocated,
// then the crossbars, then the sources send; what is sent in a cycle arrives in
// a later one, so neither the order of the switches nor that of the sources
// matters. Latencies are rounded to the nearest whole cycle. A packet of F flits
// that crosses k switches unhindered takes
//
//	2*HostCable + (k-1)*Cable + k*Switch + F
//
// cycles from its header leaving the source to the arrival of its tail.
//
// Cycles in which nothing can move are skipped.
type FlitFabric struct {
	cfg    Config
	router Router
	clock  clock
	q      *engine.Queue

	vcs        uint32 // physical virtual channels per link, all classes
	cap        int32  // flits per buffer
	cutThrough bool
	stopGo     bool
	inputDelay int64 // cycles that a flit spends at a switch before its first stage

	switches []flitSwitch
	links    []flitLink // into switches, by switch and port; then to end points
	lanes    []flitLane // link*vcs + vc: the buffer at the end of the link
	sources  []flitSource
	queues   []flitQueue // source*classes + class

	channelLink []uint32 // link of each channel of the network
	injection   []uint32 // link of each end point to its switch
	ejection    []uint32 // link to each end point

	done   int64      // last cycle that is over, or in progress
	tickAt units.Time // when the next cycle with something to do begins
	wheel  wheel
	ready  bitset // links into switches with a lane that bids for a crossbar
	hot    bitset // links whose virtual channels may have to be allocated
	active bitset // sources that may be able to send
	bids   bids
	grants vcGrants

	routes []*routing.Routes // which packets choose from
	rng    *rand.Rand

	packets []flitPacket
	unused  uint32 // first of the list of free packet numbers

	traffic   Traffic
	inNetwork int
	released  int64
	busy      []units.Time
	carried   []int64
}

// none stands for no link, lane or packet.
const none = ^uint32(0)

// noVC stands for no virtual channel.
const noVC = 0xff

type flitSwitch struct {
	first uint32 // first link that ends here
	ports int32  // input ports, and output ports
}

// flitLink is a directed link, seen both from the switch that it leaves and
// from that which it enters.
type flitLink struct {
	from, to        int32 // switches, -1 for an end point
	endPoint        int32 // at one end, -1 for a channel between switches
	outPort, inPort int32
	fly             int64 // cycles from crossbar grant to arrival in the lane
	back            int64 // cycles from a flit leaving a lane to the sender's use of the credit
	flits           int64 // carried so far

	// As an output.
	free      uint64   // virtual channels that no packet holds
	wait      []uint32 // lanes whose header wants a virtual channel, in order of arrival
	heldBy    uint32   // link that has the crossbar to this one for a packet
	grantTurn int32    // input port to be served next
	vcTurn    uint8    // virtual channel to be given next, if taken at the crossbar

	// As an input.
	bidding    uint64 // virtual channels that bid for the crossbar
	laneTurn   uint8  // virtual channel to be served next
	heldVC     uint8  // that has the crossbar for its packet
	acceptTurn int32  // output port to be preferred next
}

// laneState says what the first packet of a lane does.
type laneState uint8

const (
	laneIdle    laneState = iota
	laneRouting           // its header is being routed
	laneWaiting           // its header wants a virtual channel
	laneGranted           // its header has been given one that it cannot use yet
	laneActive            // its flits go as they can
)

// flitLane is one virtual channel of a link: the buffer at its end, and what
// the sender knows of it.
type flitLane struct {
	link  uint32
	vc    uint8
	state laneState
	fresh bool // the header of the first packet is still here

	// The sender's side.
	credits   int32 // free places
	stopped   bool
	owner     uint32 // lane whose packet holds this virtual channel
	grantTurn int32  // requester to be served next

	// The receiver's side.
	count      int32  // flits in the buffer
	left       int32  // flits of the first packet that have not left
	out        uint32 // link that the first packet takes
	outLane    uint32 // lane that it takes, none before it has been given one
	wants      uint64 // virtual channels that it may take
	acceptTurn int32  // virtual channel to be preferred next
	packets    ring   // of which the header has arrived and the tail has not left

	occupied   int32 // with StopGo: places in use
	asksStop   bool
	unreleased int32 // at end points: packets delivered and not released
}

type flitPacket struct {
	Delivery
	path    routing.Path
	src     int32
	dst     int32
	flits   int32
	hop     int32  // next of path
	base    uint8  // first of Config.VCs of its class
	outVC   uint8  // on the link to its destination, of its class
	inVC    uint8  // on the link from its source, of its class
	sent    bool   // NotifySent
	header  bool   // NotifyHeader
	lane    uint32 // where it is delivered
	stored  int32  // flits that occupy the buffer there
	arrived int32  // flits
	ready   int64  // cycle in which the tail may leave the source
	next    uint32 // in the list of free packets
}

// NewFlit prepares the flit engine. It fails if the buffers cannot hold the
// largest packet under cut-through switching, or what stop-and-go flow control
// needs; if Config.Switch is shorter than the router's stages; and if
// Config.LinkRates is set, because all links share a clock.
func NewFlit(cfg Config, q *engine.Queue) (*FlitFabric, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	f := &FlitFabric{cfg: cfg, router: cfg.Router.withDefaults(), q: q, done: -1, tickAt: units.Never, packets: make([]flitPacket, 1)}
	if err := f.router.validate(); err != nil {
		return nil, err
	}
	f.routes = append([]*routing.Routes{cfg.Routes}, f.router.Alternates...)
	f.rng = rand.New(rand.NewPCG(f.router.Seed, 0))
	for _, r := range f.router.Alternates {
		if r.Net != cfg.Net || r.VCs > cfg.VCs {
			return nil, fmt.Errorf("alternate routes %s are for network %q and %d virtual channels; expected %q and at most %d", r.Algorithm, r.Net.Name, r.VCs, cfg.Net.Name, cfg.VCs)
		}
	}
	if cfg.LinkRates {
		return nil, fmt.Errorf("the flit engine has one clock for all links; use the packet engine for links of different rates")
	}
	if cfg.Ports > 1 {
		return nil, fmt.Errorf("end points of %d ports; the flit engine joins each by one, use the packet engine", cfg.Ports)
	}
	if cfg.Errors > 0 {
		return nil, fmt.Errorf("errors with a probability of %v per bit; the flit engine makes none, use the packet engine", cfg.Errors)
	}
	if cfg.Flit > 1<<20 {
		return nil, fmt.Errorf("flit of %v; the flit engine expects at most 1MiB", cfg.Flit)
	}
	if n := cfg.Classes * cfg.VCs * f.router.Lanes; n > 64 {
		return nil, fmt.Errorf("%d classes of %d virtual channels with %d lanes each; expected at most 64 in all", cfg.Classes, cfg.VCs, f.router.Lanes)
	}
	f.clock = newClock(cfg.Flit, cfg.Rate)
	f.vcs = uint32(cfg.Classes * cfg.VCs * f.router.Lanes)
	f.cap = int32(min(cfg.Buffer/cfg.Flit, 1<<30))
	f.cutThrough = f.router.Switching == CutThrough
	f.stopGo = cfg.Flow == StopGo
	if err := f.checkBuffers(); err != nil {
		return nil, err
	}
	if err := f.checkLatencies(); err != nil {
		return nil, err
	}
	f.build()
	return f, nil
}

// stopRoom returns the places that must be free at the end of a cable for a lane
// not to be stopped: one for each cycle between a flit's grant and the stop that
// it causes, and with cut-through switching for the rest of the packet that began
// last.
func (f *FlitFabric) stopRoom(cable int64) int32 {
	r := &f.router
	room := int32(2*(cable+1)) + int32(r.SwitchAllocDelay-1+r.CrossbarDelay+r.CreditDelay)
	if f.cutThrough {
		room += int32(f.cfg.MaxPacket) - 1
	}
	return room
}

func (f *FlitFabric) checkBuffers() error {
	least, why := int32(1), "a flit"
	if f.cutThrough {
		least, why = int32(f.cfg.MaxPacket), "the largest packet, as cut-through switching demands; enlarge the buffers or choose wormhole switching"
	}
	if f.stopGo {
		least = f.stopRoom(f.clock.round(max(f.cfg.Cable, f.cfg.HostCable)))
		why = "what arrives until a stop takes effect; enlarge the buffers or choose credit flow control"
	}
	if f.cap < least {
		return fmt.Errorf("buffers of %v per virtual channel hold %d flits of %v; expected at least %d for %s", f.cfg.Buffer, f.cap, f.cfg.Flit, least, why)
	}
	return nil
}

func (f *FlitFabric) checkLatencies() error {
	for _, t := range []units.Time{f.cfg.Switch, f.cfg.Cable, f.cfg.HostCable} {
		if f.clock.round(t) > maxDelay {
			return fmt.Errorf("latency of %v is more than %d cycles of %v", t, maxDelay, f.clock.time(1))
		}
	}
	total, stages := f.clock.round(f.cfg.Switch), f.router.stages()
	f.inputDelay = total - int64(stages)
	if f.inputDelay < 0 {
		return fmt.Errorf("switch latency of %v is %d cycles of %v, but the stages of the router take %d", f.cfg.Switch, total, f.clock.time(1), stages)
	}
	return nil
}

// Run implements Fabric.
func (f *FlitFabric) Run(limit units.Time) (engine.Event, bool) {
	for {
		ev := f.q.PopUntil(limit)
		if ev == nil {
			return engine.Event{}, false
		}
		switch ev.Kind {
		case evCycle:
			if ev.At == f.tickAt {
				f.tick()
			}
		case evTailReady:
			f.rouse(ev.A)
		case Delivered:
			f.traffic.Delivered++
			f.traffic.Hops += int64(f.packets[ev.A].hop)
			return *ev, true
		default:
			return *ev, true
		}
	}
}

// Delivery implements Fabric.
func (f *FlitFabric) Delivery(id uint32) Delivery {
	p := &f.packets[id]
	d := p.Delivery
	d.Src, d.Dst, d.Flits, d.Hops = int(p.src), int(p.dst), int(p.flits), len(p.path)
	return d
}

// Traffic implements Fabric.
func (f *FlitFabric) Traffic() Traffic { return f.traffic }

// Busy implements Fabric.
func (f *FlitFabric) Busy() []units.Time {
	for i, flits := range f.Carried() {
		f.busy[i] = f.clock.time(flits)
	}
	return f.busy
}

// Carried implements Fabric.
func (f *FlitFabric) Carried() []int64 {
	for c, l := range f.channelLink {
		if l != none {
			f.carried[c] = f.links[l].flits
		}
	}
	for e := range f.injection {
		f.carried[InjectionLink(f.cfg.Net, e)] = f.links[f.injection[e]].flits
		f.carried[EjectionLink(f.cfg.Net, e)] = f.links[f.ejection[e]].flits
	}
	return f.carried
}

var _ Fabric = (*FlitFabric)(nil)
