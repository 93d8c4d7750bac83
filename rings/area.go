package rings

import "slices"

// Area describes the receive rings that a record needs, in the terms of the table of Kitamura et
// al. (2006): all rings have one size there.
type Area struct {
	Ranks    int
	Partners int // senders by IPUSH of the process that has most
	Typical  int // senders of most processes; of several such numbers the smallest
	Rings    int // private ones for the partners, and one that all others share
}

// Area returns the receive rings that the record needs.
func (r *Record) Area() Area {
	a := Area{Ranks: len(r.Processes)}
	processes := make([]int, a.Ranks+1) // by number of senders
	for i := range r.Processes {
		senders := len(r.Processes[i].senders())
		processes[senders]++
		a.Partners = max(a.Partners, senders)
	}
	a.Typical = slices.Index(processes, slices.Max(processes))
	a.Rings = min(a.Partners+1, a.Ranks)
	return a
}

// Fraction returns the memory that the rings take, as a part of what private rings
// for all ranks take.
func (a Area) Fraction() float64 { return float64(a.Rings) / float64(a.Ranks) }
