package algorithm

import (
	"unsafe"

	"musubi/internal/phantom"
	"musubi/mpi/internal/datatype"
	"musubi/mpi/internal/schedule"
)

// allToAllLinear starts all at once.
func allToAllLinear(s *schedule.Schedule, a Arguments) {
	in := a.In
	if s.Size > 1 && isInPlace(in, a.Out) {
		in = s.Scratch(a.In, len(a.In))
		s.Copy(in, a.In)
	}
	s.ReceiveEach(a.Out)
	s.SendEach(in)
	own := len(in) / s.Size * s.Rank
	s.Copy(a.Out[own:own+len(in)/s.Size], in[own:own+len(in)/s.Size])
	s.Wait()
}

// allToAllPairwise lets ranks send to the one i places on while receiving from the
// one i places back, one i after the other; so nobody is sent to by many at once.
func allToAllPairwise(s *schedule.Schedule, a Arguments) {
	a.Ins, a.Outs = equal(a.In, s.Size), equal(a.Out, s.Size)
	allToAllVPairwise(s, a)
}

func allToAllVLinear(s *schedule.Schedule, a Arguments) {
	a.Ins = separateInputs(s, a)
	s.Reserve(2 * s.Size)
	for i := 1; i < s.Size; i++ {
		s.Receive(s.Left(i), a.Outs[s.Left(i)])
	}
	for i := 1; i < s.Size; i++ {
		s.Send(s.Right(i), a.Ins[s.Right(i)])
	}
	s.Copy(a.Outs[s.Rank], a.Ins[s.Rank])
	s.Wait()
}

func allToAllVPairwise(s *schedule.Schedule, a Arguments) {
	a.Ins = separateInputs(s, a)
	s.Reserve(s.Size)
	s.Copy(a.Outs[s.Rank], a.Ins[s.Rank])
	for i := 1; i < s.Size; i++ {
		s.Exchange(s.Right(i), a.Ins[s.Right(i)], s.Left(i), a.Outs[s.Left(i)])
	}
}

// separateInputs returns the parts to send: a copy in an operation in place, where parts are
// received into the same memory.
func separateInputs(s *schedule.Schedule, a Arguments) [][]byte {
	for r, in := range a.Ins {
		if r != s.Rank && isInPlace(in, a.Outs[r]) {
			return cutLike(joined(s, a.Ins), a.Ins)
		}
	}
	return a.Ins
}

// isInPlace reports whether what a rank gives lies where the result goes.
func isInPlace(in, out []byte) bool {
	return len(in) > 0 && unsafe.SliceData(in) == unsafe.SliceData(out)
}

// allToAllBruck is by Bruck et al. (1997): what has to go r places on makes a hop of
// 2^step places in each of ceil(log2 n) steps for which r has that bit. It sends few
// messages, but elements several times.
func allToAllBruck(s *schedule.Schedule, a Arguments) {
	rotated, n := s.Scratch(a.In, len(a.In)), len(a.In)/s.Size
	packed, received := s.Scratch(a.In, len(a.In)), s.Scratch(a.In, len(a.In))
	hasBytes := !phantom.Is(a.In)
	if hasBytes {
		place{size: s.Size, root: s.Rank}.toPlaces(s, rotated, a.In)
	}
	for d := 1; d < s.Size; d *= 2 {
		// The numbers with this bit come in runs of d; of the last one there may be a part.
		whole := datatype.Strided(s.Size/(2*d), d*n, 2*d*n)
		first, last := rotated[d*n:], rotated[min(s.Size/(2*d)*2*d+d, s.Size)*n:]
		size := whole.Size + len(last)
		if hasBytes {
			s.Pack(packed[:whole.Size], first, &whole)
			s.Copy(packed[whole.Size:size], last)
		}
		s.Exchange(s.Right(d), packed[:size], s.Left(d), received[:size])
		if hasBytes {
			s.Unpack(first, received[:whole.Size], &whole)
			s.Copy(last, received[whole.Size:size])
		}
	}
	if hasBytes {
		back := s.Runs(s.Size)
		for r := range back {
			back[r] = datatype.Run{At: s.Left(r) * n, Bytes: n}
		}
		ranks := datatype.Indexed(back)
		s.Unpack(a.Out, rotated, &ranks)
	}
}

func allToAllWLinear(s *schedule.Schedule, a Arguments) { packing(allToAllVLinear)(s, a) }

func allToAllWPairwise(s *schedule.Schedule, a Arguments) { packing(allToAllVPairwise)(s, a) }

// packing makes an algorithm for types of one for parts.
func packing(exchange func(*schedule.Schedule, Arguments)) func(*schedule.Schedule, Arguments) {
	return func(s *schedule.Schedule, a Arguments) {
		to, from := a.Layouts.To, a.Layouts.From
		a.Ins, a.Outs = make([][]byte, len(to)), make([][]byte, len(from))
		for i := range to {
			a.Ins[i] = pack(s, &to[i], a.In)
		}
		for i := range from {
			a.Outs[i] = placeFor(s, &from[i], a.Out)
		}
		exchange(s, a)
		for i := range from {
			unpack(s, &from[i], a.Out, a.Outs[i])
		}
	}
}

// pack returns memory that will have the bytes that a type names.
func pack(s *schedule.Schedule, t *datatype.Type, from []byte) []byte {
	into := placeFor(s, t, from)
	if t.Runs() > 1 {
		s.Pack(into, from, t)
	}
	return into
}

// placeFor returns memory for the bytes that a type names: their own if they are contiguous.
func placeFor(s *schedule.Schedule, t *datatype.Type, memory []byte) []byte {
	switch t.Runs() {
	case 0:
		return nil
	case 1:
		r := t.Run(0)
		return memory[r.At:][:r.Bytes]
	}
	return s.Scratch(memory, t.Size)
}

// unpack adds a step that unpacks bytes from the memory of placeFor, unless they are in place.
func unpack(s *schedule.Schedule, t *datatype.Type, into, from []byte) {
	if t.Runs() > 1 {
		s.Unpack(into, from, t)
	}
}
