package abi

import (
	"encoding/binary"

	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/elements"
)

// What the groups of an intercommunicator tell each other when they make others: by their first
// ranks, in messages of its bridge.

const bridgeTag = 1<<30 + 1 // above the tags of programs

func (c *call) swapWord(m *comm, mine int32) (int32, error) {
	var out, in [4]byte
	binary.NativeEndian.PutUint32(out[:], uint32(mine))
	r, err := m.point.IReceive(c.function.name, 0, bridgeTag, in[:])
	if err != nil {
		return 0, err
	}
	if err := m.point.Send(c.function.name, 0, bridgeTag, out[:], false); err != nil {
		return 0, err
	}
	_, err = r.Wait()
	return int32(binary.NativeEndian.Uint32(in[:])), err
}

// broadcastWord tells the local group what its first rank knows.
func (c *call) broadcastWord(m *comm, words []int32) error {
	o, err := m.c.Plan(c.function.name, algorithm.Broadcast, &algorithm.Arguments{Out: elements.Memory(words), Element: 4})
	if err != nil {
		return err
	}
	return o.Run()
}

func (c *call) splitInter(*comm, int, int) error {
	return wrong(cErrUnsupportedOperation, "Musubi does not have MPI_Comm_split of intercommunicators yet")
}

func (c *call) createInter(*comm, *group) error {
	return wrong(cErrUnsupportedOperation, "Musubi does not have MPI_Comm_create of intercommunicators yet")
}
