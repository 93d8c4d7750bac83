package tables

import (
	"fmt"

	"musubi/routing"
	"musubi/topology"
)

// unsetLane marks a service level that no path uses between two ports yet.
const unsetLane = 0xff

// NewInfiniBand converts routes into InfiniBand tables. It fails, naming the first conflict,
// if
//
//   - paths to one destination leave a switch by different ports,
//   - more than 15 virtual channels are used, or
//   - the changes of virtual channel cannot be written with 16 service levels.
//
// A path gets the service level of its first virtual channel if that does not contradict earlier
// paths, otherwise the first level that does not. So a routing in which packets stay on one virtual
// channel always fits if the first condition holds.
//
// AssignLIDs provides the addresses. All LIDs of a port are reached the same way. LIDs of switches,
// which serve management, are reached along the routes to an end point of the switch, or along a
// shortest path if it has none; no proof covers them.
func NewInfiniBand(r *routing.Routes) (*InfiniBand, error) {
	f, err := newInfiniBandFit(r)
	if err == nil {
		err = f.fit()
	}
	if err != nil {
		return nil, fmt.Errorf("InfiniBand tables of %s: %w", r.Algorithm, err)
	}
	f.addSwitchLIDs()
	return f.InfiniBand, nil
}

// fit fills the tables for packets to end points.
func (f *infiniBandFit) fit() error {
	if f.r.Trees() {
		f.fitTrees()
		return nil
	}
	if err := f.fitPorts(); err != nil {
		return err
	}
	if err := f.fitLevels(); err != nil {
		return err
	}
	f.finishLevels()
	f.finishLanes()
	return nil
}

// fitTrees fills the tables for routes that fit as they are: by destination, on one virtual channel.
func (f *infiniBandFit) fitTrees() {
	f.Lanes = nil
	for src := range f.Net.EndPoints {
		for dst := range f.Net.EndPoints {
			f.fitBranch(f.Net.EndPoints[src].At.Switch, dst)
		}
		_, vc, _, _ := f.r.PathInto(nil, src, src)
		f.Levels[0][src][0] = uint8(vc)
	}
}

// fitBranch fills the forwarding tables from a switch on, as far as no other path has.
func (f *infiniBandFit) fitBranch(at, dst int) {
	lids := f.Addresses.LIDs(dst)
	for f.port(at, lids[0]) == noEntry {
		c := f.r.NextToward(at, dst)
		if c < 0 {
			f.setPorts(at, lids, f.Net.EndPoints[dst].At.Number)
			return
		}
		f.setPorts(at, lids, f.Net.From(c).Number)
		at = f.Net.To(c).Switch
	}
}

// setPorts changes the entries of all LIDs of an end point.
func (f *infiniBandFit) setPorts(sw int, lids []uint16, port int) {
	for _, lid := range lids {
		f.setPort(sw, lid, uint8(port))
	}
}

// infiniBandFit is the state of NewInfiniBand.
type infiniBandFit struct {
	*InfiniBand
	r      *routing.Routes
	wiring wiring
}

func newInfiniBandFit(r *routing.Routes) (*infiniBandFit, error) {
	if err := checkPorts(r.Net); err != nil {
		return nil, err
	}
	if r.VCs > maxDataVLs {
		return nil, fmt.Errorf("%d virtual channels; InfiniBand has %d virtual lanes for data", r.VCs, maxDataVLs)
	}
	addresses, err := AssignLIDs(r.Net)
	if err != nil {
		return nil, err
	}
	f := &infiniBandFit{r: r, wiring: newWiring(r.Net), InfiniBand: &InfiniBand{
		Algorithm: r.Algorithm, Net: r.Net, Addresses: addresses,
		Forward: make([][]uint8, len(r.Net.Switches)),
		Levels:  []PairTable{NewPairTable(len(r.Net.EndPoints))},
		Lanes:   newLanes(r.Net),
	}}
	for _, lanes := range f.Lanes {
		for i := range lanes {
			lanes[i] = unsetLane
		}
	}
	return f, nil
}

// fitPorts fills the forwarding tables.
func (f *infiniBandFit) fitPorts() error {
	var err error
	allSteps(f.r, func(q routing.Pair, p passage) bool {
		lids := f.Addresses.LIDs(q.Dst)
		switch out := f.port(p.sw, lids[0]); out {
		case p.out:
		case noEntry:
			f.setPorts(p.sw, lids, p.out)
		default:
			err = portConflict(f.r, q, p, out, "InfiniBand")
		}
		return err == nil
	})
	return err
}

// portConflict describes two paths to one destination that leave a switch by different ports; out
// is the port of the earlier path.
func portConflict(r *routing.Routes, q routing.Pair, p passage, out int, who string) error {
	first := firstWith(r, func(other routing.Pair, o passage) bool { return other.Dst == q.Dst && o.sw == p.sw })
	return fmt.Errorf("switch %s, destination %s: the path from %s leaves by port %d, that from %s by port %d; %s chooses the port by destination alone",
		r.Net.SwitchName(p.sw), r.Net.EndPointName(q.Dst), r.Net.EndPointName(first.Src), out, r.Net.EndPointName(q.Src), p.out, who)
}

// fitLevels gives every path a service level and fills the tables of lanes.
func (f *infiniBandFit) fitLevels() error {
	var way []passage
	var room routing.Path
	for src := range f.Net.EndPoints {
		for dst := range f.Net.EndPoints {
			id := f.r.PathID(src, dst)
			if src == dst || id < 0 {
				continue
			}
			way = way[:0]
			room = stepsOver(room, f.r, src, dst, func(p passage) { way = append(way, p) })
			level := f.level(way)
			if level < 0 {
				return f.levelConflict(routing.Pair{Src: src, Dst: dst}, way)
			}
			f.Levels[0].set(src, dst, uint8(level))
			for _, p := range way {
				if lane := &f.LanesAt(p.sw, p.in, p.out)[level]; *lane == unsetLane {
					*lane = uint8(p.outVC)
				}
			}
		}
	}
	return nil
}

// level returns a service level that a path can have, or -1.
func (f *infiniBandFit) level(way []passage) int {
	first := way[0].outVC
	if f.contradiction(way, first) < 0 {
		return first
	}
	for level := range numSLs {
		if f.contradiction(way, level) < 0 {
			return level
		}
	}
	return -1
}

// contradiction returns the index of the first passage that needs another lane
// than a service level already has there, or -1. The lane of the link to the
// destination does not matter, as nothing follows it.
func (f *infiniBandFit) contradiction(way []passage, level int) int {
	for i, p := range way {
		if i > 0 && i == len(way)-1 {
			break
		}
		if lane := f.LanesAt(p.sw, p.in, p.out)[level]; lane != unsetLane && int(lane) != p.outVC {
			return i
		}
	}
	return -1
}

func (f *infiniBandFit) levelConflict(q routing.Pair, way []passage) error {
	level := way[0].outVC
	p := way[f.contradiction(way, level)]
	first := firstWith(f.r, func(other routing.Pair, o passage) bool {
		return o.sw == p.sw && o.in == p.in && o.out == p.out && f.Levels[0].At(other.Src, other.Dst) == level
	})
	return fmt.Errorf("switch %s, port %d to port %d: the path from %s needs virtual lane %d, but with service level %d that from %s uses lane %d there, "+
		"and no other of the %d service levels fits; InfiniBand chooses the lane by service level and ports, not by the lane a packet came on",
		f.Net.SwitchName(p.sw), p.in, p.out, describe(f.r, q), p.outVC, level, describe(f.r, first), f.LanesAt(p.sw, p.in, p.out)[level], numSLs)
}

// finishLevels shortens rows that turned out to be the same for all destinations.
func (f *infiniBandFit) finishLevels() {
	for src, row := range f.Levels[0] {
		if len(row) == 1 {
			continue
		}
		known := make([]bool, len(row))
		for dst := range row {
			known[dst] = dst != src && f.r.PathID(src, dst) >= 0
		}
		f.Levels[0][src] = newRow(row, known)
	}
}

// finishLanes fills the entries that no path uses, and drops the tables if every path uses the lane
// with the number of its level.
func (f *infiniBandFit) finishLanes() {
	plain := true
	for _, lanes := range f.Lanes {
		for i := range lanes {
			level := i % numSLs
			if lanes[i] == unsetLane {
				lanes[i] = uint8(level % f.r.VCs)
			} else {
				plain = plain && int(lanes[i]) == level
			}
		}
	}
	if plain {
		f.Lanes = nil
	}
}

// addSwitchLIDs makes the switches themselves reachable.
func (f *infiniBandFit) addSwitchLIDs() {
	for s := range f.Net.Switches {
		toward := f.portsToward(s)
		for at, port := range toward {
			for _, lid := range f.Addresses.switches[s] {
				f.setPort(at, lid, port)
			}
		}
	}
}

// portsToward returns the output port to switch s at every switch: 0 at s itself.
func (f *infiniBandFit) portsToward(s int) []uint8 {
	ports := make([]uint8, len(f.Net.Switches))
	var distance []int // found when a shortest path is needed
	for at := range ports {
		if at == s {
			continue
		}
		if port := f.routeToward(at, s); port != noEntry {
			ports[at] = uint8(port)
			continue
		}
		if distance == nil {
			distance = f.Net.Distances(s)
		}
		ports[at] = f.nearer(at, distance)
	}
	return ports
}

// routeToward returns the output port at a switch of the route to an end point of switch s.
func (f *infiniBandFit) routeToward(at, s int) int {
	if eps := f.Net.EndPointsAt(s); len(eps) > 0 {
		if port := f.port(at, f.Addresses.LIDs(int(eps[0]))[0]); port != noEntry && f.leadsToSwitch(at, port) {
			return port
		}
	}
	return noEntry
}

// nearer returns the first output port of a shortest path, given the distances of all switches.
func (f *infiniBandFit) nearer(at int, distance []int) uint8 {
	if distance[at] < 0 {
		return noPort
	}
	for _, c := range f.Net.Out(at) {
		if distance[f.Net.To(int(c)).Switch] == distance[at]-1 {
			return uint8(f.Net.From(int(c)).Number)
		}
	}
	return noPort
}

func (f *infiniBandFit) leadsToSwitch(at, port int) bool {
	return f.wiring.at(topology.Port{Switch: at, Number: port}) > 0
}
