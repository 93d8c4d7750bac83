package generate

import (
	"fmt"
	"slices"

	"musubi/topology"
	"musubi/topology/generate/field"
)

// polarFly makes the network of Lakhotia and others (PolarFly: A Cost-Effective and Flexible Low-Diameter
// Topology, SC 2022): the polarity graph of Erdős, Rényi and Brown over the field of q elements. Its
// q^2+q+1 switches are the points of the projective plane, and two are linked if their vectors are
// orthogonal. Each has q+1 links, but the q+1 whose vectors are orthogonal to themselves (quadrics) have q, and
// no two are more than two links apart. Unless p is given, each has (q+1)/2 hosts, rounded up.
//
// Vectors are scaled so that the first number that is not 0 is 1; those that begin with 1 come first,
// ordered by the second and third. Rack 0 has the quadrics, and each other one a neighbour of the first of these
// with the neighbours that it has outside rack 0. Ports are ordered by the other switch.
func polarFly(args string, hosts int) (plan, error) {
	q := parameter{key: "q", low: 2}
	p := parameter{key: "p", low: 1, optional: true}
	if err := assignments(args, &q, &p); err != nil {
		return plan{}, err
	}
	if hosts == 0 {
		hosts = p.value
	}
	if hosts == 0 {
		hosts = (q.value + 2) / 2
	}
	n := float64(q.value)
	switches := n*n + n + 1
	if err := topology.CheckSize(switches, n*(n+1)*(n+1)/2, switches*float64(hosts)); err != nil {
		return plan{}, err
	}
	f, err := field.New(q.value)
	if err != nil {
		return plan{}, fmt.Errorf("q is %d: %w", q.value, err)
	}
	g := &polarity{f, q.value}
	all := irregular(g.points(), q.value+1, hosts, g.edges())
	all.racks = g.racks()
	return all, nil
}

// polarity is the graph of the points of a projective plane in which orthogonal ones are neighbours.
type polarity struct {
	*field.Field
	q int
}

func (g *polarity) points() int { return g.q*g.q + g.q + 1 }

// vector returns the vector of a point.
func (g *polarity) vector(point int) [3]int {
	switch square := g.q * g.q; {
	case point < square:
		return [3]int{1, point / g.q, point % g.q}
	case point < square+g.q:
		return [3]int{0, 1, point - square}
	}
	return [3]int{0, 0, 1}
}

// point returns the point of a vector that is not 0.
func (g *polarity) point(v [3]int) int {
	switch {
	case v[0] != 0:
		return g.Div(v[1], v[0])*g.q + g.Div(v[2], v[0])
	case v[1] != 0:
		return g.q*g.q + g.Div(v[2], v[1])
	}
	return g.points() - 1
}

// neighbours returns the points that are orthogonal to one, itself among them if it is a quadric.
func (g *polarity) neighbours(point int) []int {
	v := g.vector(point)
	var list []int
	// Two vectors orthogonal to v span its plane: all points there are one of them, and the other one
	// plus a multiple of that.
	a, b := [3]int{g.Neg(v[1]), v[0], 0}, [3]int{g.Neg(v[2]), 0, v[0]}
	if v[0] == 0 {
		a, b = [3]int{1, 0, 0}, [3]int{0, g.Neg(v[2]), v[1]}
	}
	list = append(list, g.point(a))
	for k := range g.q {
		var sum [3]int
		for i := range sum {
			sum[i] = g.Add(b[i], g.Mul(k, a[i]))
		}
		list = append(list, g.point(sum))
	}
	slices.Sort(list)
	return list
}

func (g *polarity) edges() [][2]int {
	var edges [][2]int
	for point := range g.points() {
		for _, other := range g.neighbours(point) {
			if point < other {
				edges = append(edges, [2]int{point, other})
			}
		}
	}
	return edges
}

// quadric tells whether a point is orthogonal to itself.
func (g *polarity) quadric(point int) bool {
	sum := 0
	for _, x := range g.vector(point) {
		sum = g.Add(sum, g.Mul(x, x))
	}
	return sum == 0
}

func (g *polarity) racks() []int32 {
	first := 0
	for !g.quadric(first) {
		first++
	}
	racks := make([]int32, g.points())
	number := int32(0)
	for _, centre := range g.neighbours(first) {
		if centre == first {
			continue
		}
		number++
		for _, member := range append(g.neighbours(centre), centre) {
			if !g.quadric(member) {
				racks[member] = number
			}
		}
	}
	return racks
}
