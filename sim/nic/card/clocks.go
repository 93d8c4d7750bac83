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

	path int // bytes that a clock moves between controller and memory
}

func newCardPath(name string, path any, c *Card) cardPath {
	p := cardPath{name: name, steps: Steps(path), path: int(c.MemoryPath)}
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

// more returns the clocks that a step takes for n bytes of data beyond those for the first line.
func (p *cardPath) more(s *Step, n int) int {
	switch s.Further {
	case Lines:
		return further(n, dimmnet.LineSize)
	case Memory:
		return further(n, p.path)
	}
	return 0
}

// further returns the clocks that all steps take beyond those for the first line.
func (p *cardPath) further(n int) int {
	sum := 0
	for i := range p.steps {
		sum += p.more(&p.steps[i], n)
	}
	return sum
}

// cardClocks are the passages through a card, and times that follow from them.
type cardClocks struct {
	botfSend, windowReceive, pushReceive, ipushReceive cardPath

	retest units.Time // of the room in a ring, once there is more, by who manages it
}

func newCardClocks(m *machine.Machine, s *Section) cardClocks {
	c := cardClocks{
		botfSend:      newCardPath("botf-send", &s.BOTFSend, &s.Card),
		windowReceive: newCardPath("receive-window", &s.WindowReceive, &s.Card),
		pushReceive:   newCardPath("push-receive", &s.PushReceive, &s.Card),
		ipushReceive:  newCardPath("ipush-receive", &s.IPushReceive, &s.Card),
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

// further returns the clocks beyond the first in which n bytes move, width bytes in each.
func further(n, width int) int { return max(0, (n+width-1)/width-1) }
