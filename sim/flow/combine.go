package flow

import (
	"musubi/routing"
	"musubi/sim/fabric"
	"musubi/units"
)

var _ fabric.Combiner = (*Fabric)(nil)

// SendCombined implements fabric.Combiner.
func (f *Fabric) SendCombined(c fabric.Combined) uint32 {
	root := c.To[0]
	id, m := f.newCombined(c)
	taken := map[int]bool{}
	take := func(l int) units.Time {
		if !taken[l] {
			taken[l] = true
			m.links = append(m.links, int32(l))
		}
		return f.links[l].delay
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
	m.lag = up + down
	f.account(m.links, &m.Bulk, c.Packets, 1)
	f.resume(f.packets[id].bulk, m)
	return id
}

// pathTo returns the links between switches on the way to an end point; none on the way to itself.
func (f *Fabric) pathTo(from, to int) routing.Path {
	if id := f.cfg.Routes.PathID(from, to); from != to && id >= 0 {
		return f.cfg.Routes.PathByID(id)
	}
	return nil
}

// newCombined gives a message that switches combine its number and its place.
func (f *Fabric) newCombined(c fabric.Combined) (uint32, *bulk) {
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
	m := f.newBulk(id, p, fabric.Bulk{Packet: fabric.Packet{Flits: c.Flits}, Packets: c.Packets, Last: c.Last})
	m.combined = true
	return id, m
}
