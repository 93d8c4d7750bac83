package flow

import (
	"musubi/routing"
	"musubi/sim/fabric"
	"musubi/sim/flow/maxmin"
	"musubi/units"
)

var _ fabric.Combiner = (*Fabric)(nil)

// SendCombined implements fabric.Combiner.
func (f *Fabric) SendCombined(c fabric.Combined) uint32 {
	root := c.To[0]
	links := map[int]bool{}
	f.uses = f.uses[:0]
	b := fabric.Bulk{Packet: fabric.Packet{Flits: c.Flits}, Packets: c.Packets, Last: c.Last}
	work := float64(carrying(f.reference, &b))
	var last units.Time
	take := func(l int) units.Time {
		k := &f.links[l]
		if !links[l] {
			links[l] = true
			time := carrying(*k.times, &b)
			f.uses = append(f.uses, maxmin.Use{Resource: int32(l), Cost: float64(time) / work})
			k.busy += time
			k.load.Packets += int64(c.Packets)
			k.load.Flits += int64((c.Packets-1)*c.Flits + c.Last)
			last = max(last, (*k.times)[c.Last])
		}
		return k.delay
	}
	var up, down units.Time
	for _, from := range c.From {
		delay := take(f.injection(way{src: int32(from * f.cfg.Ports)}))
		for _, hop := range f.pathTo(from, root) {
			delay += take(hop.Channel())
		}
		up = max(up, delay)
	}
	for _, to := range c.To {
		delay := take(f.ejection(way{dst: int32(to * f.cfg.Ports)}))
		for _, hop := range f.pathTo(to, root) {
			delay += take(hop.Channel() ^ 1)
		}
		down = max(down, delay)
	}
	return f.sendCombined(c, work, up+down, last)
}

// pathTo returns the links between switches on the way to an end point; none on the way to itself.
func (f *Fabric) pathTo(from, to int) routing.Path {
	if id := f.cfg.Routes.PathID(from, to); from != to && id >= 0 {
		return f.cfg.Routes.PathByID(id)
	}
	return nil
}

// sendCombined enters a flow that uses what f.uses says.
func (f *Fabric) sendCombined(c fabric.Combined, work float64, lag, last units.Time) uint32 {
	id := f.unused
	if id == 0 {
		id = uint32(len(f.packets))
		f.packets = append(f.packets, packet{})
	}
	p, now := &f.packets[id], f.q.Now()
	f.unused = p.next
	f.inNetwork++
	*p = packet{
		way: way{src: int32(c.From[0] * f.cfg.Ports), dst: int32(c.To[0] * f.cfg.Ports)}, tag: c.Tag, queued: now, entered: now,
		packets: int32(c.Packets), flits: int32((c.Packets-1)*c.Flits + c.Last),
	}
	f.traffic.Sent += int64(c.Packets)
	number, m := f.newBulk()
	*m = bulk{packet: id, lag: lag, last: last, left: work, since: now, behind: -1, flow: f.sharing.Add(f.uses)}
	for int(m.flow) >= len(f.of) {
		f.of = append(f.of, 0)
	}
	f.of[m.flow] = number
	f.shareSoon()
	return id
}
