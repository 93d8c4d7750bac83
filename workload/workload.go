package workload

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"musubi/rma"
	"musubi/units"
	"musubi/workload/nas"
)

// Workload is a named program with parameters.
type Workload struct {
	Name    string
	Summary string // one line
	Params  []Param

	files   []string                             // names of parameters that are files
	lists   []string                             // names of parameters that take several values, with commas
	ranks   func(settings map[string]string) int // how many ranks it is for; nil, or 0: any number
	prepare func(v *values, env Env) *Plan       // stores mistakes in v
}

// Param is a parameter of a workload, set with --set name=value.
type Param struct {
	Name    string
	Default string // may be empty; Help then says what that means
	Help    string // one line, with the unit or the list of values
}

// ParamError describes a wrong parameter.
type ParamError struct {
	Workload, Param string
	Problem         string // what was given and what was expected
}

func (e *ParamError) Error() string {
	return fmt.Sprintf("workload %s: %s", e.Workload, e.Problem)
}

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
	// PathSwitches returns the number of switches on the path between two ranks; nil on machines
	// without switches.
	PathSwitches func(from, to int) int
}

// Library is what passing messages costs where a library of the processor does it.
type Library = nas.Library

// Plan is a workload that is ready to run. Program or Traffic is set, or both: then the program runs
// first, and the traffic on a new machine.
type Plan struct {
	// Program is run by every rank. Rank 0 adds the results to out; the others do
	// not use it.
	Program func(p rma.Process, out *Rows) error
	// Data is how many bytes the data of all ranks takes that the program does not look at, if its
	// memory is without bytes (rma.Memory), at least 1; 0: it needs the bytes of all data.
	Data int64
	// Partners is with how many others each rank has messages under way at once, roughly.
	Partners int
	// Sends returns about how many messages the ranks send all together, and how many bytes; nil: it
	// is not known.
	Sends func() (messages, bytes int64)
	// More are further programs, each of which runs on a new machine.
	More []func(p rma.Process, out *Rows) error
	// Counted are operations whose load on links the world counts, if it has links.
	Counted []Counted
	// Traffic is injected without programs, to study the fabric alone.
	Traffic *Traffic
	// Formula adds results that need neither ranks nor a network, in place of Program and Traffic.
	Formula func(ctx context.Context, out *Rows) error
	// Longest is the largest size among the parameters, in bytes; 0 if there is none.
	Longest int
}

// Counted is an operation whose bytes on links are counted: the difference between doing it twice
// and once.
type Counted struct {
	Bytes  int     // of data
	Labels []Label // of the results
	// Program does the operation n times, and nothing else that depends on n.
	Program func(n int) func(p rma.Process) error
}

// multicasts reports whether the network knows a method of multicast.
func (e *Env) multicasts(m rma.MulticastMethod) bool { return e.Multicasts != nil && e.Multicasts(m) }

// Destination returns the destination of a packet from source src among n end points; draw returns
// a random number below its argument.
type Destination func(src, n int, draw func(below int) int) int

// Traffic is synthetic open-loop traffic: every end point offers packets of one length at random
// times, whether or not the network accepts them.
type Traffic struct {
	Pattern string
	// Destinations returns a fresh Destination, to be used for one load.
	Destinations func() Destination
	Flits        int        // packet length including header and tail; 0: from Bytes
	Bytes        int        // data per packet if Flits is 0
	Loads        []float64  // offered loads, as fractions of the rate of an end point's link
	Packets      int        // to be offered during the measurement, on average
	Measure      units.Time // duration of the measurement; 0: from Packets
	Warmup       units.Time // negative: a fifth of the measurement
}

// Times returns the durations of warm-up and measurement for one of the loads, for a number of
// sources and a time per packet on their links.
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
	return []*Workload{
		pingpongWorkload,
		streamWorkload,
		botfWorkload,
		patternWorkload,
		barrierWorkload,
		collectiveWorkload,
		haloWorkload,
		multicastWorkload,
		atomicsWorkload,
		membarWorkload,
		layoutsWorkload,
		intruderWorkload,
		unexpectedWorkload,
		nasWorkload,
		osuWorkload,
		traceWorkload,
	}
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
	plan.Longest = v.longest
	return plan, nil
}

// Files returns the files that parameters name.
func (w *Workload) Files(settings map[string]string) (files []string) {
	for _, name := range w.files {
		files = append(files, settings[name])
	}
	return files
}

// Ranks returns how many ranks the workload is for with these parameters; 0: any number.
func (w *Workload) Ranks(settings map[string]string) int {
	if w.ranks == nil {
		return 0
	}
	return w.ranks(settings)
}

// Has reports whether the workload has a parameter of that name.
func (w *Workload) Has(param string) bool {
	return slices.ContainsFunc(w.Params, func(p Param) bool { return p.Name == param })
}

// TakesList reports whether a parameter takes several values in one run, with commas between them.
func (w *Workload) TakesList(param string) bool { return slices.Contains(w.lists, param) }

// paramNames lists the parameters for error messages.
func (w *Workload) paramNames() string {
	var names []string
	for _, p := range w.Params {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}
