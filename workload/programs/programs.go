package programs

import (
	"fmt"
	"slices"
	"strings"

	"musubi/workload"
	"musubi/workload/access"
	"musubi/workload/groups"
	"musubi/workload/halo"
	"musubi/workload/nas"
	"musubi/workload/nccl"
	"musubi/workload/osu"
	"musubi/workload/pairs"
	"musubi/workload/replay"
	"musubi/workload/traffic"
)

// All lists the workloads in the order of the documentation.
func All() []*workload.Workload {
	return append([]*workload.Workload{
		pairs.PingPong,
		pairs.Stream,
		pairs.BOTF,
		traffic.Pattern,
		groups.Barrier,
		groups.Collective,
		halo.Workload,
		groups.Multicast,
		access.Atomics,
		access.Membar,
		access.Layouts,
		access.Intruder,
		pairs.Unexpected,
		nccl.Workload,
		nas.Workload,
		osu.Workload,
		replay.Workload,
	}, replay.Jobs()...)
}

// Lookup finds a workload by name.
func Lookup(name string) (*workload.Workload, error) {
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
