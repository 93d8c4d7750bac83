package draft

// Graph collects nodes and cables for formats that describe any graph. In a
// directed one, an edge and its opposite are the two directions of one cable.
type Graph struct {
	*Draft
	Directed bool
	waiting  map[[2]*Node][]*Cable // edges whose opposite has not come
	both     int                   // edges whose opposite has come
}

// NewGraph returns a graph without nodes.
func NewGraph() Graph {
	f := New()
	f.StatesKinds = true
	return Graph{Draft: f, waiting: make(map[[2]*Node][]*Cable)}
}

// Edge records an edge, or the other direction of one. It fails if a port is taken, or there are too many.
func (g *Graph) Edge(line int, from, to *Node, c CableText) error {
	if err := g.Full(line); err != nil {
		return err
	}
	a, b := End{Plug: Plug{Node: from, Port: c.Ports[0]}}, End{Plug: Plug{Node: to, Port: c.Ports[1]}}
	for _, e := range []*End{&a, &b} {
		e.GUID, e.LID, e.LMC = c.device.GUID, c.device.LID, c.device.LMC
	}
	if c.Ports[0] > 0 && c.Ports[1] > 0 {
		return g.Connect(line, a, b, c.Speed)
	}
	if opposite := g.takeOpposite(from, to); opposite != nil {
		opposite.speed = Slower(opposite.speed, c.Speed)
		return nil
	}
	if g.at(a.Plug) != nil || g.at(b.Plug) != nil {
		return g.Connect(line, a, b, c.Speed) // reports the clash
	}
	g.Add(line, a, b, c.Speed)
	if g.Directed && from != to {
		way := [2]*Node{from, to}
		g.waiting[way] = append(g.waiting[way], g.Cables[len(g.Cables)-1])
	}
	return nil
}

// takeOpposite returns the cable whose other direction an edge is, nil if there is none.
func (g *Graph) takeOpposite(from, to *Node) *Cable {
	way := [2]*Node{to, from}
	cables := g.waiting[way]
	if len(cables) == 0 {
		return nil
	}
	g.waiting[way] = cables[1:]
	g.both++
	return cables[0]
}

// NoteBoth says that cables were given twice.
func (g *Graph) NoteBoth() {
	if g.both > 0 {
		g.Note("links given in both directions are one cable each: %d of %d", g.both, len(g.Cables))
	}
}

// OneWay returns the first cable of which only one direction has come; nil if there is none.
func (g *Graph) OneWay() *Cable {
	for _, c := range g.Cables {
		if waiting := g.waiting[[2]*Node{c.A.Node, c.B.Node}]; len(waiting) > 0 {
			return waiting[0]
		}
	}
	return nil
}
