package machine

import (
	"fmt"
	"reflect"

	"musubi/units"
)

// Largest values that make sense; beyond them lie slips of a prefix.
const (
	maxInt   = 1 << 20
	maxTime  = units.Second
	maxRate  = 1_000_000 * units.GbitPerSecond
	maxBytes = units.Bytes(1 << 30)
	maxVCs   = 64 // per link, as both engines have
	maxLanes = 15 // data virtual lanes of InfiniBand

	maxSpeedup = 16
)

// Validate reports whether the values make sense and fit together. Its error
// names the parameter, or those that collide, with their values.
func (m *Machine) Validate() error {
	if err := m.checkRanges(); err != nil {
		return err
	}
	if err := m.checkRings(); err != nil {
		return err
	}
	if !m.HasNetwork() {
		return m.Section().Check(m)
	}
	err := m.CheckPositive("link.flit", "link.rate", "switch.classes", "switch.vcs", "switch.buffer", "packet.payload", "packet.reply")
	if err != nil {
		return err
	}
	for _, check := range []func() error{m.checkPackets, m.checkChannels, m.checkBuffers, m.checkRouter, m.checkSection} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (m *Machine) checkSection() error { return m.Section().Check(m) }

// checkRanges looks at each value by itself.
func (m *Machine) checkRanges() error {
	for _, f := range fields {
		value := f.value(m)
		if !value.CanInt() || !f.belongs(m) {
			continue
		}
		if v, most := value.Int(), f.most(); v < 0 || v > most {
			return fmt.Errorf("%s is %v; expected 0 to %v", f.key, value, reflect.ValueOf(most).Convert(value.Type()))
		}
	}
	return nil
}

// most returns the largest value of a field.
func (f field) most() int64 {
	switch f.of {
	case reflect.TypeFor[units.Time]():
		return int64(maxTime)
	case reflect.TypeFor[units.Rate]():
		return int64(maxRate)
	case reflect.TypeFor[units.Bytes]():
		return int64(maxBytes)
	}
	return maxInt
}

// checkRings refuses retransmission where nothing keeps packets for it.
func (m *Machine) checkRings() error {
	why := "such interfaces keep no packets to send them again"
	switch {
	case m.Ring.Full != "nack" || models[m.model()].SendsAgain:
		return nil
	case !m.HasNetwork():
		why = "messages are sent once and wait for room"
	}
	return fmt.Errorf("ring.full = \"nack\" collides with %s: %s; expected \"stall\"", m.nameOf(), why)
}

// CheckPositive fails if one of some parameters is 0.
func (m *Machine) CheckPositive(keys ...string) error {
	for _, key := range keys {
		if value := fields[position(key)].value(m); value.IsZero() {
			return fmt.Errorf("%s is %v; expected more than 0", key, value)
		}
	}
	return nil
}

// PacketFlits returns the length of a packet with that much data, at most
// Packet.Payload.
func (m *Machine) PacketFlits(data units.Bytes) int {
	return max(m.Packet.Minimum, m.Packet.Overhead+int((data+m.Link.Flit-1)/m.Link.Flit))
}

// libraryWord is what a library writes to tell the other side of a message how far it is.
const libraryWord units.Bytes = 8

func (m *Machine) checkPackets() error {
	largest := m.PacketFlits(m.Packet.Payload)
	switch {
	case m.PacketFlits(0) == 0:
		return fmt.Errorf("packet.overhead and packet.minimum are both 0: a packet without data would have no flits")
	case m.Packet.Reply > largest:
		return fmt.Errorf("packet.reply of %d flits collides with packet.payload of %v: the largest packet has %d flits", m.Packet.Reply, m.Packet.Payload, largest)
	case m.Software.HasLibrary() && m.NIC.PIOPayload < libraryWord:
		return fmt.Errorf("software.send and software.receive collide with nic.pio_payload of %v: a library writes words of %v by PIO", m.NIC.PIOPayload, libraryWord)
	case m.Software.PIO > m.NIC.PIOPayload:
		return fmt.Errorf("software.pio of %v collides with nic.pio_payload of %v: the processor writes no longer messages", m.Software.PIO, m.NIC.PIOPayload)
	case m.NIC.PIOPayload > m.Packet.Payload:
		return fmt.Errorf("nic.pio_payload of %v collides with packet.payload of %v: a transfer by PIO is one packet", m.NIC.PIOPayload, m.Packet.Payload)
	}
	return nil
}

func (m *Machine) checkChannels() error {
	s := &m.Switch
	perClass := s.VCs
	if s.Engine == "flit" {
		perClass *= max(m.Router.Lanes, 1)
	}
	switch {
	case s.Classes*perClass > maxVCs:
		return fmt.Errorf("switch.classes of %d collides with switch.vcs of %d: %d virtual channels and lanes per link, at most %d", s.Classes, s.VCs, s.Classes*perClass, maxVCs)
	case m.Network.VCs > s.VCs:
		return fmt.Errorf("network.vcs of %d collides with switch.vcs of %d: the routing may use only what the switches have", m.Network.VCs, s.VCs)
	case m.Network.Form == "infiniband" && s.Classes*s.VCs > maxLanes:
		return fmt.Errorf("network.form = \"infiniband\" collides with switch.vcs of %d in %d classes: InfiniBand has %d data virtual lanes", s.VCs, s.Classes, maxLanes)
	}
	return nil
}

// checkBuffers checks that buffers hold what the flow control relies on: with
// cut-through the largest packet, with stop-go what arrives until a stop takes
// effect. The engines check it again with the rates of the links.
func (m *Machine) checkBuffers() error {
	need, why := 1, "a flit"
	if m.cutThrough() {
		need, why = m.PacketFlits(m.Packet.Payload), fmt.Sprintf("packet.payload of %v", m.Packet.Payload)
	}
	if m.Switch.Flow == "stop-go" {
		need += m.stopSlack()
		why += fmt.Sprintf(" and, with switch.flow = \"stop-go\", what link.cable of %v and link.host_cable of %v hold", m.Link.Cable, m.Link.HostCable)
	}
	if have := m.Switch.Buffer / m.Link.Flit; have < units.Bytes(need) {
		return fmt.Errorf("switch.buffer of %v collides with %s: it holds %d flits of %v, %d are needed", m.Switch.Buffer, why, have, m.Link.Flit, need)
	}
	return nil
}

// cutThrough reports whether buffers must hold whole packets.
func (m *Machine) cutThrough() bool {
	return m.Switch.Engine == "packet" || m.Router.Switching != "wormhole"
}

// stopSlack returns how many flits arrive until a stop takes effect: those of a
// cable's round trip.
func (m *Machine) stopSlack() int {
	trip, flit := 2*max(m.Link.Cable, m.Link.HostCable, m.Link.LongCable), m.Link.Rate.Transfer(m.Link.Flit)
	return int((trip + flit - 1) / flit)
}

func (m *Machine) checkRouter() error {
	if m.Switch.Engine != "flit" {
		return nil
	}
	r := &m.Router
	stages := r.RoutingDelay + r.VCAllocDelay + max(r.SwitchAllocDelay, 1) + r.CrossbarDelay
	cycle := m.Link.Rate.Transfer(m.Link.Flit)
	if r.Speedup != 0 {
		if !(r.Speedup >= 1 && r.Speedup <= maxSpeedup) {
			return fmt.Errorf("router.speedup is %g; expected 1 to %d", r.Speedup, maxSpeedup)
		}
		cycle = units.Time(float64(cycle) / r.Speedup)
	}
	switch {
	case m.Link.Speeds:
		return fmt.Errorf("link.speeds = true collides with switch.engine = \"flit\": the flit engine has one clock for all links")
	case units.Time(stages)*cycle > m.Switch.Latency+cycle/2:
		return fmt.Errorf("switch.latency of %v collides with the delays in table router: they add up to %d cycles of %v", m.Switch.Latency, stages, cycle)
	}
	return nil
}
