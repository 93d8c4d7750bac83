package nas

// Points of the grids of SP and BT along each axis.
var (
	spPoints = [...]int{12, 36, 64, 102, 162}
	btPoints = [...]int{12, 24, 64, 102, 162}
)

// multipartition is a process of SP or BT, which solve the Navier-Stokes
// equations by sweeps along each axis. The grid is divided into p*p*p cells, and
// each of p*p processes has p of them on a diagonal: one in every slice along
// every axis, so that all have work in all stages of all sweeps (Bruno and
// Cappello, 1988). All cells of a process have their neighbours at the same
// processes: one before and one after along each axis.
type multipartition struct {
	points int
	p      int // cells along each axis
	i, j   int // place of the lowest cell
	w      *writer
}

// cell is the place of a cell along each axis.
type cell [3]int

func spFits(class, ranks int) bool { return multipartitionFits(spPoints[class], ranks) }
func btFits(class, ranks int) bool { return multipartitionFits(btPoints[class], ranks) }

// multipartitionFits demands three points along each axis of a cell, as the
// reference does.
func multipartitionFits(points, ranks int) bool {
	p := root(ranks)
	return p*p == ranks && points/p >= 3
}

// root is the whole part of the square root.
func root(n int) int {
	r := 1
	for (r+1)*(r+1) <= n {
		r++
	}
	return r
}

func newMultipartition(points, ranks, rank int) *multipartition {
	p := root(ranks)
	return &multipartition{points: points, p: p, i: rank % p, j: rank / p, w: &writer{rank: rank}}
}

// cell returns a cell of the process, by its slice along the last axis.
func (m *multipartition) cell(slice int) cell {
	return cell{(m.i + slice) % m.p, (m.j - slice + m.p) % m.p, slice}
}

// slice returns the cell at a place along an axis.
func (m *multipartition) slice(axis, at int) cell {
	switch axis {
	case 0:
		return m.cell((at - m.i + m.p) % m.p)
	case 1:
		return m.cell((m.j - at + m.p) % m.p)
	}
	return m.cell(at)
}

// neighbour returns the process with the next cells in direction +1 or -1.
func (m *multipartition) neighbour(axis, direction int) int {
	i, j := m.i, m.j
	switch axis {
	case 0:
		i += direction
	case 1:
		j += direction
	default: // the lowest cell of that process is one step back on the diagonal
		i -= direction
		j += direction
	}
	return (i+m.p)%m.p + (j+m.p)%m.p*m.p
}

// size returns how many points a cell has along an axis.
func (m *multipartition) size(c cell, axis int) int { return share(m.points, m.p, c[axis]) }

// area returns how many points the face of a cell across an axis has. Without
// surface, those are left out that are on the surface of the whole grid.
func (m *multipartition) area(c cell, across int, surface bool) int {
	area := 1
	for axis := range c {
		if axis == across {
			continue
		}
		n := m.size(c, axis)
		if !surface && c[axis] == 0 {
			n--
		}
		if !surface && c[axis] == m.p-1 {
			n--
		}
		area *= n
	}
	return area
}

// faces exchanges the faces of all cells with all six neighbours, two points
// deep. What goes to one neighbour is one message.
func (m *multipartition) faces() {
	m.w.compute()
	for axis := range 3 {
		low, high := m.faceBytes(axis)
		m.w.send(m.neighbour(axis, 1), high)
		m.w.send(m.neighbour(axis, -1), low)
	}
	for axis := range 3 {
		low, high := m.faceBytes(axis)
		m.w.receive(m.neighbour(axis, -1), low)
		m.w.receive(m.neighbour(axis, 1), high)
	}
}

// faceBytes returns the size of the faces towards lower and higher numbers.
func (m *multipartition) faceBytes(axis int) (low, high int) {
	const deep = 2
	for s := range m.p {
		c := m.cell(s)
		bytes := deep * m.area(c, axis, true) * equations * double
		if c[axis] > 0 {
			low += bytes
		}
		if c[axis] < m.p-1 {
			high += bytes
		}
	}
	return low, high
}

// solve sweeps along an axis, up and back. Between two cells go so many numbers
// for each point of the face between them, of which area tells how many there
// are.
func (m *multipartition) solve(axis, up, back int, area func(c cell) int) {
	before, after := m.neighbour(axis, -1), m.neighbour(axis, 1)
	for at := range m.p {
		bytes := up * area(m.slice(axis, at)) * double
		if at > 0 {
			m.w.receive(before, bytes)
		}
		m.w.compute()
		if at < m.p-1 {
			m.w.send(after, bytes)
		}
	}
	for at := m.p - 1; at >= 0; at-- {
		bytes := back * area(m.slice(axis, at)) * double
		if at < m.p-1 {
			m.w.receive(after, bytes)
		}
		m.w.compute()
		if at > 0 {
			m.w.send(before, bytes)
		}
	}
}

// In SP a sweep up hands over two rows, and for each point of a row the upper two
// of five diagonals: once for three of the equations, and for the other two, which
// belong to sound waves, each its own; with the right-hand sides. The sweep back
// hands over the solutions of two rows.
const (
	spRows = 2
	spUp   = spRows * ((2 + 3) + 2*(2+1))
	spBack = spRows * equations
)

// spScript is one time step of SP.
func spScript(class, ranks, rank int) Script {
	m := newMultipartition(spPoints[class], ranks, rank)
	m.faces()
	for axis := range 3 {
		m.solve(axis, spUp, spBack, func(c cell) int { return m.area(c, axis, false) })
	}
	return Script{iteration: m.w.actions}
}

// In BT a sweep up hands over one of three diagonals, whose elements are blocks,
// with the right-hand side, and the sweep back the solution.
const (
	btUp   = equations*equations + equations
	btBack = equations
)

// btScript is one time step of BT. Messages have the size for the largest cell
// that there may be.
func btScript(class, ranks, rank int) Script {
	m := newMultipartition(btPoints[class], ranks, rank)
	m.faces()
	side := m.points/m.p + 1
	for axis := range 3 {
		m.solve(axis, btUp, btBack, func(cell) int { return side * side })
	}
	return Script{iteration: m.w.actions}
}
