package adaptive

import (
	"musubi/topology"
)

// minimal keeps packets on a basis. They choose among its next hops.
type minimal struct {
	common
	basis basis
	pick  picker
	room  []Hop
}

// picker chooses one of some next hops.
type picker func(m *minimal, v View, p Packet, sw int, hops []Hop) Hop

// byHash takes the same next hop for all packets of a pair of end points (RFC 2992).
func byHash(_ *minimal, _ View, p Packet, sw int, hops []Hop) Hop {
	return hops[mix(uint64(p.Src)<<42^uint64(p.Dst)<<21^uint64(sw))%uint64(len(hops))]
}

// mix is the finalizer of MurmurHash3: every bit of x changes half of the bits.
func mix(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

func byChance(m *minimal, _ View, _ Packet, _ int, hops []Hop) Hop {
	return hops[m.random.IntN(len(hops))]
}

func byQueue(m *minimal, v View, _ Packet, _ int, hops []Hop) Hop { return m.shortest(v, hops) }

// minimalBy returns how schemes are built that choose so.
func minimalBy(name string, pick picker) func(*topology.Network, Options) (Scheme, error) {
	return func(net *topology.Network, opt Options) (Scheme, error) {
		c, err := newCommon(name, net, opt)
		if err != nil {
			return nil, err
		}
		m := minimal{common: c, pick: pick}
		switch b := basisOf(&c, false).(type) {
		case *order, *upDown, *lines: // which leave little choice
			m.basis = &shortest{common: &c, lanes: 1}
			return &escaping{minimal: m, escape: b}, nil
		default:
			m.basis = b
		}
		return &m, nil
	}
}

func (m *minimal) VCs() int    { return m.basis.vcs() }
func (m *minimal) States() int { return 1 }

func (m *minimal) Moves(list []Move, sw, to int, _ int32) []Move {
	for _, h := range m.basis.hops(nil, sw, to) {
		list = append(list, Move{Channel: h.Channel, VC: h.VC})
	}
	return list
}

func (m *minimal) Choose(v View, p Packet, sw int) Move {
	m.room = m.basis.hops(m.room[:0], sw, p.To)
	h := m.pick(m, v, p, sw, m.room)
	return Move{Channel: h.Channel, VC: h.VC}
}
