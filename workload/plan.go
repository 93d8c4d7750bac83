package workload

import (
	"context"

	"musubi/rma"
	"musubi/units"
)

// Plan is a workload that is ready to run. Program or Traffic is set, or both: then the program runs
// first, and the traffic on a new machine.
type Plan struct {
	// Program is run by every rank. Rank 0 adds the results to out; the others do
	// not use it.
	Program func(p rma.Process, out *Rows) error
	// Data is how many bytes the data of all ranks takes that the program does not look at, if its
	// memory is without bytes (rma.Memory), at least 1; 0: it needs the bytes of all data.
	Data int64
	// Memory is how many bytes of memory the program takes beside that, of all ranks, with or without the bytes of data; 0: little.
	Memory int64
	// Shared: half of that data is what ranks send, and simulated ones share its memory (rma.Constant).
	Shared bool
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
