package card

import (
	"fmt"

	"musubi/nic/dimmnet"
	"musubi/nic/reliable"
	"musubi/sim/machine"
	"musubi/units"
)

// Limits of cards.
const (
	maxWindow     = 2<<10 + 64 // bytes of a window
	maxWindows    = 64         // Write Windows, bits of the register that tells which are busy
	maxSWIFWindow = reliable.MaxSequence / 2
	maxClock      = units.Microsecond // a slower controller is a slip, and paths of many clocks would take years
	maxCold       = 10_000            // percent
)

// Check implements machine.Section.
func (s *Section) Check(m *machine.Machine) error {
	err := m.CheckPositive("card.clock", "card.capacity", "card.processes", "card.write_windows", "card.prefetch_windows", "card.llcm", "card.memory_path",
		"swif.window", "swif.timeout", "swif.tries", "processor.poll", "processor.poll_register", "processor.line", "processor.ways")
	if err != nil {
		return err
	}
	if err := s.checkCard(); err != nil {
		return err
	}
	if err := s.checkPackets(m); err != nil {
		return err
	}
	if err := s.checkMatch(m); err != nil {
		return err
	}
	return s.checkSWIF(m)
}

// checkCard checks card and processor.
func (s *Section) checkCard() error {
	c := &s.Card
	switch cold, sample := s.Processor.WriteCold, s.Processor.Sample; {
	case c.Clock > maxClock:
		return fmt.Errorf("card.clock is %v; expected at most %v", c.Clock, maxClock)
	case c.WriteWindows > maxWindows:
		return fmt.Errorf("card.write_windows is %d; expected at most %d", c.WriteWindows, maxWindows)
	case c.Processes > c.WriteWindows:
		return fmt.Errorf("card.processes of %d collides with card.write_windows of %d: each process needs one", c.Processes, c.WriteWindows)
	case c.Processes > c.PrefetchWindows:
		return fmt.Errorf("card.processes of %d collides with card.prefetch_windows of %d: each process needs one", c.Processes, c.PrefetchWindows)
	case c.RefreshInterval > 0 && c.Refresh >= c.RefreshInterval:
		return fmt.Errorf("card.refresh of %v collides with card.refresh_interval of %v: nothing else could be done", c.Refresh, c.RefreshInterval)
	case cold < 100 || cold > maxCold:
		return fmt.Errorf("processor.write_cold is %d; expected 100 to %d percent of what data in the cache takes", cold, maxCold)
	case sample < 0 || sample > 100:
		return fmt.Errorf("processor.sample is %d; expected 0 to 100 percent of a poll", sample)
	}
	return nil
}

// checkPackets checks what windows and links have to do with packets.
func (s *Section) checkPackets(m *machine.Machine) error {
	c, header := &s.Card, units.Bytes(dimmnet.HeaderLines*dimmnet.LineSize)
	switch {
	case c.Window > maxWindow:
		return fmt.Errorf("card.window is %v; expected at most %v", c.Window, units.Bytes(maxWindow))
	case c.Window != m.Packet.Payload+header:
		return fmt.Errorf("card.window of %v collides with packet.payload of %v: a window holds a packet with its header of %v", c.Window, m.Packet.Payload, header)
	case m.Packet.Overhead < dimmnet.HeaderLines:
		return fmt.Errorf("packet.overhead is %d; expected at least %d, the lines of the header", m.Packet.Overhead, dimmnet.HeaderLines)
	case m.Link.Flit != dimmnet.LineSize:
		return fmt.Errorf("link.flit of %v collides with interface.model = \"windows\": packets of cards have lines of %d bytes", m.Link.Flit, dimmnet.LineSize)
	case m.Switch.Classes < 2:
		return fmt.Errorf("switch.classes of %d collides with interface.model = \"windows\": acknowledgements need a class of their own", m.Switch.Classes)
	}
	return nil
}

// checkSWIF checks what sends packets again. If that came before an acknowledgement
// can, it would fill the network with copies.
func (s *Section) checkSWIF(m *machine.Machine) error {
	trip := s.ackedAfter(m)
	switch w := &s.SWIF; {
	case w.Window > maxSWIFWindow:
		return fmt.Errorf("swif.window is %d; expected at most %d", w.Window, maxSWIFWindow)
	case w.Loss >= million:
		return fmt.Errorf("swif.loss is %d; expected less than a million, of a million packets", w.Loss)
	case w.Timeout < trip:
		return fmt.Errorf("swif.timeout is %v; expected at least %v, in which a packet and its acknowledgement cross an empty switch", w.Timeout, trip)
	}
	return nil
}

// ackedAfter returns when the acknowledgement of the largest packet is back, at the
// earliest, without what the cards take.
func (s *Section) ackedAfter(m *machine.Machine) units.Time {
	w := &s.SWIF
	oneWay := w.Send + w.Transit + w.Alpha + w.Receive + m.Switch.Latency + 2*m.Link.HostCable
	flits := m.PacketFlits(m.Packet.Payload) + m.Packet.Reply
	return 2*oneWay + m.Link.Rate.Transfer(units.Bytes(flits)*m.Link.Flit)
}
