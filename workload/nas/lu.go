package nas

// luPoints is how many points the grid has along each axis.
var luPoints = [...]int{12, 33, 64, 102, 162}

// luRightHandSide is how many operations the right-hand side takes, relative to both sweeps. The
// reference counts only all together; this is an estimate.
const luRightHandSide = 1.0 / 3

// equations is the number of unknowns of LU, SP and BT at each point.
const equations = 5

// luProcess is a process of LU, which solves the Navier-Stokes equations by
// symmetric successive over-relaxation. Processes have columns of the grid, over
// a flat grid of processes with open edges. Two sweeps go diagonally through the
// columns, one upwards and one downwards, plane by plane: a process can do a
// plane when those before it have, which gives many short messages. Then faces
// of the whole columns are exchanged, two points deep.
type luProcess struct {
	x, y   luAxis
	planes int
	w      *writer
}

// luAxis is the place of a process along one axis of the grid of processes.
type luAxis struct {
	points        int
	interior      int // points that are not on the surface of the whole grid
	before, after int // ranks of the neighbours, or nobody
}

// luShape divides a power of two into the extents of the grid of processes.
func luShape(ranks int) (x, y int) {
	y = 1 << (log2(ranks) / 2)
	return ranks / y, y
}

// luFits demands three points along each axis, as the reference does.
func luFits(class, ranks int) bool {
	if !isPower(ranks) {
		return false
	}
	x, _ := luShape(ranks)
	return luPoints[class]/x >= 3
}

// newLUAxis places a process of a rank along an axis where the ranks of
// neighbours are weight apart.
func newLUAxis(points, processes, at, rank, weight int) luAxis {
	a := luAxis{points: share(points, processes, at), before: nobody, after: nobody}
	a.interior = a.points
	if at > 0 {
		a.before = rank - weight
	} else {
		a.interior--
	}
	if at < processes-1 {
		a.after = rank + weight
	} else {
		a.interior--
	}
	return a
}

// luScript is one step of the iteration.
func luScript(class, ranks, rank int) Script {
	n := luPoints[class]
	x, y := luShape(ranks)
	p := luProcess{
		x:      newLUAxis(n, x, rank%x, rank, 1),
		y:      newLUAxis(n, y, rank/x, rank, x),
		planes: n,
		w:      &writer{rank: rank},
	}
	p.sweep(p.x.before, p.y.before, p.x.after, p.y.after)
	p.sweep(p.x.after, p.y.after, p.x.before, p.y.before)
	p.w.computeMuch(luRightHandSide * float64(2*(p.planes-2)))
	p.faces(&p.x, &p.y)
	p.faces(&p.y, &p.x)
	// Only points that are not on the surface are solved for.
	inner := float64(n - 2)
	return Script{iteration: p.w.actions, share: float64(p.x.interior*p.y.interior) / (inner * inner)}
}

// sweep passes the edges of each plane on, but for the lowest and the highest
// plane, which are on the surface.
func (p *luProcess) sweep(fromX, fromY, toX, toY int) {
	alongX := p.x.interior * equations * double
	alongY := p.y.interior * equations * double
	for range p.planes - 2 {
		p.w.receive(fromX, alongY)
		p.w.receive(fromY, alongX)
		p.w.compute()
		p.w.send(toX, alongY)
		p.w.send(toY, alongX)
	}
}

// faces exchanges the faces across an axis.
func (p *luProcess) faces(across, along *luAxis) {
	const deep = 2
	bytes := deep * along.points * p.planes * equations * double
	p.w.send(across.after, bytes)
	p.w.receive(across.before, bytes)
	p.w.send(across.before, bytes)
	p.w.receive(across.after, bytes)
}
