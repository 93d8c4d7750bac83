package algorithm

import (
	"musubi/mpi/internal/schedule"
	"musubi/rma"
)

var (
	chainBarrier          = &Algorithm{Name: Chain, Build: callFirst, Way: ByMulticast, Manner: rma.Chain, Otherwise: always(dissemination)}
	hierarchicalBarrier   = &Algorithm{Name: Hierarchical, Build: callFirst, Way: ByMulticast, Manner: rma.Hierarchical, Otherwise: always(dissemination)}
	chainBroadcast        = &Algorithm{Name: Chain, Build: callFirst, Way: ByMulticast, Manner: rma.Chain, Otherwise: chooseBroadcast}
	hierarchicalBroadcast = &Algorithm{Name: Hierarchical, Build: callFirst, Way: ByMulticast, Manner: rma.Hierarchical, Otherwise: chooseBroadcast}
)

var (
	offloadBarrier   = &Algorithm{Name: Offload, Build: callFirst, Way: ByInterfaces, Otherwise: always(dissemination)}
	offloadAllReduce = &Algorithm{Name: Offload, Build: callFirst, Way: ByInterfaces, Otherwise: chooseAllReduce, Refuse: unlessWord}
)

// Names of algorithms that need a machine which can do them.
const (
	Offload      = "offload"
	Chain        = "chain"
	Hierarchical = "hierarchical"
)

// callFirst is a schedule of which another way than messages adds the steps.
func callFirst(s *schedule.Schedule, _ Arguments) { s.Call(0, nil, nil) }

func unlessWord(a *Arguments, _ int) string {
	if a.IsWord() {
		return ""
	}
	return "other operations or elements; expected Sum, Min, Max, And, Or or Xor of one integer of 8 bytes"
}
