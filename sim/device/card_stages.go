package device

import (
	"musubi/nic"
	"musubi/sim/fabric"
	"musubi/units"
)

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
func (c *Env) tell(path, step string, clocks int, t units.Time) {
	if c.stages != nil {
		c.stages(Stage{path, step, clocks, t})
	}
}

// tellTime reports a stage of the way of a message that is not counted in clocks.
func (c *Env) tellTime(step string, t units.Time) { c.tell(oneWay, step, -1, t) }

// tellPath reports all steps of a passage of n bytes of data.
func (w *windows) tellPath(p *cardPath, n int) {
	if w.stages == nil {
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

// tellFormed reports that the sender forms a packet of a message.
func (w *windows) tellFormed(s *sender, clocks int) {
	switch s.now.role {
	case toMemory:
		return
	case fromWindow:
		w.tellPath(&w.clocks.botfSend, s.data)
	}
	w.tell(oneWay, "send", clocks, w.m.Card.Clocks(clocks))
}

// tellTransit reports how a packet of a message came from one SWIF to the other.
func (w *windows) tellTransit(p *packet, d fabric.Delivery) {
	if w.stages == nil {
		return
	}
	if h := p.header(); h.Operation != nic.Ack && h.Operation != nic.Nack {
		serial := w.m.Link.Rate.Transfer(units.Bytes(d.Flits) * w.m.Link.Flit)
		w.tellTime("SWIF, sending", w.m.SWIF.Send+serial)
		w.tellTime("network", w.q.Now()-d.Queued-serial+w.m.SWIF.Transit)
		w.tellTime("SWIF, receiving", w.m.SWIF.Receive)
	}
}

// tellReceived reports how a message was taken, as far as the way of a message goes.
func (w *windows) tellReceived(h *nic.Header) {
	if w.stages == nil {
		return
	}
	p := w.clocks.receives(h)
	clocks := p.total - p.status + further(h.Data)
	w.tell(oneWay, "receive", clocks, w.m.Card.Clocks(clocks))
	if appends(h) {
		w.tellManaged(oneWay)
	}
	w.tell(oneWay, "write status", p.status, w.m.Card.Clocks(p.status))
}
