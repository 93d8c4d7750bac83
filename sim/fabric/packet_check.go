package fabric

import (
	"fmt"
	"slices"
)

// Stuck implements Fabric.
func (f *PacketFabric) Stuck() *Deadlock {
	if f.inNetwork == 0 {
		return nil
	}
	d := &Deadlock{Net: f.cfg.Net, At: f.q.Now(), Packets: f.inNetwork}
	for _, at := range f.cycle() {
		d.Cycle = append(d.Cycle, f.hold(at))
	}
	return d
}

// cycle returns lanes of which the first packet of each waits for room in the next.
func (f *PacketFabric) cycle() []uint32 {
	const (
		unseen = iota
		onWay
		done
	)
	state := make([]uint8, len(f.lanes))
	var way, from []uint32 // lanes from one to the next, and the packet or copy by which each is left
	for first := range uint32(len(f.lanes)) {
		if state[first] != unseen {
			continue
		}
		state[first] = onWay
		way, from = append(way[:0], first), append(from[:0], f.waiting(first))
		for len(way) > 0 {
			last := len(way) - 1
			id := from[last]
			if id == 0 {
				state[way[last]] = done
				way, from = way[:last], from[:last]
				continue
			}
			from[last] = f.otherCopy(way[last], id)
			if f.packets[id].out >= f.channels {
				continue // for a device
			}
			switch next := f.packets[id].outLane; state[next] {
			case onWay:
				return way[slices.Index(way, next):]
			case unseen:
				state[next] = onWay
				way, from = append(way, next), append(from, f.waiting(next))
			}
		}
	}
	return nil
}

// waiting returns the first packet of a lane, or the first of its copies, 0 if there
// is none.
func (f *PacketFabric) waiting(at uint32) uint32 {
	head := f.lanes[at].head
	if f.packets[head].out == several {
		return f.packets[head].outLane
	}
	return head
}

// otherCopy returns the copy after one that waits at the head of a lane, 0 if there is
// none.
func (f *PacketFabric) otherCopy(at, id uint32) uint32 {
	if f.lanes[at].head == id {
		return 0
	}
	return f.packets[id].next
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
