package routing

// InitialVCs says on which virtual channel a source puts its packets to each
// destination. The row of a source has one element if that is the same for all
// destinations, else one per end point.
type InitialVCs [][]uint8

// At returns the virtual channel from a source to a destination.
func (v InitialVCs) At(src, dst int) int {
	row := v[src]
	if len(row) == 1 {
		return int(row[0])
	}
	return int(row[dst])
}

// initialVCs collects the virtual channels on which packets enter the network.
func initialVCs(r *Routes) InitialVCs {
	n := len(r.Net.EndPoints)
	v := make(InitialVCs, n)
	row := make([]uint8, n)
	for src := range n {
		one, constant := uint8(0), true
		for dst, seen := 0, false; dst < n; dst++ {
			row[dst] = 0
			id := r.PathID(src, dst)
			if id < 0 || src == dst {
				continue
			}
			vc, _ := r.HostVCs(id)
			row[dst] = uint8(vc)
			if !seen {
				one, seen = row[dst], true
			}
			constant = constant && row[dst] == one
		}
		if constant {
			v[src] = []uint8{one}
		} else {
			v[src] = append([]uint8(nil), row...)
		}
	}
	return v
}
