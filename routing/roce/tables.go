package roce

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"

	"musubi/routing/nexthop"
	"musubi/topology"
)

// numClasses is how many traffic classes, or priorities, Ethernet has.
const numClasses = 8

// ClassSet has bit c set for each of its classes.
type ClassSet uint8

// Tables are what the switches of a network do with packets. The zero value of an entry of Routes is
// no route.
type Tables struct {
	// NotCovered says what the file did not tell: sentences without a full stop.
	NotCovered []string
	// Notes say what was found in the file that no proof is about: sentences without a full stop.
	Notes []string

	net *topology.Network

	send     ClassSet   // classes in which hosts send
	lossless []ClassSet // by channel: classes with PFC at both ends
	lanes    []uint8    // class of each lane
	laneOf   [numClasses]int8

	headings []heading
	roots    int // headings that packets enter with; they come first
	entries  []nexthop.Entry

	routes [][]int32 // by switch and heading: index into sets, 0 if there is none
	sets   []set
	only   map[at][]exception // routes for packets that came in by certain ports or in certain classes
	remark [][]remark         // by switch
	tunnel map[at]int32       // heading of packets that a switch puts into a tunnel, which is their heading there
	simple bool               // there are none of the last three
}

// heading is a destination.
type heading struct {
	name    string
	targets []int32 // end points
	owner   []int32 // switches of targets

	tunnel *tunnel // in which packets of this heading are; nil: in none
}

// tunnel is a way of packets inside others.
type tunnel struct {
	outer, inner int32             // headings
	end          int32             // switch
	encap, decap [numClasses]uint8 // class outside by class inside, and inside by outside
}

type at struct{ sw, heading int32 }

// set is what a switch does with packets to a destination.
type set struct {
	channels []int32
	hosts    []int32 // ports named that have end points or no cable
	flood    bool    // to all ports but that on which the packet came
	drop     bool
}

// ports is a set of ports of a switch: bit p is set for port p. nil: all.
type ports []uint64

func (p ports) has(port int) bool {
	return p == nil || port>>6 < len(p) && p[port>>6]>>(port&63)&1 != 0
}

// exception is a route for some packets only. It goes before those for all.
type exception struct {
	from    ports
	classes ClassSet
	set     int32
}

// remark changes the class of packets that go from one port to another.
type remark struct {
	from, to       ports
	class, becomes uint8
}

// Network returns the network of the tables.
func (t *Tables) Network() *topology.Network { return t.net }

// Lanes is the number of classes that occur.
func (t *Tables) Lanes() int { return len(t.lanes) }

// LaneName names the class of a lane.
func (t *Tables) LaneName(lane int) string { return "class " + strconv.Itoa(int(t.lanes[lane])) }

// Lossless reports whether both ends of a channel have flow control for the class: the one pauses,
// the other stops.
func (t *Tables) Lossless(channel, lane int) bool {
	return t.lossless[channel]>>t.lanes[lane]&1 != 0
}

// Headings is the number of destinations.
func (t *Tables) Headings() int { return t.roots }

// HeadingName names a destination.
func (t *Tables) HeadingName(h int32) string { return t.headings[h].name }

// Targets are the end points of a destination.
func (t *Tables) Targets(h int32) []int32 { return t.headings[h].targets }

// Entries are the switches with end points, once for each class in which hosts send.
func (t *Tables) Entries(int32) []nexthop.Entry { return t.entries }

// Next is what a switch does with a packet.
func (t *Tables) Next(steps []nexthop.Step, sw, port, lane int, h int32) []nexthop.Step {
	class := t.lanes[lane]
	if in := t.headings[h].tunnel; in != nil {
		if in.end != int32(sw) {
			return t.forward(steps, sw, port, class, in.outer, h)
		}
		h, class = in.inner, in.decap[class]
	}
	if t.tunnel != nil {
		if inside, begins := t.tunnel[at{int32(sw), h}]; begins {
			in := t.headings[inside].tunnel
			return t.forward(steps, sw, port, in.encap[class], in.outer, inside)
		}
	}
	return t.forward(steps, sw, port, class, h, h)
}

// forward looks a destination up; the packet goes on under a heading.
func (t *Tables) forward(steps []nexthop.Step, sw, port int, class uint8, destination, h int32) []nexthop.Step {
	number := t.routes[sw][destination]
	if t.only != nil {
		for _, e := range t.only[at{int32(sw), destination}] {
			if e.classes>>class&1 != 0 && e.from.has(port) {
				number = e.set
				break
			}
		}
	}
	owns := slices.Contains(t.headings[destination].owner, int32(sw))
	if number == 0 {
		if owns {
			return append(steps, nexthop.Delivered.Step())
		}
		return append(steps, nexthop.NoEntry.Step())
	}
	s := &t.sets[number]
	switch {
	case s.drop:
		return append(steps, nexthop.Dropped.Step())
	case s.flood:
		return t.flood(steps, sw, port, class, owns)
	}
	for _, c := range s.channels {
		steps = append(steps, nexthop.Step{Channel: c, Heading: h, Lane: t.laneAfter(sw, port, c, class)})
	}
	for _, p := range s.hosts {
		steps = append(steps, t.outcomeAt(sw, int(p), destination).Step())
	}
	return steps
}

// Uniform reports whether a switch does the same with packets from all ports.
func (t *Tables) Uniform(sw, lane int, h int32) bool {
	if t.simple {
		return !t.sets[t.routes[sw][h]].flood
	}
	if t.remark != nil && len(t.remark[sw]) > 0 {
		return false
	}
	if in := t.headings[h].tunnel; in != nil {
		if in.end == int32(sw) {
			return t.Uniform(sw, int(t.laneOf[in.decap[t.lanes[lane]]]), in.inner)
		}
		h = in.outer
	}
	if t.tunnel != nil {
		if inside, begins := t.tunnel[at{int32(sw), h}]; begins {
			h = t.headings[inside].tunnel.outer
		}
	}
	return len(t.only[at{int32(sw), h}]) == 0 && !t.sets[t.routes[sw][h]].flood
}

// flood sends copies to all ports but the one where the packet came in. Other switches discard
// them, as they carry the address of another's interface.
func (t *Tables) flood(steps []nexthop.Step, sw, port int, class uint8, owns bool) []nexthop.Step {
	for _, c := range t.net.Out(sw) {
		if t.net.From(int(c)).Number != port {
			steps = append(steps, nexthop.Step{Channel: c, Heading: nexthop.Astray, Lane: t.laneAfter(sw, port, c, class)})
		}
	}
	if owns {
		return append(steps, nexthop.Delivered.Step())
	}
	return append(steps, nexthop.Dropped.Step())
}

// outcomeAt is what happens to a packet that leaves by a port without a link to a switch.
func (t *Tables) outcomeAt(sw, port int, destination int32) nexthop.Outcome {
	for _, e := range t.net.EndPointsAt(sw) {
		if t.net.EndPoints[e].At.Number == port {
			if slices.Contains(t.headings[destination].targets, e) {
				return nexthop.Delivered
			}
			return nexthop.WrongEndPoint
		}
	}
	return nexthop.NoLink
}

// laneAfter returns the lane of a packet on a channel that it leaves by.
func (t *Tables) laneAfter(sw, port int, channel int32, class uint8) uint8 {
	if t.remark != nil {
		for _, r := range t.remark[sw] {
			if r.class == class && r.from.has(port) && r.to.has(t.net.From(int(channel)).Number) {
				class = r.becomes
				break
			}
		}
	}
	return uint8(t.laneOf[class])
}

// newTables returns tables without routes and without lossless classes.
func newTables(net *topology.Network) *Tables {
	t := &Tables{net: net, sets: make([]set, 1), only: map[at][]exception{}, tunnel: map[at]int32{}}
	t.lossless = make([]ClassSet, 2*len(net.Links))
	t.remark = make([][]remark, len(net.Switches))
	return t
}

// sensitive reports whether a switch may tell the ports of its hosts apart.
func (t *Tables) sensitive(sw int) bool {
	for a := range t.only {
		if a.sw == int32(sw) {
			return true
		}
	}
	return len(t.remark[sw]) > 0
}

// enter adds the entries of some end points of a switch.
func (t *Tables) enter(sw int, ends []int32) {
	port := t.net.EndPoints[ends[0]].At.Number
	for classes := t.send; classes != 0; classes &= classes - 1 {
		lane := int(t.laneOf[bits.TrailingZeros8(uint8(classes))])
		t.entries = append(t.entries, nexthop.Entry{Switch: sw, Port: port, Lane: lane, EndPoints: ends})
	}
}

// finish numbers the lanes and lists the entries, when all else is known.
func (t *Tables) finish() error {
	used := t.send
	for sw := range t.remark {
		for _, r := range t.remark[sw] {
			used |= 1<<r.class | 1<<r.becomes
		}
	}
	for _, h := range t.headings {
		for inside := range uint8(numClasses) {
			if h.tunnel != nil && h.tunnel.encap[inside] != inside {
				used |= 1<<inside | 1<<h.tunnel.encap[inside]
			}
		}
	}
	if used == 0 {
		return fmt.Errorf("no class in which hosts send")
	}
	for c := range t.laneOf {
		t.laneOf[c] = -1
		if used>>c&1 != 0 {
			t.laneOf[c] = int8(len(t.lanes))
			t.lanes = append(t.lanes, uint8(c))
		}
	}
	for s := range t.net.Switches {
		ends := t.net.EndPointsAt(s)
		group := len(ends)
		if t.sensitive(s) {
			group = 1
		}
		for from := 0; from < len(ends); from += group {
			t.enter(s, ends[from:from+group])
		}
	}
	if len(t.only) == 0 {
		t.only = nil
	}
	if len(t.tunnel) == 0 {
		t.tunnel = nil
	}
	if !slices.ContainsFunc(t.remark, func(r []remark) bool { return len(r) > 0 }) {
		t.remark = nil
	}
	t.simple = t.only == nil && t.tunnel == nil && t.remark == nil
	return nil
}
