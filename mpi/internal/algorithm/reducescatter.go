package algorithm

import "musubi/mpi/internal/schedule"

// reduceScatterTree reduces to rank 0, which scatters the result.
func reduceScatterTree(s *schedule.Schedule, a Arguments) {
	all := reduced(s, a, a.In)
	scatterBinomial(s, Arguments{In: all, Out: a.Out, Element: a.Element})
}

func reduceScatterVTree(s *schedule.Schedule, a Arguments) {
	all, to := reduced(s, a, joined(s, a.Ins)), Arguments{Out: a.Out}
	if s.Rank == 0 {
		to.Ins = cutLike(all, a.Ins)
	}
	scatterVLinear(s, to)
}

// reduced reduces to rank 0, and returns the result there.
func reduced(s *schedule.Schedule, a Arguments, in []byte) []byte {
	var all []byte
	if s.Rank == 0 {
		all = s.Scratch(in, len(in))
	}
	reduceBinomial(s, Arguments{In: in, Out: all, Element: a.Element, Op: a.Op})
	return all
}

// joined copies parts to memory where they follow each other.
func joined(s *schedule.Schedule, parts [][]byte) []byte {
	all := s.Scratch(parts[0], bytesOfAll(parts))
	for i, part := range cutLike(all, parts) {
		s.Copy(part, parts[i])
	}
	return all
}

// reduceScatterHalving lets ranks exchange halves of their elements with ever nearer
// peers, each combining the half that has its own: log2 n steps. Far ranks begin, so
// the operation has to be commutative.
func reduceScatterHalving(s *schedule.Schedule, a Arguments) {
	if n := len(a.Out); s.Size == 2 {
		swapTo(s, a, a.In[s.Rank*n:][:n], a.In[s.Left(1)*n:][:n])
		return
	}
	halveTo(s, a, a.In, beginsOf(equal(a.In, s.Size)))
}

func reduceScatterVHalving(s *schedule.Schedule, a Arguments) {
	if s.Size == 2 {
		swapTo(s, a, a.Ins[s.Rank], a.Ins[s.Left(1)])
		return
	}
	halveTo(s, a, joined(s, a.Ins), beginsOf(a.Ins))
}

// swapTo is recursive halving of two ranks, which need no copy of what they combine: each sends the part
// of the other one.
func swapTo(s *schedule.Schedule, a Arguments, own, other []byte) {
	peer, got := s.Left(1), s.Scratch(own, len(own))
	s.Exchange(peer, other, peer, got)
	s.Combine(own, got)
	s.Copy(a.Out, got)
}

// halveTo is recursive halving of parts, of which part i lies from begins[i] to begins[i+1].
func halveTo(s *schedule.Schedule, a Arguments, in []byte, begins []int) {
	f := foldTo(s, -1)
	p := foldIn(s, f, Arguments{In: in, Element: a.Element, Op: a.Op})
	partner, paired := f.partner(s.Rank)
	if f.number < 0 {
		s.Receive(partner, a.Out)
		s.Wait()
		return
	}
	low, high := 0, f.count
	for d := f.count / 2; d > 0; d /= 2 {
		keep, give := half{low, low + d}, half{low + d, high}
		if f.number&d != 0 {
			keep, give = give, keep
		}
		low, high = keep.lo, keep.hi
		own, other := f.span(begins, keep), f.span(begins, give)
		peer := f.rank(f.number ^ d)
		s.Exchange(peer, other.of(p.have), peer, own.of(p.into()))
		p.merge(own, true)
	}
	s.Copy(a.Out, p.have[begins[s.Rank]:begins[s.Rank+1]])
	if paired {
		s.Send(partner, p.have[begins[partner]:begins[partner+1]])
		s.Wait()
	}
}

// combineByHalves is combineInOrder, in the order of recursive halving.
func combineByHalves(size int, combine func(from, into int)) (result int) {
	f := foldOf(size)
	for i := range f.pairs {
		combine(2*i, 2*i+1)
	}
	for d := f.count / 2; d > 0; d /= 2 {
		for i := range d {
			combine(f.rank(i+d), f.rank(i))
		}
	}
	return f.rank(0)
}

// span returns the range of the parts of the ranks that stay with some numbers, and of their
// partners.
func (f fold) span(begins []int, numbers half) half {
	begin := func(number int) int { return begins[number+min(number, f.pairs)] }
	return half{begin(numbers.lo), begin(numbers.hi)}
}

// reduceScatterPairwise sends all parts to the ranks that they are for, which combine them in the
// order of ranks.
func reduceScatterPairwise(s *schedule.Schedule, a Arguments) {
	a.Ins = equal(a.In, s.Size)
	reduceScatterVPairwise(s, a)
}

func reduceScatterVPairwise(s *schedule.Schedule, a Arguments) {
	each := make([][]byte, s.Size)
	for r := range each {
		each[r] = s.Scratch(a.Out, len(a.Out))
	}
	allToAllVPairwise(s, Arguments{Ins: a.Ins, Outs: each})
	for r := 1; r < s.Size; r++ {
		s.Combine(each[r-1], each[r])
	}
	s.Copy(a.Out, each[s.Size-1])
}
