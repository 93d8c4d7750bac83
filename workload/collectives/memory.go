package collectives

import (
	"fmt"

	"musubi/mpi"
	"musubi/rma"
	"musubi/workload/internal/content"
)

// memory is what an operation works on. What ranks send is known to all of them.
type memory struct {
	c          *mpi.Comm
	root, size int
	sent       *content.Content // size bytes of each rank, or for each rank; nil where there are none
	out        []byte           // size bytes
	sum        mpi.Op[byte]
}

// newMemory returns memory for an operation on so many parts of a size.
func newMemory(c *mpi.Comm, root, size, parts int) *memory {
	p := c.Process()
	m := &memory{c: c, root: root, size: size, out: rma.Memory(p, size), sum: mpi.Sum[byte]()}
	if size > 0 {
		m.sent = content.New(p, parts*size)
	}
	return m
}

// in returns what this rank sends, or its part for the first rank.
func (m *memory) in() []byte { return m.sends(1) }

// inAll returns what this rank sends to all.
func (m *memory) inAll() []byte { return m.sends(m.c.Size()) }

func (m *memory) sends(parts int) []byte {
	if m.sent == nil {
		return []byte{}
	}
	return m.sent.Of(m.c.Rank(), 0, parts*m.size)
}

// outAll returns memory for a part of each rank.
func (m *memory) outAll() []byte { return rma.Memory(m.c.Process(), m.size*m.c.Size()) }

// atRoot returns memory for a part of each rank at the root, and none elsewhere.
func (m *memory) atRoot() []byte {
	if m.c.Rank() != m.root {
		return nil
	}
	return m.outAll()
}

func (m *memory) isRoot() bool { return m.c.Rank() == m.root }

// part is what a piece of memory is to have after an operation.
type part struct {
	memory   []byte
	from, at int  // rank that has sent it, and from which of its bytes on
	sum      bool // it is the sum of what ranks 0 to from have sent
}

// check returns the Check of an operation that has n parts; nil if there is nothing to check.
func (m *memory) check(n int, part func(i int) part) func() error {
	if n == 0 || m.size == 0 || !rma.HasBytes(m.c.Process()) {
		return nil
	}
	return func() error {
		for i := range n {
			if err := m.has(part(i)); err != nil {
				return fmt.Errorf("workload: what rank %d has of %d bytes: %w", m.c.Rank(), m.size, err)
			}
		}
		return nil
	}
}

// has fails unless a part has what it is to have, and clears it.
func (m *memory) has(p part) error {
	check := m.sent.Check
	if p.sum {
		check = m.sent.CheckSum
	}
	if err := check(p.memory, p.from, p.at); err != nil {
		return err
	}
	clear(p.memory)
	return nil
}

// checkOut returns the Check of an operation that leaves in out what a rank has sent, from its byte at on.
func (m *memory) checkOut(from, at int) func() error {
	return m.check(1, func(int) part { return part{memory: m.out, from: from, at: at} })
}

// checkSum returns the Check of an operation that leaves in out the sum of what ranks 0 to last have sent, from byte at on;
// last may be -1, where there is no sum.
func (m *memory) checkSum(last, at int) func() error {
	if m.sent != nil {
		m.sent.Sum()
	}
	return m.check(min(1, last+1), func(int) part { return part{m.out, last, at, true} })
}

// checkParts returns the Check of an operation that leaves what each rank has sent, from byte at on; out may be empty.
func (m *memory) checkParts(out []byte, at int) func() error {
	n := m.c.Size()
	if len(out) == 0 {
		n = 0
	}
	return m.check(n, func(i int) part { return part{memory: out[i*m.size:][:m.size], from: i, at: at} })
}

// wordBytes is the size of the integer that network interfaces can reduce.
const wordBytes = 8

// allReduceWord returns the calls on one integer of 8 bytes, which network interfaces can do.
func allReduceWord(c *mpi.Comm) Calls {
	const factor = 0x0102030405060708
	in, out, sum := []int64{factor * int64(c.Rank()+1)}, make([]int64, 1), mpi.Sum[int64]()
	n := int64(c.Size())
	want := factor * (n * (n + 1) / 2)
	return Calls{
		func() error { return mpi.AllReduce(c, in, out, sum) },
		func() (*mpi.Request, error) { return mpi.IAllReduce(c, in, out, sum) },
		func() error {
			if out[0] != want {
				return fmt.Errorf("workload: the sum at rank %d is %#x; expected %#x", c.Rank(), out[0], want)
			}
			out[0] = 0
			return nil
		},
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

// pieces cuts memory into n parts of the same size; none if there is no memory.
func pieces(memory []byte, n int) [][]byte {
	if memory == nil {
		return nil
	}
	list, size := make([][]byte, n), len(memory)/n
	for i := range list {
		list[i] = memory[i*size:][:size:size]
	}
	return list
}
