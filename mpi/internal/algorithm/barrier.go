package algorithm

import "musubi/mpi/internal/schedule"

// BarrierDissemination is by Hensgen, Finkel and Manber (1988): in each of
// ceil(log2 n) steps every rank tells the one 2^step places on that it has come that
// far.
func BarrierDissemination(s *schedule.Schedule, _ Arguments) { s.Disseminate() }

// barrierLinear lets rank 0 receive from all others before it answers them. Where ranks share
// processors, each waits for a processor once only; in dissemination it does in every step.
func barrierLinear(s *schedule.Schedule, _ Arguments) {
	if s.Rank > 0 {
		s.Exchange(0, nil, 0, nil)
		return
	}
	for other := 1; other < s.Size; other++ {
		s.Receive(other, nil)
	}
	s.Wait()
	for other := 1; other < s.Size; other++ {
		s.Send(other, nil)
	}
	s.Wait()
}

// barrierTree gathers along a binomial tree and releases along it: twice as many
// steps, but only 2 (n-1) messages.
func barrierTree(s *schedule.Schedule, _ Arguments) {
	p := TreeFrom(s, 0)
	p.NearChildren(func(_, child int) { s.Receive(child, nil) })
	s.Wait()
	if p.Number > 0 {
		s.Exchange(p.Parent(), nil, p.Parent(), nil)
	}
	p.farChildren(func(_, child int) { s.Send(child, nil) })
	s.Wait()
}
