package memory

import (
	"errors"
	"fmt"

	"musubi/rma"
	"musubi/sim/host"
)

// memoryRank is a rank whose interface does memory-based communication.
type memoryRank struct {
	*host.Process
	host.Atomics
	m *memoryBased
}

var (
	_ rma.Atomics     = memoryRank{}
	_ rma.Multicaster = memoryRank{}
)

// Multicasts implements rma.Multicaster.
func (r memoryRank) Multicasts(by rma.MulticastMethod) bool {
	return multicasts(r.m.Machine, r.m.Net, by)
}

// MulticastPush implements rma.Multicaster.
func (r memoryRank) MulticastPush(to []rma.Address, data []byte, how rma.Multicast) (rma.Op, error) {
	m := r.m
	switch {
	case how.By > rma.Hierarchical:
		return 0, fmt.Errorf("rma: multicast by %v; expected %v or %v", how.By, rma.Chain, rma.Hierarchical)
	case !r.Multicasts(how.By):
		return 0, fmt.Errorf("rma: multicast by %v, and no switch copies packets (remote.copies = %q); expected %v", how.By, m.Remote.Copies, rma.Chain)
	}
	if err := r.checkTargets(to); err != nil {
		return 0, err
	}
	if m.confirmsAll {
		how.Unacknowledged = false // its packets go one after the other; see mustWait
	}
	a := access{Request: host.Request{Action: host.Multicast, Target: none, Local: data}, initiator: int32(r.Rank()), size: len(data), unconfirmed: how.Unacknowledged}
	a.cast = m.casts.newCast(to, how, len(data))
	m.casts.list[a.cast].base = m.residents.addressOfLocal(r.Process, data)
	return m.begins(r.Process, a, 1)
}

// checkTargets fails unless there are some, which exist, with an address each.
func (r memoryRank) checkTargets(to []rma.Address) error {
	if len(to) == 0 {
		return errors.New("rma: multicast to nobody; expected at least one address")
	}
	seen := make([]bool, len(r.m.Ranks))
	for _, at := range to {
		switch {
		case at.Rank < 0 || at.Rank >= len(seen):
			return fmt.Errorf("rma: multicast names rank %d; there are ranks 0 to %d", at.Rank, len(seen)-1)
		case seen[at.Rank]:
			return fmt.Errorf("rma: multicast names rank %d twice; expected one address of each rank", at.Rank)
		}
		seen[at.Rank] = true
	}
	return nil
}
