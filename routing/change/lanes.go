package change

import (
	"math/bits"

	"musubi/routing/tables"
	"musubi/topology"
)

// levelSet has bit n set for service level n.
type levelSet uint16

// each calls f for every level of a set.
func (s levelSet) each(f func(level int)) {
	for ; s != 0; s &= s - 1 {
		f(bits.TrailingZeros16(uint16(s)))
	}
}

// numLevels is the number of service levels.
const numLevels = 16

// lanes knows service levels and virtual lanes of tables, and numbers the channels of lanes.
type lanes struct {
	t     *tables.InfiniBand
	plain bool // lanes do not depend on ports
	// levels are those of the end points of each switch, if they are the same to all destinations
	// of a plane; nil: they are not.
	levels [][]levelSet
}

func newLanes(t *tables.InfiniBand) *lanes {
	l := &lanes{t: t, plain: plain(t.Lanes)}
	for plane := range t.Levels {
		row := make([]levelSet, len(t.Net.Switches))
		for e, p := range t.Net.EndPoints {
			if len(t.Levels[plane][e]) > 1 {
				l.levels = nil
				return l
			}
			row[p.At.Switch] |= 1 << t.Levels[plane].At(e, e)
		}
		l.levels = append(l.levels, row)
	}
	return l
}

// plain reports whether each level has the lane of its number everywhere.
func plain(lanes [][]uint8) bool {
	for _, row := range lanes {
		for i, lane := range row {
			if int(lane) != i%numLevels {
				return false
			}
		}
	}
	return true
}

// at returns the levels of packets from the end points of a switch to a destination.
func (l *lanes) at(d Destination, sw int) levelSet {
	if d.EndPoint < 0 {
		return 0
	}
	if l.levels != nil {
		return l.levels[d.plane%len(l.levels)][sw]
	}
	var set levelSet
	for _, e := range l.t.Net.EndPointsAt(sw) {
		if int(e) != d.EndPoint {
			set |= 1 << l.t.Level(int(e), d.EndPoint, d.plane)
		}
	}
	return set
}

// all returns the levels of all packets to a destination.
func (l *lanes) all(d Destination) levelSet {
	var set levelSet
	for sw := range l.t.Net.Switches {
		set |= l.at(d, sw)
	}
	return set
}

// vertex numbers the channel of a virtual lane.
func vertex(c int32, lane int) int32 { return c*numLevels + int32(lane) }

// vertices is how many there are.
func vertices(net *topology.Network) int { return net.Channels() * numLevels }

// onto returns the vertex that packets of a level which came in by a port go on to by a channel.
func (l *lanes) onto(in topology.Port, c int32, level int) int32 {
	if l.plain {
		return vertex(c, level)
	}
	return vertex(c, l.t.Lane(in.Switch, in.Number, l.t.Net.From(int(c)).Number, level))
}

// entries calls f with the ports by which packets enter the fabric at a switch. It is one of them
// where lanes do not depend on ports.
func (l *lanes) entries(sw int, f func(in topology.Port)) {
	ends := l.t.Net.EndPointsAt(sw)
	if l.plain || len(ends) == 0 {
		f(topology.Port{Switch: sw})
		return
	}
	for _, e := range ends {
		f(l.t.Net.EndPoints[e].At)
	}
}
