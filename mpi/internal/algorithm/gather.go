package algorithm

import "musubi/mpi/internal/schedule"

// gatherLinear lets all ranks send to the root.
func gatherLinear(s *schedule.Schedule, a Arguments) {
	if s.Rank == a.Root {
		a.Outs = equal(a.Out, s.Size)
	}
	gatherVLinear(s, a)
}

func gatherVLinear(s *schedule.Schedule, a Arguments) {
	if s.Rank != a.Root {
		s.Send(a.Root, a.In)
		s.Wait()
		return
	}
	for rank, out := range a.Outs {
		if rank != s.Rank {
			s.Receive(rank, out)
		}
	}
	s.Copy(a.Outs[s.Rank], a.In)
	s.Wait()
}

// RestOfGatherV is linear, for the ranks whose parts the root does not have yet: those with a place there.
var RestOfGatherV = &Algorithm{Name: "linear", Build: gatherVRest}

func gatherVRest(s *schedule.Schedule, a Arguments) {
	for rank, out := range a.Outs {
		if out != nil {
			s.Receive(rank, out)
		}
	}
	s.Wait()
}

// gatherBinomial gathers along a binomial tree, where every rank sends on the
// elements of its subtree in one message.
func gatherBinomial(s *schedule.Schedule, a Arguments) {
	p, n := TreeFrom(s, a.Root), len(a.In)
	subtree := p.collected(s, a.Out, a.In)
	s.Copy(subtree, a.In)
	p.NearChildren(func(d, child int) {
		s.Receive(child, subtree[d*n:(d+p.childSize(d))*n])
	})
	s.Wait()
	if p.Number > 0 {
		s.Send(p.Parent(), subtree)
		s.Wait()
		return
	}
	p.toRanks(s, a.Out, subtree)
}

// collected returns memory for blocks like own, one for each place of the subtree.
// Where ranks and places have the same order, it is the memory of all ranks.
func (p place) collected(s *schedule.Schedule, all, own []byte) []byte {
	if p.Number == 0 && p.root == 0 {
		return all
	}
	return s.Scratch(own, p.subtree()*len(own))
}

// toRanks copies blocks in the order of places to one in the order of ranks.
func (p place) toRanks(s *schedule.Schedule, ranks, places []byte) {
	before := len(ranks) / p.size * p.root
	s.Copy(ranks[before:], places[:len(ranks)-before])
	s.Copy(ranks[:before], places[len(ranks)-before:])
}

// toPlaces copies blocks in the order of ranks to one in the order of places.
func (p place) toPlaces(s *schedule.Schedule, places, ranks []byte) {
	before := len(ranks) / p.size * p.root
	s.Copy(places[:len(ranks)-before], ranks[before:])
	s.Copy(places[len(ranks)-before:], ranks[:before])
}
