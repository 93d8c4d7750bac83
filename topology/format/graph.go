package format

// graph collects nodes and cables for formats that describe any graph. In a
// directed one, an edge and its opposite are the two directions of one cable.
type graph struct {
	*fabric
	directed bool
	waiting  map[[2]*node][]*cable // edges whose opposite has not come
	both     int                   // edges whose opposite has come
}

func newGraph() graph {
	f := newFabric()
	f.statesKinds = true
	return graph{fabric: f, waiting: make(map[[2]*node][]*cable)}
}

func (g *graph) edge(line int, from, to *node, c cableText) error {
	if err := g.full(line); err != nil {
		return err
	}
	a, b := end{plug: plug{node: from, port: c.ports[0]}}, end{plug: plug{node: to, port: c.ports[1]}}
	for _, e := range []*end{&a, &b} {
		e.guid, e.lid, e.lmc = c.device.guid, c.device.lid, c.device.lmc
	}
	if c.ports[0] > 0 && c.ports[1] > 0 {
		return g.connect(line, a, b, c.speed)
	}
	if opposite := g.takeOpposite(from, to); opposite != nil {
		opposite.speed = slower(opposite.speed, c.speed)
		return nil
	}
	if g.at(a.plug) != nil || g.at(b.plug) != nil {
		return g.connect(line, a, b, c.speed) // reports the clash
	}
	g.add(line, a, b, c.speed)
	if g.directed && from != to {
		way := [2]*node{from, to}
		g.waiting[way] = append(g.waiting[way], g.cables[len(g.cables)-1])
	}
	return nil
}

// takeOpposite returns the cable whose other direction an edge is, nil if there is none.
func (g *graph) takeOpposite(from, to *node) *cable {
	way := [2]*node{to, from}
	cables := g.waiting[way]
	if len(cables) == 0 {
		return nil
	}
	g.waiting[way] = cables[1:]
	g.both++
	return cables[0]
}

// noteBoth says that cables were given twice.
func (g *graph) noteBoth() {
	if g.both > 0 {
		g.note("links given in both directions are one cable each: %d of %d", g.both, len(g.cables))
	}
}

// oneWay returns the first cable of which only one direction has come; nil if there is none.
func (g *graph) oneWay() *cable {
	for _, c := range g.cables {
		if waiting := g.waiting[[2]*node{c.a.node, c.b.node}]; len(waiting) > 0 {
			return waiting[0]
		}
	}
	return nil
}
