package algorithm

import "musubi/mpi/internal/schedule"

// NearLayouts exchanges bytes that types name with all neighbours at once.
var NearLayouts = &Algorithm{Name: "linear", Build: packing(exchangeNear)}

// ToNeighbours exchanges parts with all neighbours at once.
var ToNeighbours = &Algorithm{Name: "linear", Build: exchangeNear}

// exchangeNear sends and receives all at once.
func exchangeNear(s *schedule.Schedule, a Arguments) {
	n := a.Near
	for i, from := range n.Sources {
		if from >= 0 {
			s.Receive(from, a.Outs[i])
		}
	}
	for i, to := range n.InOrder {
		s.Send(to, a.Ins[i])
	}
	s.Wait()
}

// InOrder goes through the destinations that are there, in the order in which parts for the same rank are to be sent.
func (n *Neighbours) InOrder(yield func(i, to int) bool) {
	for i := range n.Destinations {
		if n.Mirrored {
			i ^= 1
		}
		if to := n.Destinations[i]; to >= 0 && !yield(i, to) {
			return
		}
	}
}
