package collectives

import (
	"musubi/mpi"
	"musubi/rma"
)

// memory is what an operation works on.
type memory struct {
	c          *mpi.Comm
	root, size int
	in, out    []byte // size bytes each
	sum        mpi.Op[byte]
}

// all returns memory for a part of each rank.
func (m *memory) all() []byte { return rma.Unread(m.c.Process(), m.size*m.c.Size()) }

func (m *memory) parts() [][]byte { return pieces(m.all(), m.c.Size()) }

// wordBytes is the size of the integer that network interfaces can reduce.
const wordBytes = 8

// allReduceWord returns the calls on one integer of 8 bytes, which network interfaces can do.
func allReduceWord(c *mpi.Comm) Calls {
	in, out, sum := make([]int64, 1), make([]int64, 1), mpi.Sum[int64]()
	return Calls{
		func() error { return mpi.AllReduce(c, in, out, sum) },
		func() (*mpi.Request, error) { return mpi.IAllReduce(c, in, out, sum) },
	}
}

// layouts returns the layouts of n consecutive parts of the same size.
func layouts(size, n int) []mpi.Layout {
	list := make([]mpi.Layout, n)
	for i := range list {
		list[i] = mpi.Indexed(mpi.Block{At: i * size, Count: size})
	}
	return list
}

// pieces cuts memory into n parts of the same size.
func pieces(memory []byte, n int) [][]byte {
	list, size := make([][]byte, n), len(memory)/n
	for i := range list {
		list[i] = memory[i*size:][:size:size]
	}
	return list
}
