package algorithm

import "musubi/mpi/internal/schedule"

// allGatherDoubling lets ranks exchange all that they have with ever farther peers:
// log2 n steps, for powers of two.
func allGatherDoubling(s *schedule.Schedule, a Arguments) {
	all := cut(a.Out, 1, s.Size)
	s.Copy(all.at(s.Rank), a.In)
	for d := 1; d < s.Size; d *= 2 {
		peer, mine := s.Rank^d, s.Rank&^(d-1)
		s.Exchange(peer, all.from(mine, d), peer, all.from(mine^d, d))
	}
}

// allGatherBruck is by Bruck et al. (1997): in each of ceil(log2 n) steps every rank
// gets what the one 2^step places on has collected. What it collects begins with its
// own elements and is rotated at the end.
func allGatherBruck(s *schedule.Schedule, a Arguments) {
	n := len(a.In)
	collected := s.Scratch(a.Out, len(a.Out))
	s.Copy(collected, a.In)
	for d := 1; d < s.Size; d *= 2 {
		count := min(d, s.Size-d)
		s.Exchange(s.Left(d), collected[:count*n], s.Right(d), collected[d*n:(d+count)*n])
	}
	place{size: s.Size, root: s.Rank}.toRanks(s, a.Out, collected)
}

// allGatherRing passes the elements on in a ring.
func allGatherRing(s *schedule.Schedule, a Arguments) {
	s.Copy(cut(a.Out, 1, s.Size).at(s.Rank), a.In)
	s.PassOn(a.Out, 1, s.Rank)
}

// allGatherLinear lets every rank send to all others at once.
func allGatherLinear(s *schedule.Schedule, a Arguments) {
	all := cut(a.Out, 1, s.Size)
	for i := 1; i < s.Size; i++ {
		s.Receive(s.Left(i), all.at(s.Left(i)))
	}
	for i := 1; i < s.Size; i++ {
		s.Send(s.Right(i), a.In)
	}
	s.Copy(all.at(s.Rank), a.In)
	s.Wait()
}

func allGatherVRing(s *schedule.Schedule, a Arguments) {
	s.Copy(a.Outs[s.Rank], a.In)
	for i := range s.Size - 1 {
		s.Exchange(s.Right(1), a.Outs[s.Left(i)], s.Left(1), a.Outs[s.Left(i+1)])
	}
}

// allGatherVLinear lets every rank send to all others at once.
func allGatherVLinear(s *schedule.Schedule, a Arguments) {
	for i := 1; i < s.Size; i++ {
		s.Receive(s.Left(i), a.Outs[s.Left(i)])
	}
	for i := 1; i < s.Size; i++ {
		s.Send(s.Right(i), a.In)
	}
	s.Copy(a.Outs[s.Rank], a.In)
	s.Wait()
}
