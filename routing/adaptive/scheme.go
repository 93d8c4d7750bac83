package adaptive

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"musubi/topology"
)

// Entering is the state of packets that enter the network.
const Entering int32 = 0

// Move is a step that a packet may take: over a channel on a virtual channel, into a state.
type Move struct {
	Channel int32
	VC      uint8
	State   int32
	// Again: the packet must choose again as long as it waits.
	Again bool
}

// Packet is what a switch knows of a packet.
type Packet struct {
	Src, Dst int // end points
	To       int // switch of Dst
	State    int32
}

// View is what a switch sees of its outputs, for packets of the class that it routes.
type View interface {
	// Queue returns how many flits have been sent into a channel whose room has not come back:
	// those that wait for it, are on the way, or lie in the buffers at its end.
	Queue(channel int) int
	// Lane is Queue of one virtual channel.
	Lane(channel, vc int) int
	// Free reports whether the packet could go there at once.
	Free(channel, vc int) bool
}

// Scheme is a routing that chooses. Choose may be called from one goroutine only, the other methods
// from several.
type Scheme interface {
	Name() string
	Network() *topology.Network
	// VCs is the number of virtual channels, and States of states.
	VCs() int
	States() int
	// Moves appends all moves that a packet to a switch may make at another one.
	Moves(list []Move, sw, to int, state int32) []Move
	// Choose returns one of these moves.
	Choose(v View, p Packet, sw int) Move
	// Arrival is the virtual channel on the link to the end point; any if it is negative.
	Arrival(state int32) int
	// Escape reports whether a virtual channel is for packets that find no other way. A scheme has
	// either none of these, or a packet on another one can always go on to one of them.
	Escape(vc int) bool
}

// Entrant is a Scheme that draws the virtual channel on the link from the end point, which packets of others take
// in turn. The flit engine asks for each packet that leaves.
type Entrant interface{ Entry() int }

// Options are the options of schemes.
type Options struct {
	Seed uint64 // of what is chosen at random
	// Bias is by how many flits, times hops, the queues of the shortest way may be longer before a
	// packet takes a detour.
	Bias int
}

// kind is an entry of the registry.
type kind struct {
	name, summary, source string
	unsafe                bool // it does not avoid deadlock, and is for comparison
	build                 func(net *topology.Network, opt Options) (Scheme, error)
}

const (
	duato  = "Duato, IEEE TPDS 4(12), 1993"
	singh  = "Singh, thesis, Stanford 2005"
	isca08 = "Kim, Dally, Scott, Abts, ISCA 2008"
)

// kinds is the registry, in the order of the documentation.
var kinds = []kind{
	{name: "ecmp", summary: "a shortest way by a hash of source and destination, so that packets stay in order", source: "RFC 2992", build: minimalBy("ecmp", byHash)},
	{name: "spray", summary: "at each switch one of the shortest ways on, at random for each packet", source: "Dixit et al., INFOCOM 2013", build: minimalBy("spray", byChance)},
	{name: "adaptive", summary: "at each switch the shortest way on with the shortest queue", source: duato, build: minimalBy("adaptive", byQueue)},
	{name: "valiant", summary: "by way of an intermediate switch, or group of a dragonfly, at random", source: "Valiant, Brebner, STOC 1981", build: detourBy("valiant", always)},
	{name: "ugal", summary: "UGAL-L: the shortest way or a random detour, by the queues of the first switch", source: singh + "; " + isca08, build: detourBy("ugal", local)},
	{name: "ugal-g", summary: "UGAL-G: as ugal, by the queues of both ways as a whole, which no switch can know", source: singh + "; " + isca08, build: detourBy("ugal-g", global)},
	{name: "booksim-min", summary: "the min of BookSim2's dragonfly, for comparison", source: "BookSim2, dragonfly.cpp", build: buildBookSimMin},
	{name: "booksim-ugal", summary: "the ugal of BookSim2's dragonfly, whose virtual channels allow a deadlock, for comparison", source: "BookSim2, dragonfly.cpp", unsafe: true, build: buildBookSimUGAL},
}

// About describes a scheme.
type About struct {
	Name, Summary, Source string
	Unsafe                bool // it does not avoid deadlock, and is for comparison
}

// All describes all schemes in the order of the documentation.
func All() []About {
	var list []About
	for _, k := range kinds {
		list = append(list, About{k.name, k.summary, k.source, k.unsafe})
	}
	return list
}

// Names lists the names of all schemes.
func Names() []string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// Has reports whether there is a scheme of a name.
func Has(name string) bool { return slices.Contains(Names(), name) }

// mostSwitches bounds the table of distances between all switches.
const mostSwitches = 8192

// Build makes a scheme for a network whose switches all reach each other. It does not prove it: see
// Prove.
func Build(name string, net *topology.Network, opt Options) (Scheme, error) {
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
	if i < 0 {
		return nil, fmt.Errorf("unknown adaptive routing %q; known: %s", name, strings.Join(Names(), ", "))
	}
	if n := len(net.Switches); n > mostSwitches {
		return nil, fmt.Errorf("%s: %d switches; adaptive routing keeps the distances between all, expected at most %d", name, n, mostSwitches)
	}
	return kinds[i].build(net, opt)
}

// common is what schemes have in common.
type common struct {
	name   string
	net    *topology.Network
	dist   *distances
	random *rand.Rand
	bias   int
}

func newCommon(name string, net *topology.Network, opt Options) (common, error) {
	d := newDistances(net)
	if sw := d.apart(); sw >= 0 {
		return common{}, fmt.Errorf("%s: the network is not connected: switches %s and %s cannot reach each other", name, net.SwitchName(0), net.SwitchName(sw))
	}
	return common{name, net, d, rand.New(rand.NewPCG(opt.Seed, 0xada9)), opt.Bias}, nil
}

func (c *common) Name() string               { return c.name }
func (c *common) Network() *topology.Network { return c.net }
func (c *common) Arrival(int32) int          { return -1 }
func (c *common) Escape(int) bool            { return false }

// shortest returns the hop whose channel has the shortest queue, one of several such at random.
func (c *common) shortest(v View, hops []Hop) Hop {
	best, least, tied := hops[0], v.Queue(int(hops[0].Channel)), 1
	for _, h := range hops[1:] {
		switch q := v.Queue(int(h.Channel)); {
		case q < least:
			best, least, tied = h, q, 1
		case q == least:
			if tied++; c.random.IntN(tied) == 0 {
				best = h
			}
		}
	}
	return best
}
