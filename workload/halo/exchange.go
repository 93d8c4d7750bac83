package halo

import (
	"fmt"
	"strings"

	"musubi/mpi"
	"musubi/rma"
	"musubi/units"
	"musubi/workload"
)

// stencil is the list of neighbouring points that a computation on a grid reads, as steps along
// each dimension.
type stencil [][]int

// stencils lists the neighbours that finite differences need, on rings and tori; 3d has seven points.
var stencils = map[string]stencil{
	"1d":  {{-1}, {1}},
	"2d5": {{-1, 0}, {1, 0}, {0, -1}, {0, 1}},
	"2d9": {{-1, -1}, {-1, 0}, {-1, 1}, {0, -1}, {0, 1}, {1, -1}, {1, 0}, {1, 1}},
	"3d":  {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}},
}

// topology places the ranks on a torus whose extents are as equal as possible. Data that leaves in
// one direction arrives from the opposite one, so edges have the same number at both ends.
func (s stencil) topology(c *mpi.Comm) (*mpi.Graph, error) {
	dims, err := mpi.Dims(c.Size(), make([]int, len(s[0]))...)
	if err != nil {
		return nil, err
	}
	around := make([]bool, len(dims))
	for i := range around {
		around[i] = true
	}
	grid, err := c.Cart(dims, around, false)
	if err != nil {
		return nil, err
	}
	here, err := grid.Coordinates(grid.Rank())
	if err != nil {
		return nil, err
	}
	var sources, destinations []int
	for _, way := range s {
		from, to := make([]int, len(dims)), make([]int, len(dims))
		for i, x := range here {
			from[i], to[i] = x-way[i], x+way[i]
		}
		source, err := grid.RankAt(from...)
		if err != nil {
			return nil, err
		}
		destination, err := grid.RankAt(to...)
		if err != nil {
			return nil, err
		}
		sources, destinations = append(sources, source), append(destinations, destination)
	}
	g, err := c.Graph(sources, destinations)
	if err != nil {
		return nil, err
	}
	return g, grid.Free()
}

// haloExchange is an exchange of equally many bytes with each neighbour, by persistent parts or by
// messages.
type haloExchange struct {
	g        *mpi.Graph
	parts    []*mpi.Persistent
	messages *haloMessages // instead of parts; else nil
	in, out  [][]byte
	checks   int  // number of checks so far
	realTime bool // the clock goes on while a program computes
}

func newHaloExchange(g *mpi.Graph, size int, options mpi.ExchangeOptions, calls string, realTime bool) (*haloExchange, error) {
	e := &haloExchange{g: g, realTime: realTime}
	for range g.Sources() {
		e.in, e.out = append(e.in, rma.Memory(g.Process(), size)), append(e.out, rma.Memory(g.Process(), size))
	}
	switch calls {
	case "messages":
		e.messages = &haloMessages{e: e}
		return e, nil
	case "pairs":
		return e, e.preparePairs(options)
	}
	whole, err := mpi.NeighbourAllToAllInit(g, e.in, e.out, options)
	e.parts = []*mpi.Persistent{whole}
	return e, err
}

// preparePairs prepares a receive and a send for each edge, whose number is the tag.
func (e *haloExchange) preparePairs(options mpi.ExchangeOptions) error {
	for i, source := range e.g.Sources() {
		receive, err := mpi.ReceiveInit(e.g.Comm, source, i, e.out[i], options)
		if err != nil {
			return err
		}
		e.parts = append(e.parts, receive)
	}
	for i, destination := range e.g.Destinations() {
		send, err := mpi.SendInit(e.g.Comm, destination, i, e.in[i], options)
		if err != nil {
			return err
		}
		e.parts = append(e.parts, send)
	}
	return nil
}

// start starts an exchange.
func (e *haloExchange) start() error {
	if e.messages != nil {
		return e.messages.start()
	}
	return mpi.StartAll(e.parts...)
}

// wait waits for all parts, or messages.
func (e *haloExchange) wait() error {
	if e.messages != nil {
		return e.messages.wait()
	}
	for _, p := range e.parts {
		if _, err := p.Wait(); err != nil {
			return err
		}
	}
	return nil
}

// free gives back what has been prepared.
func (e *haloExchange) free() error {
	for _, p := range e.parts {
		if err := p.Free(); err != nil {
			return err
		}
	}
	return nil
}

// check exchanges data that identifies its sender, and verifies it, if it has bytes.
func (e *haloExchange) check() error {
	e.checks++
	for i, data := range e.in {
		e.fill(data, e.g.Rank(), i)
	}
	if err := e.start(); err != nil {
		return err
	}
	if err := e.wait(); err != nil {
		return err
	}
	if !rma.HasBytes(e.g.Process()) {
		return nil
	}
	for i, source := range e.g.Sources() {
		want := make([]byte, len(e.out[i]))
		e.fill(want, source, i)
		for at, got := range e.out[i] {
			if got != want[at] {
				return fmt.Errorf("workload: what rank %d has of %d bytes: byte %d from rank %d is %#02x; expected %#02x", e.g.Rank(), len(want), at, source, got, want[at])
			}
		}
	}
	return nil
}

func (e *haloExchange) fill(data []byte, from, edge int) {
	if !rma.HasBytes(e.g.Process()) {
		return
	}
	for i := range data {
		data[i] = byte(i*7 + from*31 + edge*13 + e.checks*101)
	}
}

func (e *haloExchange) repeat(n int, compute units.Time) error {
	for range n {
		if err := e.start(); err != nil {
			return err
		}
		e.compute(compute)
		if err := e.wait(); err != nil {
			return err
		}
	}
	return nil
}

// compute keeps the processor busy without a call that could make the exchange progress, unlike
// Compute of a real process.
func (e *haloExchange) compute(d units.Time) {
	p := e.g.Process()
	if !e.realTime {
		p.Compute(d)
		return
	}
	for end := p.Now() + d; p.Now() < end; {
	}
}

// labels returns the protocol and the number of queues that this rank uses. Of pairs the protocol
// is that of the last send: queues may run out before.
func (e *haloExchange) labels() []workload.Label {
	if e.messages != nil {
		return []workload.Label{{Name: "protocol", Value: "messages"}, {Name: "queues", Value: 0}}
	}
	queues, protocol := 0, mpi.Auto
	for _, p := range e.parts {
		plan := p.Plan()
		queues, protocol = queues+plan.Queues, plan.Protocol
	}
	return []workload.Label{{Name: "protocol", Value: strings.ToLower(protocol.String())}, {Name: "queues", Value: queues}}
}
