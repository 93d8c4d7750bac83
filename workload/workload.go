package workload

import (
	"fmt"
	"slices"
	"strings"

	"musubi/rma"
	"musubi/units"
)

// Workload is a named program with parameters.
type Workload struct {
	Name    string
	Summary string // one line
	Params  []Param

	prepare func(v *values, env Env) *Plan // mistakes are left in v
}

// Param is a parameter of a workload, set with --set name=value.
type Param struct {
	Name    string
	Default string // may be empty; Help then says what that means
	Help    string // one line, with the unit or the list of values
}

// ParamError says what is wrong with a parameter.
type ParamError struct {
	Workload, Param string
	Problem         string // what was given and what was expected
}

func (e *ParamError) Error() string {
	return fmt.Sprintf("workload %s: %s", e.Workload, e.Problem)
}

// Env is what a workload may know of the machine before it is started.
type Env struct {
	Ranks int
	Seed  uint64
	// Payload is the data in the machine's largest packet; 0 if there are no
	// packets.
	Payload units.Bytes
	// RingPacket is the data in bytes of the largest packet that goes into a receive
	// ring, and so the least size of one.
	RingPacket int
	// BOTF is the largest transfer by BOTF; 0 if there is none.
	BOTF units.Bytes
	// Windows is how many windows a rank can let BOTF use in turn; 0 if there are none
	// to choose from.
	Windows int
	// Cache is the size of the processor's cache; 0 if the machine does not model it.
	Cache units.Bytes
	// RealTime: the clock goes on while a program computes, not only in Compute.
	RealTime bool
	// Offload: network interfaces do barriers and reductions of one integer by themselves.
	Offload bool
	// Atomics: network interfaces change words of memory in one step (rma.Atomics).
	Atomics bool
	// Multicasts reports whether the network knows a manner of multicasts; nil: none.
	Multicasts func(m rma.MulticastMethod) bool
	// Lossy: links make errors, so that what nobody acknowledges may not come.
	Lossy bool
	// InFlight is the number of transfers that a network interface has under way
	// at most; 0 if there is no limit.
	InFlight int
	// SwitchOf gives the switch that a rank is attached to; nil on machines without
	// switches.
	SwitchOf func(rank int) int
	// PathSwitches gives the number of switches on the path between two ranks; nil
	// on machines without switches.
	PathSwitches func(from, to int) int
}

// Plan is a workload made ready. Exactly one of Program and Traffic is set.
type Plan struct {
	// Program is run by every rank. Rank 0 adds the results to out; the others do
	// not use it.
	Program func(p rma.Process, out *Rows) error
	// More are programs that are run after it in the same way, on new machines.
	More []func(p rma.Process, out *Rows) error
	// Counted are operations of which a world with links counts what they carry.
	Counted []Counted
	// Traffic is injected without programs, for studies of the fabric alone.
	Traffic *Traffic
}

// Counted is an operation of which it is told what it puts on links: the difference
// between doing it twice and once.
type Counted struct {
	Bytes  int     // of data
	Labels []Label // of the results
	// Program does it n times, and nothing else that would be different with another n.
	Program func(n int) func(p rma.Process) error
}

// multicasts reports whether the network knows a manner.
func (e *Env) multicasts(m rma.MulticastMethod) bool { return e.Multicasts != nil && e.Multicasts(m) }

// Destination draws the destination of a packet from source src out of n end
// points; random numbers come from draw, which yields one below its argument.
type Destination func(src, n int, draw func(below int) int) int

// Traffic is synthetic open-loop traffic: every end point offers packets of one
// length at random times, whether or not the network takes them.
type Traffic struct {
	Pattern string
	// Destinations returns a fresh Destination, to be used for one load.
	Destinations func() Destination
	Flits        int        // packet length including header and tail; 0: from Bytes
	Bytes        int        // data per packet if Flits is 0
	Loads        []float64  // offered loads, as fractions of what one end point's link carries
	Packets      int        // to be offered during the measurement, on average
	Measure      units.Time // duration of the measurement; 0: from Packets
	Warmup       units.Time // negative: a fifth of the measurement
}

// Times returns the duration of warm-up and measurement for one of the loads,
// on a machine with a number of sources and a time per packet on their links.
func (t *Traffic) Times(load float64, sources int, packet units.Time) (warmup, measure units.Time) {
	measure = t.Measure
	if measure == 0 {
		measure = units.Time(float64(t.Packets)*float64(packet)/(load*float64(sources))) + 1
	}
	if warmup = t.Warmup; warmup < 0 {
		warmup = measure / 5
	}
	return warmup, measure
}

// All lists the workloads in the order of the documentation.
func All() []*Workload {
	return []*Workload{pingpongWorkload, streamWorkload, botfWorkload, patternWorkload, barrierWorkload, collectiveWorkload, haloWorkload, multicastWorkload, atomicsWorkload, membarWorkload, unexpectedWorkload, nasWorkload, osuWorkload}
}

// Lookup finds a workload by name.
func Lookup(name string) (*Workload, error) {
	i := slices.Index(Names(), name)
	if i < 0 {
		return nil, fmt.Errorf("unknown workload %q; known: %s", name, strings.Join(Names(), ", "))
	}
	return All()[i], nil
}

// Names lists the names of all workloads in the order of the documentation.
func Names() []string {
	var names []string
	for _, w := range All() {
		names = append(names, w.Name)
	}
	return names
}

// Prepare makes the workload ready to run with parameters that the user has set.
// It fails with a *ParamError if one is unknown, wrong or does not fit the
// machine.
func (w *Workload) Prepare(settings map[string]string, env Env) (*Plan, error) {
	if env.Ranks < 1 {
		return nil, fmt.Errorf("%s: %d ranks; expected at least 1", w.Name, env.Ranks)
	}
	v, err := newValues(w, settings)
	if err != nil {
		return nil, err
	}
	plan := w.prepare(v, env)
	if v.err != nil {
		return nil, v.err
	}
	return plan, nil
}

// Has reports whether the workload has a parameter of that name.
func (w *Workload) Has(param string) bool {
	return slices.ContainsFunc(w.Params, func(p Param) bool { return p.Name == param })
}

// paramNames lists the parameters for error messages.
func (w *Workload) paramNames() string {
	var names []string
	for _, p := range w.Params {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}
