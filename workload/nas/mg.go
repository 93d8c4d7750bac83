package nas

// mgPoints is how many points the finest grid has along each axis.
var mgPoints = [...]int{32, 128, 256, 256, 512}

// mgProcess is a process of MG, which solves Poisson's equation on a periodic
// cube by multigrid: grids from fine to coarse, each with half as many points
// along an axis as the one before, down to two. Processes form a grid themselves,
// and each has the same part of the cube at all levels. On coarse grids most
// parts contain no point; the processes that have one then find their neighbours
// further away.
type mgProcess struct {
	axes [3]mgAxis
	w    *writer
}

// mgAxis is the place of a process along one axis.
type mgAxis struct {
	processes, at int
	weight        int // distance of the ranks of two neighbours
}

// stride is the distance of processes that have points of a grid with n points along the axis.
func (a *mgAxis) stride(n int) int { return max(1, a.processes/n) }

// points is how many of n points a process has.
func (a *mgAxis) points(n int) int {
	switch {
	case n >= a.processes:
		return n / a.processes
	case (a.at+1)%a.stride(n) == 0:
		return 1
	}
	return 0
}

// neighbour returns how much further in the order of ranks the next process with
// points is, in direction +1 or -1.
func (a *mgAxis) neighbour(n, direction int) int {
	to := (a.at + direction*a.stride(n) + a.processes) % a.processes
	return (to - a.at) * a.weight
}

// mgShape divides a power of two into the extents of a grid of processes.
func mgShape(ranks int) [3]int {
	all := log2(ranks)
	x := all / 3
	y := (all - x) / 2
	return [3]int{1 << x, 1 << y, 1 << (all - x - y)}
}

func mgFits(class, ranks int) bool {
	return isPower(ranks) && mgShape(ranks)[2] <= mgPoints[class]
}

// mgScript is one V-cycle and the residual for the next.
func mgScript(class, ranks, rank int) Script {
	p := mgProcess{w: &writer{rank: rank}}
	rest, weight := rank, 1
	for i, extent := range mgShape(ranks) {
		p.axes[i] = mgAxis{extent, rest % extent, weight}
		rest /= extent
		weight *= extent
	}
	const coarsest = 2
	finest := mgPoints[class]
	for n := finest / 2; n >= coarsest; n /= 2 {
		p.faces(n) // residual, projected from the finer grid
	}
	p.faces(coarsest) // solution
	for n := 2 * coarsest; n <= finest; n *= 2 {
		p.wake(n)  // solution, interpolated from the coarser grid
		p.faces(n) // residual
		p.faces(n) // solution, smoothed
	}
	p.faces(finest) // residual
	return Script{iteration: p.w.actions}
}

// faces exchanges the faces of a process's part with its six neighbours, one
// axis after the other. Those of a later axis include the edges that came before.
func (p *mgProcess) faces(n int) {
	for i := range p.axes {
		if p.axes[i].points(n) == 0 {
			return
		}
	}
	p.w.computeMuch(float64(n * n * n))
	for i := range p.axes {
		bytes := double
		for j := range p.axes {
			if j != i {
				bytes *= p.axes[j].points(n) + edges(j < i)
			}
		}
		p.sendBoth(i, n, bytes, bytes)
		p.receiveBoth(i, n, bytes, bytes)
	}
}

// edges returns how many points a face has along an axis in addition to those of the process.
func edges(included bool) int {
	if included {
		return 2
	}
	return 0
}

// wake sends interpolated planes to processes that have points of this grid but not of the coarser
// one: two planes from the side of lower numbers, one from the other. Each axis is decided by
// itself, so that processes that are idle along another axis take part, as in the reference.
func (p *mgProcess) wake(n int) {
	for i := range p.axes {
		a := &p.axes[i]
		if a.stride(n/2) == a.stride(n) || a.points(n) == 0 {
			continue
		}
		plane := double
		for j := range p.axes {
			if j != i {
				plane *= p.axes[j].points(n) + edges(true)
			}
		}
		if a.points(n/2) > 0 {
			p.sendBoth(i, n, 2*plane, plane)
		} else {
			p.receiveBoth(i, n, 2*plane, plane)
		}
	}
}

// sendBoth sends along an axis: up, to higher numbers, and then down.
func (p *mgProcess) sendBoth(axis, n, up, down int) {
	p.w.send(p.w.rank+p.axes[axis].neighbour(n, 1), up)
	p.w.send(p.w.rank+p.axes[axis].neighbour(n, -1), down)
}

// receiveBoth receives what neighbours have sent up, and then down. The order
// matters where both neighbours are the same process.
func (p *mgProcess) receiveBoth(axis, n, up, down int) {
	p.w.receive(p.w.rank+p.axes[axis].neighbour(n, -1), up)
	p.w.receive(p.w.rank+p.axes[axis].neighbour(n, 1), down)
}
