package collective

import (
	"slices"

	"musubi/mpi/internal/core"
	"musubi/mpi/internal/multicast"
	"musubi/rma"
)

// job is the state of collective operations that all communicators of a process share.
type job struct {
	*core.Engine
	ids         ids                // of communicators
	agreements  agreements         // on ids of new communicators
	barriers    rma.SharedBarriers // of the process; nil: it has none
	tuned       rma.Tuned          // the process, if it can know which algorithms are fast; else nil
	collector   rma.Collector      // the process, if its interface combines words of ranks; else nil
	multicaster rma.Multicaster    // the process, if its network has multicast; else nil
	witness     rma.Witness        // the process, if its world compares what processes say; else nil
	offloads    awaited            // operations that interfaces do
	multicasts  awaited            // operations that wait for a slot of a multicast buffer
	noted       awaited            // operations that wait for notes
	buffers     multicast.Pool     // of the multicasts of the process
	rooms       rooms              // for parts among the arguments of operations to come
}

// rooms are slices for the parts of operations, which use them again.
type rooms [][][]byte

// take returns room for n parts.
func (r *rooms) take(n int) [][]byte {
	last := len(*r) - 1
	switch {
	case n == 0:
		return nil
	case last < 0:
		return make([][]byte, n)
	}
	room := (*r)[last]
	*r = (*r)[:last]
	return slices.Grow(room[:0], n)[:n]
}

// giveBack takes back what take has returned, and lets go of the program's memory.
func (r *rooms) giveBack(room [][]byte) {
	if room != nil {
		clear(room)
		*r = append(*r, room)
	}
}

func newJob(e *core.Engine) *job {
	j := &job{Engine: e}
	if !e.Records() { // a record is of messages
		j.barriers, _ = e.Process.(rma.SharedBarriers)
	}
	j.witness, _ = e.Process.(rma.Witness)
	j.tuned, _ = e.Process.(rma.Tuned)
	j.collector, _ = e.Process.(rma.Collector)
	j.multicaster, _ = e.Process.(rma.Multicaster)
	for _, a := range []*awaited{&j.offloads, &j.multicasts, &j.noted} {
		a.engine, a.number = e, e.Sources.Add(a)
	}
	return j
}
