package nexthop

import "musubi/topology"

// Rules are what the switches of a network do with packets. Methods may be called from several
// goroutines at a time.
type Rules interface {
	Network() *topology.Network

	// Lanes is the number of lanes of each channel; they are numbered from 0. LaneName is what
	// users call a lane.
	Lanes() int
	LaneName(lane int) string

	// Lossless reports whether packets wait on a lane of a channel instead of being dropped.
	Lossless(channel, lane int) bool

	// Headings is the number of headings that packets enter with, from 0. A heading is what switches
	// look up: a destination, perhaps with more that the packet carries. Rules may have
	// further headings, for packets on the way.
	Headings() int
	HeadingName(heading int32) string
	// Targets lists the end points to which a heading leads: any of them is right.
	Targets(heading int32) []int32

	// Entries lists the places where packets to a heading enter the network.
	Entries(heading int32) []Entry

	// Next appends the steps that a packet may take next, which has come to a switch by a port, on
	// a lane. A packet without any is dropped.
	Next(steps []Step, sw, port, lane int, heading int32) []Step

	// Uniform reports whether Next gives packets the same steps at a switch whatever port they came by.
	Uniform(sw, lane int, heading int32) bool
}

// Entry is a place where packets enter: a port of a switch, which stands for those of all the
// EndPoints, and a lane.
type Entry struct {
	Switch, Port, Lane int
	EndPoints          []int32
}

// Step is a way on: over a channel and a lane of it, under a heading. If Channel is negative it is
// an Outcome.
type Step struct {
	Channel, Heading int32
	Lane             uint8
}

// Astray is the heading of a copy of a packet that the next switch discards, since the copy is not
// addressed to it: that of a packet that was flooded.
const Astray int32 = -1

// Outcome is how the way of a packet ends.
type Outcome int8

// Outcomes of packets.
const (
	Delivered     Outcome = iota
	Loop                  // never: it returns to where it was
	Dropped               // the switch is told to discard it
	NoEntry               // the switch does not know the destination
	NoLink                // a next hop is a port without a cable
	WrongEndPoint         // it leaves the network at another end point
	outcomes
)

var outcomeNames = [...]string{"delivered", "forwarding loop", "dropped", "missing entry", "port without link", "wrong destination"}

func (o Outcome) String() string { return outcomeNames[o] }

// Step returns the step that ends in an outcome.
func (o Outcome) Step() Step { return Step{Channel: ^int32(o)} }

// Outcome returns how a way ends with this step, and whether it does.
func (s Step) Outcome() (Outcome, bool) { return Outcome(^s.Channel), s.Channel < 0 }

// next is Next with at least one step.
func next(rules Rules, steps []Step, sw, port, lane int, heading int32) []Step {
	first := len(steps)
	if steps = rules.Next(steps, sw, port, lane, heading); len(steps) == first {
		steps = append(steps, Dropped.Step())
	}
	return steps
}
