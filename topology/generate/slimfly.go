package generate

import (
	"fmt"

	"musubi/topology"
	"musubi/topology/generate/field"
)

// slimFly makes the network of Besta and Hoefler (Slim Fly: A Cost Effective Low-Diameter Network
// Topology, SC 2014): a graph of McKay, Miller and Širáň (A Note on Large Graphs of Diameter Two and
// Given Maximum Degree, JCTB 1998) in the form of Hafner (Geometric Realisation of the Graphs of
// McKay-Miller-Širáň, JCTB 2004), over the field of q = 4w+d elements, d being -1, 0 or 1. Its 2q^2 switches
// have (3q-d)/2 links each, and no two are more than two links apart. Unless p is given, each has as many
// hosts as half of its links, rounded up.
//
// Switch (0,x,y) has number xq+y and is linked to (0,x,y') if y-y' is in the set X; switch (1,m,c) has
// number (q+m)q+c and is linked to (1,m,c') if c-c' is in X'; and (0,x,y) to (1,m,c) if y = mx+c. Rack i
// holds the switches with x = i and those with m = i. Ports are ordered by the other switch.
func slimFly(args string, hosts int) (plan, error) {
	q := parameter{key: "q", low: 3}
	p := parameter{key: "p", low: 1, optional: true}
	if err := assignments(args, &q, &p); err != nil {
		return plan{}, err
	}
	n := float64(q.value)
	if err := topology.CheckSize(2*n*n, n*n*(3*n-1)/2, 0); err != nil {
		return plan{}, fmt.Errorf("q is %d: %w", q.value, err)
	}
	f, err := field.New(q.value)
	if err != nil {
		return plan{}, fmt.Errorf("q is %d: %w", q.value, err)
	}
	g := newMMS(f)
	degree := g.degree()
	if hosts == 0 {
		hosts = p.value
	}
	if hosts == 0 {
		hosts = (degree + 1) / 2
	}
	if err := topology.CheckSize(2*n*n, n*n*float64(degree), 2*n*n*float64(hosts)); err != nil {
		return plan{}, err
	}
	all := irregular(2*q.value*q.value, degree, hosts, g.edges())
	all.racks = g.racks()
	return all, nil
}

// mms is a graph of McKay, Miller and Širáň. own are the differences between neighbours of one kind, by
// kind: X and X'.
type mms struct {
	*field.Field
	q   int
	own [2][]bool
}

func newMMS(f *field.Field) *mms {
	q := f.Order()
	g := &mms{f, q, [2][]bool{make([]bool, q), make([]bool, q)}}
	end := q // of the exponents
	if q%4 == 3 {
		end = (q + 1) / 2
	}
	for i := 0; i < end; i += 2 {
		for kind := range g.own {
			x := f.Power(i + kind)
			g.own[kind][x], g.own[kind][f.Neg(x)] = true, true
		}
	}
	return g
}

// degree is the number of neighbours of each switch.
func (g *mms) degree() int {
	n := g.q
	for _, in := range g.own[0] {
		if in {
			n++
		}
	}
	return n
}

func (g *mms) edges() [][2]int {
	var edges [][2]int
	for x := range g.q {
		for y := range g.q {
			for kind := range g.own {
				at := (kind*g.q + x) * g.q
				for z := y + 1; z < g.q; z++ {
					if g.own[kind][g.Add(z, g.Neg(y))] {
						edges = append(edges, [2]int{at + y, at + z})
					}
				}
			}
			for m := range g.q {
				c := g.Add(y, g.Neg(g.Mul(m, x)))
				edges = append(edges, [2]int{x*g.q + y, (g.q+m)*g.q + c})
			}
		}
	}
	return edges
}

func (g *mms) racks() []int32 {
	racks := make([]int32, 2*g.q*g.q)
	for sw := range racks {
		racks[sw] = int32(sw / g.q % g.q)
	}
	return racks
}
