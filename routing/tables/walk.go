package tables

import (
	"fmt"

	"musubi/routing"
	"musubi/topology"
)

// forwarder is a form of routing tables, as switches look them up.
type forwarder interface {
	// inject returns the virtual channel on which packets enter the network.
	inject(src, dst int) int
	// forward returns the output port and virtual channel for packets from src to
	// dst that come in by a port on a virtual channel; port is noEntry if there is
	// none.
	forward(src, dst int, in topology.Port, inVC int) (out, outVC int)
	// perSource reports whether the paths from one switch to one destination depend
	// on the source.
	perSource(sw int) bool
}

const noEntry = -1

// walk follows tables from every end point to every other one. Packets that do not arrive are a
// fault of the routes, see Proof.
func walk(algorithm string, net *topology.Network, vcs int, f forwarder) (*routing.Routes, error) {
	b, err := routing.NewBuilder(algorithm, net, vcs)
	if err != nil {
		return nil, err
	}
	w := walker{net: net, tables: f, vcs: vcs, wiring: newWiring(net)}
	for src := range net.Switches {
		for dst := range net.Switches {
			w.walkPair(b, src, dst)
		}
		if err := b.Check(); err != nil {
			return nil, err
		}
	}
	for _, f := range w.faults {
		if f.Pairs > 0 {
			b.AddFault(f)
		}
	}
	return b.Routes(), nil
}

type walker struct {
	net    *topology.Network
	tables forwarder
	vcs    int
	wiring wiring
	path   routing.Path
	faults [routing.FaultKinds]routing.Fault
}

// walkPair follows the tables between the end points of two switches.
func (w *walker) walkPair(b *routing.Builder, src, dst int) {
	from, to := w.net.EndPointsAt(src), w.net.EndPointsAt(dst)
	if len(from) == 0 || len(to) == 0 {
		return
	}
	rows, sources := 1, len(from) // sources: end points that share a row
	if w.tables.perSource(src) {
		rows, sources = len(from), 1
	}
	b.Variants(src, dst, rows, len(to))
	for i := range rows {
		for _, d := range to {
			w.add(b, from[i:i+sources], int(d))
		}
	}
}

// add walks to dst on behalf of sources on one switch, for which the tables do the
// same, and adds the path.
func (w *walker) add(b *routing.Builder, sources []int32, dst int) {
	others, src := 0, dst
	for _, s := range sources {
		if int(s) == dst {
			continue
		}
		if others == 0 {
			src = int(s)
		}
		others++
	}
	if others == 0 {
		b.Add(nil, w.tables.inject(src, dst))
		return
	}
	vc, stop := w.walk(src, dst)
	if stop == nil {
		b.Add(w.path, vc)
		return
	}
	b.AddHole()
	f := &w.faults[stop.kind]
	if f.Pairs == 0 {
		f.Kind, f.First = stop.kind, routing.Pair{Src: src, Dst: dst}
		f.Detail = fmt.Sprintf("such as %s to %s: %s", w.net.EndPointName(src), w.net.EndPointName(dst), stop.text)
		if stop.kind == routing.Loop {
			f.Detail += "; " + w.cureOfLoop(src, dst, stop.at)
		}
	}
	f.Pairs += int64(others)
}

// stop is the reason why a walk ended early.
type stop struct {
	kind routing.FaultKind
	text string
	at   place // on the loop, if it is one
}

// place is a position of a packet: the switch and port by which it has come in, and its virtual
// channel.
type place struct {
	in topology.Port
	vc int
}

// walk leaves the path from src to dst in w.path and returns the last virtual channel. Brent's
// algorithm finds loops: mark stays behind at every power of two and is met again.
func (w *walker) walk(src, dst int) (vc int, s *stop) {
	w.path = w.path[:0]
	at := place{w.net.EndPoints[src].At, w.tables.inject(src, dst)}
	mark, next := at, 1
	for {
		out, vc := w.tables.forward(src, dst, at.in, at.vc)
		if s := w.check(src, dst, at, out, vc); s != nil {
			return 0, s
		}
		link := w.wiring.at(topology.Port{Switch: at.in.Switch, Number: out})
		if link < 0 {
			return vc, nil
		}
		w.path = append(w.path, routing.MakeHop(int(link)-1, vc))
		at = place{w.net.To(int(link) - 1), vc}
		if at == mark {
			return 0, &stop{routing.Loop, w.describeLoop(src, dst, at), at}
		}
		if len(w.path) == next {
			mark, next = at, 2*next
		}
	}
}

// check returns the reason why a packet cannot go on by output port out, or nil.
func (w *walker) check(src, dst int, at place, out, vc int) *stop {
	name := w.net.SwitchName(at.in.Switch)
	if out == noEntry {
		return &stop{kind: routing.MissingEntry, text: "switch " + name + " does not know the destination"}
	}
	link := w.wiring.at(topology.Port{Switch: at.in.Switch, Number: out})
	switch {
	case out == 0:
		return &stop{kind: routing.Misdelivery, text: "switch " + name + " takes the packet itself (port 0)"}
	case link == 0:
		return &stop{kind: routing.DeadPort, text: fmt.Sprintf("switch %s sends it to port %d, which has no link", name, out)}
	case vc < 0 || vc >= w.vcs:
		return &stop{kind: routing.NoVC, text: fmt.Sprintf("switch %s sends it from port %d to port %d on virtual channel %d of %d",
			name, at.in.Number, out, vc, w.vcs)}
	case link < 0 && int(-link)-1 != dst:
		return &stop{kind: routing.Misdelivery, text: fmt.Sprintf("switch %s port %d leads to %s", name, out, w.net.EndPointName(int(-link)-1))}
	}
	return nil
}
