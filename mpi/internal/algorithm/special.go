package algorithm

import (
	"musubi/mpi/internal/schedule"
	"musubi/rma"
)

var (
	chainBarrier          = &Algorithm{Name: Chain, Build: byCalls, Way: ByMulticast, Method: rma.Chain, Otherwise: always(dissemination)}
	hierarchicalBarrier   = &Algorithm{Name: Hierarchical, Build: byCalls, Way: ByMulticast, Method: rma.Hierarchical, Otherwise: always(dissemination)}
	chainBroadcast        = &Algorithm{Name: Chain, Build: byCalls, Way: ByMulticast, Method: rma.Chain, Otherwise: chooseBroadcast}
	hierarchicalBroadcast = &Algorithm{Name: Hierarchical, Build: byCalls, Way: ByMulticast, Method: rma.Hierarchical, Otherwise: chooseBroadcast}
)

var (
	offloadBarrier   = &Algorithm{Name: Offload, Build: byCalls, Way: ByInterfaces, Otherwise: always(dissemination)}
	offloadAllReduce = &Algorithm{Name: Offload, Build: byCalls, Way: ByInterfaces, Otherwise: chooseAllReduce, Refuse: unlessWord}
)

// Notes is how operations on short data go that do not wait, where processes share memory.
var Notes = &Algorithm{Name: "notes", Build: byCalls, Way: ByNotes}

// Names of algorithms that need a machine which can do them.
const (
	Offload      = "offload"
	Chain        = "chain"
	Hierarchical = "hierarchical"
)

// byCalls makes a schedule of one call, which adds the other steps.
func byCalls(s *schedule.Schedule, _ Arguments) { s.Call(0, nil, nil) }

func unlessWord(a *Arguments, _ int) string {
	if a.IsWord() {
		return ""
	}
	return "other operations or elements; expected Sum, Min, Max, And, Or or Xor of one integer of 8 bytes"
}
