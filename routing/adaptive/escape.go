package adaptive

// escaping lets packets take any shortest way on one virtual channel, which may close cycles, and
// gives them another basis on further ones to escape to (Duato, IEEE TPDS 4(12), 1993). A packet goes
// where it has chosen to only if it can at once. Else it waits for its escape, and may choose again
// meanwhile. Once it has escaped it stays there.
type escaping struct {
	minimal
	escape basis
}

// escaped is the state of packets that have escaped.
const escaped int32 = 1

// VCs: the escape has the first virtual channels, the others share what is behind.
func (e *escaping) VCs() int           { return e.escape.vcs() + 1 }
func (e *escaping) States() int        { return 2 }
func (e *escaping) Escape(vc int) bool { return vc < e.escape.vcs() }

func (e *escaping) Moves(list []Move, sw, to int, state int32) []Move {
	if state == Entering {
		for _, h := range e.basis.hops(nil, sw, to) {
			list = append(list, Move{Channel: h.Channel, VC: uint8(e.escape.vcs())})
		}
	}
	for _, h := range e.escape.hops(nil, sw, to) {
		list = append(list, Move{Channel: h.Channel, VC: h.VC, State: escaped})
	}
	return list
}

func (e *escaping) Choose(v View, p Packet, sw int) Move {
	if p.State == Entering {
		vc := e.escape.vcs()
		e.room = e.basis.hops(e.room[:0], sw, p.To)
		free := e.room[:0]
		for _, h := range e.room {
			if v.Free(int(h.Channel), vc) {
				free = append(free, h)
			}
		}
		if len(free) > 0 {
			return Move{Channel: e.pick(&e.minimal, v, p, sw, free).Channel, VC: uint8(vc), Again: true}
		}
	}
	e.room = e.escape.hops(e.room[:0], sw, p.To)
	h := e.shortest(v, e.room)
	return Move{Channel: h.Channel, VC: h.VC, State: escaped, Again: p.State == Entering}
}
