package mpi

import "slices"

// AllToAllW is AllToAll of elements that do not follow each other: those of in that
// to[r] names go to rank r, and those of out that from[r] names are where what comes
// from rank r is put; there have to be as many. Elements of out may be named once. In may
// be out, if to and from name the same elements for each rank.
func AllToAllW[T any](c *Comm, in []T, to []Layout, out []T, from []Layout) error {
	return carryOut(planLayouts(c, "AllToAllW", in, to, out, from))
}

// IAllToAllW starts an AllToAllW.
func IAllToAllW[T any](c *Comm, in []T, to []Layout, out []T, from []Layout) (*Request, error) {
	return begin(planLayouts(c, "IAllToAllW", in, to, out, from))
}

// NeighbourAllToAllW is NeighbourAllToAll of elements that do not follow each other:
// those of in that to[i] names go to destination i, and what comes from source i to
// those of out that from[i] names.
func NeighbourAllToAllW[T any](t Topology, in []T, to []Layout, out []T, from []Layout) error {
	return carryOut(planNearLayouts(t, "NeighbourAllToAllW", in, to, out, from))
}

// INeighbourAllToAllW starts a NeighbourAllToAllW.
func INeighbourAllToAllW[T any](t Topology, in []T, to []Layout, out []T, from []Layout) (*Request, error) {
	return begin(planNearLayouts(t, "INeighbourAllToAllW", in, to, out, from))
}

// layouts says which elements go to each rank or neighbour, and where what comes from
// it is put.
type layouts struct{ to, from []Layout }

func planLayouts[T any](c *Comm, call string, in []T, to []Layout, out []T, from []Layout) (*running, error) {
	if err := checkElement[T](); err != nil {
		return nil, c.fail(ErrType, call, err)
	}
	return c.plan(call, allToAllW, layoutArguments(in, to, out, from))
}

func planNearLayouts[T any](t Topology, call string, in []T, to []Layout, out []T, from []Layout) (*running, error) {
	n := neighboursOf(t)
	c := n.comm
	if err := n.check(call, len(to), len(from)); err != nil {
		return nil, err
	}
	if err := checkElement[T](); err != nil {
		return nil, c.fail(ErrType, call, err)
	}
	a := layoutArguments(in, to, out, from)
	if err := a.checkLayouts(len(to), len(from)); err != nil {
		return nil, c.fail(ErrCount, call, err)
	}
	for i, source := range n.sources {
		if source == None { // memory stays as it is
			a.layouts.from[i] = Layout{}
		}
	}
	return n.plan(call, nearLayouts, a), nil
}

func layoutArguments[T any](in []T, to []Layout, out []T, from []Layout) *arguments {
	return &arguments{in: memoryOf(in), out: memoryOf(out), element: sizeOf[T](), layouts: &layouts{slices.Clone(to), slices.Clone(from)}}
}

var nearLayouts = &algorithm{name: "linear", build: packed(exchangeNear)}

func allToAllWLinear(s *schedule, a arguments) { packed(allToAllVLinear)(s, a) }

func allToAllWPairwise(s *schedule, a arguments) { packed(allToAllVPairwise)(s, a) }

// packed makes of an algorithm for parts one for layouts.
func packed(exchange func(*schedule, arguments)) func(*schedule, arguments) {
	return func(s *schedule, a arguments) {
		to, from := a.layouts.to, a.layouts.from
		a.ins, a.outs = make([][]byte, len(to)), make([][]byte, len(from))
		for i, l := range to {
			a.ins[i] = s.pack(l, a.in, a.element)
		}
		for i, l := range from {
			a.outs[i] = s.place(l, a.out, a.element)
		}
		exchange(s, a)
		for i, l := range from {
			s.unpack(l, a.out, a.outs[i], a.element)
		}
	}
}

// pack returns memory that will have the elements that a layout names.
func (s *schedule) pack(l Layout, from []byte, element int) []byte {
	into := s.place(l, from, element)
	if l.len() > 1 {
		s.steps = append(s.steps, step{action: packStep, from: from, into: into, layout: &spread{Layout: l, size: element}})
	}
	return into
}

// place returns memory for the elements that a layout names: their own if they follow
// each other.
func (s *schedule) place(l Layout, memory []byte, element int) []byte {
	switch l.len() {
	case 0:
		return nil
	case 1:
		b := l.at(0)
		return memory[b.At*element:][:b.Count*element]
	}
	return s.scratch(l.Elements() * element)
}

// unpack brings elements from the place that they have got to where a layout says.
func (s *schedule) unpack(l Layout, into, from []byte, element int) {
	if l.len() > 1 {
		s.steps = append(s.steps, step{action: unpackStep, from: from, into: into, layout: &spread{Layout: l, size: element}})
	}
}
