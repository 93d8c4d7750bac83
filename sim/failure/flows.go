package failure

import (
	"musubi/sim/fabric"
	"musubi/units"
)

// Flows is a Fabric that carries long messages as a whole.
type Flows struct{ *Fabric }

var (
	_ fabric.Bulker   = Flows{}
	_ fabric.Combiner = Flows{}
)

// long is a long message.
type long struct {
	fabric.Bulk          // of its packets, those that have to arrive still
	packets, flits int   // of all
	lost           int64 // packets, the last time
}

// SendBulk implements fabric.Bulker.
func (x Flows) SendBulk(b fabric.Bulk) uint32 {
	return x.send(entry{packet: b.Packet, bulk: &long{Bulk: b, packets: b.Packets, flits: (b.Packets-1)*b.Flits + b.Last}})
}

// SendCombined implements fabric.Combiner. It ends the run if an end point cannot be reached.
func (x Flows) SendCombined(c fabric.Combined) uint32 {
	for _, ends := range [][]int{c.From, c.To} {
		for _, e := range ends {
			if e != c.To[0] && !x.reachable(e, c.To[0]) {
				return 0
			}
		}
	}
	return x.Breakable.(fabric.Combiner).SendCombined(c)
}

// handOver hands a packet, or what is left of a long message, to the network.
func (x *Fabric) handOver(p fabric.Packet, b *long) uint32 {
	if b == nil {
		return x.Breakable.Send(p)
	}
	b.Packet = p
	return x.Breakable.(fabric.Bulker).SendBulk(b.Bulk)
}

// lost returns how many packets were lost the last time.
func (e *entry) lost() int64 {
	if e.bulk != nil {
		return e.bulk.lost
	}
	return 1
}

// lose notes what a long message has lost, and returns when it goes on: at once if packets wait at its source,
// else when the first of those that are lost goes again.
func (x *Fabric) lose(e *entry) units.Time {
	loss := x.Breakable.(fabric.BreakableFlows).Loss(e.inner)
	e.bulk.lost, e.bulk.Packets = int64(loss.Packets), loss.Left
	if loss.Left > loss.Packets {
		return x.q.Now()
	}
	return loss.Since + x.cfg.Timeout
}
