package tables

import (
	"musubi/routing"
	"musubi/topology"
)

const (
	// noPort in a forwarding table says that packets to the LID are discarded.
	noPort = 255
	// numSLs is the number of service levels.
	numSLs = 16
	// maxDataVLs is the number of virtual lanes for data; the next one, 15, is for subnet
	// management.
	maxDataVLs = 15
)

// InfiniBand are the tables of InfiniBand switches (InfiniBand Architecture Specification,
// volume 1, chapters 7 and 18): at every switch the destination LID gives the output port, and
// service level, input and output port together give the virtual lane, regardless of the lane on
// which the packet came in. A path has one service level.
type InfiniBand struct {
	Algorithm string
	Net       *topology.Network
	Addresses *Addresses

	// Forward is the linear forwarding table: output port by switch and LID. LIDs
	// beyond its end and those with port 255 are not known.
	Forward [][]uint8

	// Levels are the service levels by pair of end points. If ports have several
	// LIDs, the i-th table is for those to the i-th LID of each, or the first for
	// all.
	Levels []PairTable

	// Lanes gives the virtual lane by switch, input port, output port and service
	// level: see LanesAt. nil means that service level n uses lane n everywhere.
	Lanes [][]uint8

	dir *directory
}

// directory finds switches and ports by GUID.
func (t *InfiniBand) directory() *directory {
	if t.dir == nil {
		t.dir = newDirectory(t.Net)
	}
	return t.dir
}

// LanesAt returns the virtual lanes by service level for packets that go from
// one port of a switch to another, nil if Lanes is.
func (t *InfiniBand) LanesAt(sw, in, out int) []uint8 {
	if t.Lanes == nil {
		return nil
	}
	i := (in*(t.Net.Switches[sw].Ports+1) + out) * numSLs
	return t.Lanes[sw][i : i+numSLs]
}

// Lane returns the virtual lane of a packet that goes from one port of a switch to another.
func (t *InfiniBand) Lane(sw, in, out, level int) int {
	if t.Lanes == nil {
		return level
	}
	return int(t.LanesAt(sw, in, out)[level])
}

// Level returns the service level of packets from an end point to the i-th LID of another.
func (t *InfiniBand) Level(src, dst, i int) int { return t.levels(i).At(src, dst) }

// SetLevel changes the service level of packets from an end point to the i-th LID of another.
func (t *InfiniBand) SetLevel(src, dst, i, level int) {
	for len(t.Levels) < t.Addresses.planes() {
		t.Levels = append(t.Levels, t.Levels[0].clone())
	}
	t.levels(i).set(src, dst, uint8(level))
}

// Port returns the output port of a switch for a LID, false if it does not know the LID.
func (t *InfiniBand) Port(sw int, lid uint16) (int, bool) {
	port := t.port(sw, lid)
	return port, port != noEntry
}

// SetPort changes the output port of a switch for a LID. Packets are discarded if port is negative.
func (t *InfiniBand) SetPort(sw int, lid uint16, port int) {
	if port < 0 {
		port = noPort
	}
	t.setPort(sw, lid, uint8(port))
}

// port returns the entry of a forwarding table.
func (t *InfiniBand) port(sw int, lid uint16) int {
	if int(lid) >= len(t.Forward[sw]) || t.Forward[sw][lid] == noPort {
		return noEntry
	}
	return int(t.Forward[sw][lid])
}

// setPort changes an entry of a forwarding table.
func (t *InfiniBand) setPort(sw int, lid uint16, port uint8) {
	for int(lid) >= len(t.Forward[sw]) {
		t.Forward[sw] = append(t.Forward[sw], noPort)
	}
	t.Forward[sw][lid] = port
}

// newLanes returns tables in which every service level uses the lane of the same
// number.
func newLanes(net *topology.Network) [][]uint8 {
	lanes := make([][]uint8, len(net.Switches))
	for s, sw := range net.Switches {
		lanes[s] = make([]uint8, (sw.Ports+1)*(sw.Ports+1)*numSLs)
		for i := range lanes[s] {
			lanes[s][i] = uint8(i % numSLs)
		}
	}
	return lanes
}

// VLs returns how many virtual lanes packets use: one more than the highest
// number below 15 that some service level in use is mapped to.
func (t *InfiniBand) VLs() int {
	var used [numSLs]bool
	for _, levels := range t.Levels {
		for _, row := range levels {
			for _, sl := range row {
				used[sl] = true
			}
		}
	}
	highest := 0
	note := func(vl int) {
		if vl < maxDataVLs {
			highest = max(highest, vl)
		}
	}
	for sl, u := range used {
		if !u {
			continue
		}
		if t.Lanes == nil {
			note(sl)
		}
		for _, lanes := range t.Lanes {
			for i := sl; i < len(lanes); i += numSLs {
				note(int(lanes[i]))
			}
		}
	}
	return highest + 1
}

// Routes follows the tables between all end points. The result has one element
// per LID of an end point: the i-th leads to the i-th LID of each (those with fewer
// take them in turn). Pairs whose packets do not arrive are left without a path,
// and the proof of the routes says why.
func (t *InfiniBand) Routes() ([]*routing.Routes, error) {
	if err := checkPorts(t.Net); err != nil {
		return nil, err
	}
	vls := t.VLs()
	all := make([]*routing.Routes, t.Addresses.planes())
	for i := range all {
		r, err := walk(t.Algorithm, t.Net, vls, newLIDPlane(t, i))
		if err != nil {
			return nil, err
		}
		all[i] = r
	}
	return all, nil
}

// Verify proves the paths that the tables give to all LIDs of end points. It does not consider
// packets to the LIDs of switches, which serve management.
func (t *InfiniBand) Verify() (*routing.Proof, error) {
	all, err := t.Routes()
	if err != nil {
		return nil, err
	}
	return routing.Verify(all[0], all[1:]...), nil
}

// lidPlane is the part of the tables for one LID of each end point.
type lidPlane struct {
	*InfiniBand
	lids   []uint16 // by end point, 0 if it has none
	levels PairTable
	mixed  bool // paths depend on the source
}

func newLIDPlane(t *InfiniBand, number int) *lidPlane {
	p := &lidPlane{InfiniBand: t, levels: t.levels(number)}
	for e := range t.Net.EndPoints {
		var lid uint16
		if lids := t.Addresses.LIDs(e); len(lids) > 0 {
			lid = lids[number%len(lids)]
		}
		p.lids = append(p.lids, lid)
	}
	p.mixed = t.Lanes != nil
	for _, row := range p.levels {
		p.mixed = p.mixed || len(row) > 1 || row[0] != p.levels[0][0]
	}
	return p
}

func (p *lidPlane) inject(src, dst int) int { return 0 }

func (p *lidPlane) perSource(int) bool { return p.mixed }

func (p *lidPlane) forward(src, dst int, in topology.Port, _ int) (out, outVC int) {
	if p.lids[dst] == 0 {
		return noEntry, 0
	}
	out = p.port(in.Switch, p.lids[dst])
	if out == noEntry || out > p.Net.Switches[in.Switch].Ports {
		return out, 0
	}
	return out, p.Lane(in.Switch, in.Number, out, p.levels.At(src, dst))
}
