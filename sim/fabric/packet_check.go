package fabric

import "fmt"

// Stuck implements Fabric.
func (f *PacketFabric) Stuck() *Deadlock {
	if f.inNetwork == 0 {
		return nil
	}
	d := &Deadlock{Net: f.cfg.Net, At: f.q.Now(), Packets: f.inNetwork}
	follow := func(at uint32) (uint32, bool) { // the lane that the first packet of a lane waits for
		head := f.lanes[at].head
		if head == 0 || f.packets[head].out >= f.channels {
			return 0, false
		}
		return f.packets[head].outLane, true
	}
	seen := make([]uint32, len(f.lanes)) // by which walk, 0: never
	for first := range uint32(len(f.lanes)) {
		at, ok := first, true
		for ok && seen[at] == 0 {
			seen[at] = first + 1
			at, ok = follow(at)
		}
		if !ok || seen[at] != first+1 {
			continue
		}
		for end := at; ; {
			d.Cycle = append(d.Cycle, f.hold(at))
			if at, _ = follow(at); at == end {
				return d
			}
		}
	}
	return d
}

// hold describes a lane for a Deadlock.
func (f *PacketFabric) hold(at uint32) Hold {
	l := &f.lanes[at]
	h := Hold{Channel: int(at >> f.shift), VC: int(at & (1<<f.shift - 1)), Src: int(f.packets[l.head].src) / f.cfg.Ports, Dst: int(f.packets[l.head].dst) / f.cfg.Ports}
	for id := l.head; id != 0; id = f.packets[id].next {
		h.Packets++
	}
	return h
}

// Conserved implements Fabric.
func (f *PacketFabric) Conserved() error {
	if t := f.traffic; t.Sent != t.Delivered+t.Combined || t.Delivered != f.released || f.inNetwork != 0 {
		return fmt.Errorf("fabric: %d packets sent, %d delivered, %d combined with others, %d released, %d in the network; expected as many delivered or combined as sent, all of the former released, and none left", t.Sent, t.Delivered, t.Combined, f.released, f.inNetwork)
	}
	for i := range f.lanes {
		l := &f.lanes[i]
		room := l.room
		for d := l.drain; d != 0; d = f.drains[d].next {
			room += f.drains[d].flits
		}
		if room != f.cap || l.head != 0 {
			return fmt.Errorf("fabric: link %d virtual channel %d has %d flits of room at the end; expected %d", i>>f.shift, i&(1<<f.shift-1), room, f.cap)
		}
	}
	return nil
}

var _ Fabric = (*PacketFabric)(nil)
