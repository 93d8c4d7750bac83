package flit

import (
	"math/rand/v2"

	"musubi/routing"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/units"
)

// Events of the flit engine.
const (
	evCycle     uint32 = 1 + iota // a clock cycle begins
	evTailReady                   // the tail of a packet may leave source A from now on
)

// Fabric is the flit engine: it moves every flit, cycle by cycle, through
// input-queued routers with virtual channels. See fabric.Router for what they consist
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
type Fabric struct {
	cfg    fabric.Config
	router fabric.Router
	clock  clock // of the switches
	line   clock // of links
	pace   int64 // cycles of the switches for a flit on a link, in thousandths
	q      *engine.Queue

	vcs        uint32 // physical virtual channels per link, all classes
	cap        int32  // flits per buffer
	cutThrough bool
	stopGo     bool
	inputDelay int64 // cycles of a flit at a switch before its first stage

	switches []switchNode
	links    []link // into switches, by switch and port; then to end points
	lanes    []lane // link*vcs + vc: the buffer at the end of the link
	sources  []source
	queues   []queue // source*classes + class

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

	routes   []*routing.Routes // which packets choose from
	computed bool              // all of them, so that packets keep room for their paths
	rng      *rand.Rand

	choice   choice
	breaking *breaking // nil: links do not fail

	packets []packet
	unused  uint32 // first of the list of free packet numbers

	traffic   fabric.Traffic
	inNetwork int
	released  int64
	busy      []units.Time
	carried   []fabric.Load
	positions []int32 // by link, its position in Busy; nil: nobody is told
}

// Run implements Fabric.
func (f *Fabric) Run(limit units.Time) (engine.Event, bool) {
	for {
		ev := f.q.PopUntil(limit)
		if ev == nil {
			return engine.Event{}, false
		}
		if f.cfg.Ahead != nil {
			f.cfg.Ahead()
		}
		switch ev.Kind {
		case evCycle:
			if ev.At == f.tickAt {
				f.tick()
			}
		case evTailReady:
			f.rouse(ev.A)
		case fabric.Lost:
			f.lost(ev.A)
			return *ev, true
		case fabric.Delivered:
			f.traffic.Delivered++
			f.traffic.Hops += int64(f.packets[ev.A].hop)
			return *ev, true
		default:
			return *ev, true
		}
	}
}

// Delivery implements Fabric.
func (f *Fabric) Delivery(id uint32) fabric.Delivery {
	p := &f.packets[id]
	d := p.Delivery
	d.Src, d.Dst, d.Flits, d.Hops = int(p.src), int(p.dst), int(p.flits), len(p.path)
	if f.choice.scheme != nil || f.breaking != nil {
		d.Hops = int(p.hop) - 1
	}
	return d
}

// Traffic implements Fabric.
func (f *Fabric) Traffic() fabric.Traffic { return f.traffic }

// Busy implements Fabric.
func (f *Fabric) Busy() []units.Time {
	for i, load := range f.Carried() {
		f.busy[i] = f.line.time(load.Flits)
	}
	return f.busy
}

// Carried implements Fabric.
func (f *Fabric) Carried() []fabric.Load {
	for c, l := range f.channelLink {
		if l != none {
			f.carried[c] = f.links[l].load
		}
	}
	for e := range f.injection {
		f.carried[fabric.InjectionLink(f.cfg.Net, e)] = f.links[f.injection[e]].load
		f.carried[fabric.EjectionLink(f.cfg.Net, e)] = f.links[f.ejection[e]].load
	}
	return f.carried
}

var _ fabric.Breakable = (*Fabric)(nil)
