package card

import (
	"musubi/nic/dimmnet"
	"musubi/sim/machine"
	"musubi/units"
)

// cardPath is a passage through a card, step by step, and the clocks of its phases
// for one line of data.
type cardPath struct {
	name  string
	steps []Step
	total int

	decode, place, reach, write, finish, status int
}

func newCardPath(name string, path any) cardPath {
	p := cardPath{name: name, steps: Steps(path)}
	phases := map[Phase]*int{
		Decode: &p.decode, Place: &p.place, Reach: &p.reach,
		Write: &p.write, Finish: &p.finish, Status: &p.status,
	}
	for _, s := range p.steps {
		p.total += s.Clocks
		if sum := phases[s.Phase]; sum != nil {
			*sum += s.Clocks
		}
	}
	return p
}

// cardClocks are the passages through a card, and times that follow from them.
type cardClocks struct {
	botfSend, windowReceive, pushReceive, ipushReceive cardPath

	retest units.Time // of the room in a ring, once there is more, by who manages it
}

func newCardClocks(m *machine.Machine, s *Section) cardClocks {
	c := cardClocks{
		botfSend:      newCardPath("botf-send", &s.BOTFSend),
		windowReceive: newCardPath("receive-window", &s.WindowReceive),
		pushReceive:   newCardPath("push-receive", &s.PushReceive),
		ipushReceive:  newCardPath("ipush-receive", &s.IPushReceive),
	}
	c.retest = m.Ring.Manage + s.Card.Clocks(c.ipushReceive.place)
	return c
}

// receives returns the passage that a packet with such a header takes when it is
// received.
func (c *cardClocks) receives(h *dimmnet.Header) *cardPath {
	switch {
	case appends(h):
		return &c.ipushReceive
	case h.Flags&dimmnet.ToWindow != 0:
		return &c.windowReceive
	}
	return &c.pushReceive
}

// further returns the lines that n bytes have beyond the first.
func further(n int) int { return max(0, (n+dimmnet.LineSize-1)/dimmnet.LineSize-1) }
