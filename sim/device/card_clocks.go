package device

import (
	"musubi/nic"
	"musubi/sim/machine"
	"musubi/units"
)

// cardPath is a passage through a card, step by step.
type cardPath struct {
	name  string
	steps []machine.Step
	total int // clocks for one line of data
}

func newCardPath(name string, path any) cardPath {
	p := cardPath{name: name, steps: machine.Steps(path)}
	for _, s := range p.steps {
		p.total += s.Clocks
	}
	return p
}

// cardClocks are the passages through a card, and times that follow from them.
type cardClocks struct {
	botfSend, windowReceive, pushReceive, ipushReceive cardPath

	retest units.Time // of the room in a ring, once there is more, by who manages it
}

func newCardClocks(m *machine.Machine) cardClocks {
	i := &m.IPushReceive
	return cardClocks{
		botfSend:      newCardPath("botf-send", &m.BOTFSend),
		windowReceive: newCardPath("receive-window", &m.WindowReceive),
		pushReceive:   newCardPath("push-receive", &m.PushReceive),
		ipushReceive:  newCardPath("ipush-receive", &m.IPushReceive),
		retest:        m.Ring.Manage + m.Card.Clocks(i.Pointers+i.FreeStart+i.FreeEnd+i.SpaceTest),
	}
}

// further returns the lines that n bytes have beyond the first.
func further(n int) int { return max(0, (n+nic.LineSize-1)/nic.LineSize-1) }

// Stage is a step on the way of a message, as it happened.
type Stage struct {
	Path   string
	Step   string
	Clocks int // of a card's controller; -1 if it is not counted in clocks
	Time   units.Time
}

// oneWay is the path of a whole message, from one program to the other.
const oneWay = "pingpong"

// tell reports a stage to whoever wants to know.
func (c *Cluster) tell(path, step string, clocks int, t units.Time) {
	if c.cfg.Stages != nil {
		c.cfg.Stages(Stage{path, step, clocks, t})
	}
}

// tellHost reports a stage of the host's part in the way of a message.
func (c *Cluster) tellHost(step string, t units.Time) { c.tell(oneWay, step, -1, t) }

// tellPath reports all steps of a passage of n bytes of data.
func (w *windows) tellPath(p *cardPath, n int) {
	if w.cfg.Stages == nil {
		return
	}
	for _, s := range p.steps {
		clocks := s.Clocks
		if s.PerLine {
			clocks += further(n)
		}
		w.tell(p.name, s.Name, clocks, w.m.Card.Clocks(clocks))
	}
}

// tellManaged reports what a processor on the card takes to choose the place of a
// packet in its ring, if one does.
func (w *windows) tellManaged(path string) {
	if manage := w.m.Ring.Manage; manage > 0 {
		w.tell(path, "processor on the card chooses the place", -1, manage)
	}
}
