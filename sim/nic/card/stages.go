package card

import (
	"musubi/nic/dimmnet"
	"musubi/sim/fabric"
	"musubi/sim/host"
	"musubi/units"
)

// tellPath reports all steps of a passage of n bytes of data.
func (w *cards) tellPath(p *cardPath, n int) {
	if w.Stages == nil {
		return
	}
	for _, s := range p.steps {
		clocks := s.Clocks + p.more(&s, n)
		w.Tell(p.name, s.Name, clocks, w.Card.Clocks(clocks))
	}
}

// tellManaged reports what a processor on the card takes to choose the place of a
// packet in its ring, if one does.
func (w *cards) tellManaged(path string) {
	if manage := w.Machine.Ring.Manage; manage > 0 {
		w.Tell(path, "processor on the card chooses the place", -1, manage)
	}
}

// tellFormed reports that the sender forms a packet of a message.
func (w *sender) tellFormed(s *forming, clocks int) {
	switch s.role {
	case toMemory:
		return
	case fromWindow:
		w.tellPath(&w.clocks.botfSend, s.data)
	}
	w.Tell(host.OneWay, "send", clocks, w.Card.Clocks(clocks))
}

// tellTransit reports how a packet of a message came from one SWIF to the other.
func (w *swif) tellTransit(p *packet, d fabric.Delivery) {
	if w.Stages == nil {
		return
	}
	if h := p.header(); h.Operation != dimmnet.Ack && h.Operation != dimmnet.Nack {
		serial := w.Machine.Link.Rate.Transfer(units.Bytes(d.Flits) * w.Machine.Link.Flit)
		w.TellTime("SWIF, sending", w.SWIF.Send+serial)
		w.TellTime("network", w.Clock.Now()-d.Queued-serial+w.SWIF.Transit)
		if alpha := w.SWIF.Alpha; alpha > 0 {
			w.TellTime("network, not measured (alpha)", alpha)
		}
		w.TellTime("SWIF, receiving", w.SWIF.Receive)
	}
}

// tellReceived reports how a message was taken, as far as the way of a message goes.
func (w *receiver) tellReceived(h *dimmnet.Header, p *cardPath) {
	if w.Stages == nil {
		return
	}
	clocks := p.total - p.status + p.further(h.Data)
	w.Tell(host.OneWay, "receive", clocks, w.Card.Clocks(clocks))
	if p == &w.clocks.ipushReceive {
		w.tellManaged(host.OneWay)
	}
	w.Tell(host.OneWay, "write status", p.status, w.Card.Clocks(p.status))
}
