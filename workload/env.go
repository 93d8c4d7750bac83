package workload

import (
	"musubi/rma"
	"musubi/units"
)

// Env describes the machine to a workload before it starts.
type Env struct {
	Ranks int
	Seed  uint64
	// Payload is the data in the machine's largest packet; 0 if there are no
	// packets.
	Payload units.Bytes
	// RingPacket is the data in bytes of the largest packet that goes into a receive ring, and so
	// the smallest size of a ring.
	RingPacket int
	// BOTF is the largest transfer by BOTF; 0 if there is none.
	BOTF units.Bytes
	// Windows is the number of windows that BOTF can use in turn; 0 if the interface does not let
	// programs choose.
	Windows int
	// Cache is the size of the processor's cache; 0 if the machine does not model it.
	Cache units.Bytes
	// RealTime: the clock goes on while a program computes, not only in Compute.
	RealTime bool
	// Queues: network interfaces have command queues (rma.Commander).
	Queues bool
	// Offload: network interfaces do barriers and reductions of one integer by themselves.
	Offload bool
	// Atomics: network interfaces do atomic operations (rma.Atomics).
	Atomics bool
	// Sequence is the number of changes of words that one request can have (rma.Sequencer); 0 if each
	// takes its own.
	Sequence int
	// Guarded: network interfaces check the right to access memory (rma.Guarded).
	Guarded bool
	// Multicasts reports whether the network knows a method of multicast; nil: none.
	Multicasts func(m rma.MulticastMethod) bool
	// Lossy: links have errors, so packets without acknowledgement may be lost.
	Lossy bool
	// InFlight is the largest number of transfers that a network interface has in flight; 0 if
	// there is no limit.
	InFlight int
	// NetworkRate is what a rank's link carries, in bytes per second; 0 if there is no network.
	NetworkRate float64
	// SwitchesCombine: switches of the network combine long messages (rma.Combiner).
	SwitchesCombine bool
	// Domain is the scale-up network of accelerators; nil: there is none.
	Domain *Domain
	// Library is how a library passes messages between processes where interfaces have no receive
	// rings; nil: they have.
	Library *Library
	// Operations is how many operations a processor does in a second; 0 if the machine does not
	// say.
	Operations float64
	// SwitchOf returns the switch that a rank is attached to; nil on machines without switches.
	SwitchOf func(rank int) int
	// LogGP are the parameters of a machine of that model; nil on others.
	LogGP *LogGP
	// Dims are the numbers of switches along the dimensions of a regular network, whose switches are
	// numbered by them, the first fastest; nil: it has none.
	Dims []int
	// Groups are the groups of switches, by number of the switch, as in a dragonfly; nil: there are none.
	Groups []int32
	// PathSwitches returns the number of switches on the path between two ranks; nil on machines
	// without switches.
	PathSwitches func(from, to int) int
}

// HasMulticast reports whether the network knows a method of multicast.
func (e *Env) HasMulticast(m rma.MulticastMethod) bool { return e.Multicasts != nil && e.Multicasts(m) }

// Domain is a scale-up network, in which accelerators reach each other without the network.
type Domain struct {
	Of       func(rank int) int // number of the domain that a rank is in
	Rate     float64            // of an accelerator, in bytes per second in each direction
	Combined float64            // the same for data that its switches combine; 0: they do not
}

// LogGP are the parameters of machines of that model: latency, overhead, gap, and the rate of bytes.
type LogGP struct {
	L, O, G units.Time
	PerByte units.Rate
}

// Switches returns the number of switches between two ranks, or -1.
func (e *Env) Switches(from, to int) int {
	if e.PathSwitches == nil {
		return -1
	}
	return e.PathSwitches(from, to)
}
