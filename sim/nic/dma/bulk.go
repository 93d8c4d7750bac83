package dma

import (
	"musubi/onesided"
	"musubi/rma"
	"musubi/sim/fabric"
	"musubi/sim/host"
	"musubi/units"
)

// bulks are the transfers that the fabric carries as a whole, if it does that. They count as transfers
// of one packet.
type bulks struct {
	*interfaces
	transfers *transfers
	fabric    fabric.Bulker // nil if it carries packets only
}

// bulkFrom is how many packets such a transfer has at least. Shorter ones take no more events if they
// go by packets.
const bulkFrom = 8

// carries reports whether the fabric carries a transfer as a whole. What goes to rings does not: there
// each packet needs a place.
func (b *bulks) carries(t *transfer) bool {
	return b.fabric != nil && t.Action != host.IPush && t.By != rma.BOTF && !b.transfers.loops(t) && b.packets(t) >= bulkFrom
}

// packets returns how many packets a transfer has.
func (b *bulks) packets(t *transfer) int {
	payload := int(b.Machine.Packet.Payload)
	return (t.size + payload - 1) / payload
}

// read reads the first packet of a transfer over the bus. It returns when that begins. For the
// others the fabric shares the bus.
func (b *bulks) read(id uint32) units.Time {
	t, n := b.transfers.At(id), int(b.Machine.Packet.Payload)
	at, ready := b.buses[t.sends()].Read(b.Clock.Now(), n, b.transfers.pieces(id, t.reads(), 0, n))
	t.ready = ready
	return at - b.Machine.Bus.Setup
}

// send hands a transfer to the fabric when its first packet begins to be read. Of the packet the
// lengths are not known yet.
func (b *bulks) send(id uint32, p fabric.Packet) {
	t, m := b.transfers.At(id), b.Machine
	n := b.packets(t)
	p.Flits = m.PacketFlits(m.Packet.Payload)
	p.NotifySent = t.Action == host.Push
	lead, _ := b.pipeline(id)
	b.fabric.SendBulk(fabric.Bulk{
		Packet: p, Packets: n, Last: m.PacketFlits(units.Bytes(b.last(t))), Delay: lead,
		Stages: [2]fabric.Stage{
			{Unit: b.unit(t.sends(), 0), Time: b.onBus(id, t.sends(), t.reads())},
			{Unit: b.unit(t.receives(), 1), Time: b.onBus(id, t.receives(), t.writes())},
		},
	})
}

// last returns how many bytes the last packet of a transfer carries.
func (b *bulks) last(t *transfer) int { return t.size - (b.packets(t)-1)*int(b.Machine.Packet.Payload) }

// pipeline returns how much longer a transfer takes until its last packet has left its source, and from
// the arrival of that until it is written, than if its packets did nothing but pass the slowest of bus,
// link and bus.
func (b *bulks) pipeline(id uint32) (lead, trail units.Time) {
	t, m := b.transfers.At(id), b.Machine
	n, setup := units.Time(b.packets(t)), m.Bus.Setup
	read, write := b.onBus(id, t.sends(), t.reads())/n, b.onBus(id, t.receives(), t.writes())/n
	link := m.Link.Rate.Transfer(units.Bytes(m.PacketFlits(m.Packet.Payload)) * m.Link.Flit)
	slowest := max(read, link, write)
	if m.NIC.Staging != "cut-through" {
		lead = min(read, link) // a packet is on the link after it has been read
		return lead, read + max(link, write) - slowest - lead
	}
	if read <= link {
		lead = setup
	}
	return lead, setup + max(read-setup, link, write) - slowest - lead
}

// onBus returns for how long a transfer occupies the bus of a port.
func (b *bulks) onBus(id uint32, port int32, access *onesided.Layout) units.Time {
	t := b.transfers.At(id)
	return b.buses[port].Takes(t.size, max(b.packets(t), b.transfers.pieces(id, access, 0, t.size)))
}

// unit numbers the buses of all ports for the fabric: those for reads and those for writes, or
// both as one.
func (b *bulks) unit(port int32, direction int) int {
	if b.Machine.Bus.Duplex == "half" {
		direction = 0
	}
	return 2*int(port) + direction
}

// write writes the last packet of a transfer, which has come, over the bus. The others are written. It
// returns when that ends.
func (b *bulks) write(id uint32, arrived units.Time) units.Time {
	t, n := b.transfers.At(id), b.last(b.transfers.At(id))
	bus, pieces := &b.buses[t.receives()], b.transfers.pieces(id, t.writes(), t.size-n, n)
	_, trail := b.pipeline(id)
	_, end := bus.Write(arrived+trail-bus.Takes(n, pieces), n, pieces)
	return end
}

// left lets the pushes behind one go on, as its data has left the interface.
func (b *bulks) left(id uint32, order *pushOrder) {
	if t := b.transfers.At(id); t.bulk && t.Action == host.Push && t.command == nil {
		order.dequeue(t, b.Clock.Now())
	}
}
