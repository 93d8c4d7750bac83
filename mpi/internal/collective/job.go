package collective

import (
	"musubi/mpi/internal/core"
	"musubi/rma"
)

// job is the state of collective operations that all communicators of a process share.
type job struct {
	*core.Engine
	ids         ids                // of communicators
	barriers    rma.SharedBarriers // of the process; nil: it has none
	collector   rma.Collector      // the process, if its interface combines words of ranks; else nil
	multicaster rma.Multicaster    // the process, if its network has multicast; else nil
	offloads    offloads
	multicasts  multicasts
}

func newJob(e *core.Engine) *job {
	j := &job{Engine: e}
	j.barriers, _ = e.Process.(rma.SharedBarriers)
	j.collector, _ = e.Process.(rma.Collector)
	j.multicaster, _ = e.Process.(rma.Multicaster)
	j.offloads.number = e.Sources.Add(&j.offloads)
	j.multicasts.number = e.Sources.Add(&j.multicasts)
	return j
}
