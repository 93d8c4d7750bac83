package mpi

import "unsafe"

// AllToAll lets every rank send a part of in to each rank, and puts what it gets
// from them to out, both in the order of the ranks. The slices have the same length
// everywhere, a multiple of the number of ranks, and may be the same slice.
func AllToAll[T any](c *Comm, in, out []T) error {
	return carryOut(planFor(c, "AllToAll", allToAll, 0, in, out))
}

// IAllToAll starts an AllToAll.
func IAllToAll[T any](c *Comm, in, out []T) (*Request, error) {
	return begin(planFor(c, "IAllToAll", allToAll, 0, in, out))
}

// AllToAllV is AllToAll of different numbers of elements: in[r] goes to rank r,
// and what rank r has for this one to out[r], whose length is that of what it sends.
// In may be out, between ranks that send each other as much as they get.
func AllToAllV[T any](c *Comm, in, out [][]T) error {
	return carryOut(planParts(c, "AllToAllV", allToAllV, 0, nil, nil, in, out))
}

// IAllToAllV starts an AllToAllV.
func IAllToAllV[T any](c *Comm, in, out [][]T) (*Request, error) {
	return begin(planParts(c, "IAllToAllV", allToAllV, 0, nil, nil, in, out))
}

// allToAllLinear starts all at once.
func allToAllLinear(s *schedule, a arguments) {
	a.ins, a.outs = equal(a.in, s.size), equal(a.out, s.size)
	allToAllVLinear(s, a)
}

// allToAllPairwise lets ranks send to the one i places on while receiving from the
// one i places back, one i after the other; so nobody is sent to by many at once.
func allToAllPairwise(s *schedule, a arguments) {
	a.ins, a.outs = equal(a.in, s.size), equal(a.out, s.size)
	allToAllVPairwise(s, a)
}

func allToAllVLinear(s *schedule, a arguments) {
	a.ins = s.apart(a)
	for i := 1; i < s.size; i++ {
		s.receive(s.left(i), a.outs[s.left(i)])
	}
	for i := 1; i < s.size; i++ {
		s.send(s.right(i), a.ins[s.right(i)])
	}
	s.copy(a.outs[s.rank], a.ins[s.rank])
	s.wait()
}

func allToAllVPairwise(s *schedule, a arguments) {
	a.ins = s.apart(a)
	s.copy(a.outs[s.rank], a.ins[s.rank])
	for i := 1; i < s.size; i++ {
		s.exchange(s.right(i), a.ins[s.right(i)], s.left(i), a.outs[s.left(i)])
	}
}

// apart returns the parts to send: in an operation in place a copy, as they lie where others
// are received.
func (s *schedule) apart(a arguments) [][]byte {
	for r, in := range a.ins {
		if r != s.rank && len(in) > 0 && unsafe.SliceData(in) == unsafe.SliceData(a.outs[r]) {
			return cutLike(s.joined(a.ins), a.ins)
		}
	}
	return a.ins
}

// allToAllBruck is by Bruck et al. (1997): what has to go r places on makes a hop of
// 2^step places in each of ceil(log2 n) steps for which r has that bit. It sends few
// messages, but elements several times.
func allToAllBruck(s *schedule, a arguments) {
	turned := s.scratch(len(a.in))
	place{size: s.size, root: s.rank}.toPlaces(s, turned, a.in)
	blocks := equal(turned, s.size)
	packed, received := s.scratch(len(a.in)), s.scratch(len(a.in))
	n := len(a.in) / s.size
	for d := 1; d < s.size; d *= 2 {
		size := 0
		for r := d; r < s.size; r = nextWith(d, r) {
			s.copy(packed[size:], blocks[r])
			size += n
		}
		s.exchange(s.right(d), packed[:size], s.left(d), received[:size])
		size = 0
		for r := d; r < s.size; r = nextWith(d, r) {
			s.copy(blocks[r], received[size:size+n])
			size += n
		}
	}
	out := equal(a.out, s.size)
	for r, block := range blocks {
		s.copy(out[s.left(r)], block)
	}
}

// nextWith returns the next number after n that has a bit.
func nextWith(bit, n int) int { return (n + 1) | bit }
