package flit

import "musubi/sim/fabric"
import "fmt"

// Stuck implements Fabric. The virtual channels in the cycle are physical ones,
// Router.Lanes per virtual channel of the routes.
func (f *Fabric) Stuck() *fabric.Deadlock {
	if f.inNetwork == 0 {
		return nil
	}
	d := &fabric.Deadlock{Net: f.cfg.Net, At: f.q.Now(), Packets: f.inNetwork}
	free := f.escaping()
	seen := make([]bool, len(f.lanes))
	for first := range f.lanes {
		if free[first] {
			continue
		}
		at := uint32(first)
		for !seen[at] {
			seen[at] = true
			at = f.awaited(at, free)
		}
		for end := at; ; {
			d.Cycle = append(d.Cycle, f.hold(at))
			if at = f.awaited(at, free); at == end {
				return d
			}
		}
	}
	return d
}

// escaping returns, for each lane, whether its first packet could go on if all end points took the
// packets delivered to them.
func (f *Fabric) escaping() []bool {
	free := make([]bool, len(f.lanes))
	for i := range f.lanes {
		free[i] = f.links[f.lanes[i].link].to < 0 || f.lanes[i].packets.size == 0
	}
	for changed := true; changed; {
		changed = false
		for i := range f.lanes {
			if !free[i] && f.awaited(uint32(i), free) == none {
				free[i], changed = true, true
			}
		}
	}
	return free
}

// awaited returns a lane that the first packet of a lane waits for and that is
// not free, or none if there is a free one among those that it may take.
func (f *Fabric) awaited(lane uint32, free []bool) uint32 {
	a := &f.lanes[lane]
	if a.outLane != none {
		if free[a.outLane] {
			return none
		}
		return a.outLane
	}
	found := none
	for rest := a.wants; rest != 0; rest &= rest - 1 {
		next := a.out*f.vcs + lowest(rest)
		if free[next] {
			return none
		}
		if found == none {
			found = next
		}
	}
	return found
}

// hold describes a lane for a Deadlock.
func (f *Fabric) hold(lane uint32) fabric.Hold {
	a := &f.lanes[lane]
	p := &f.packets[a.packets.front()]
	h := fabric.Hold{VC: int(a.vc), Packets: int(a.packets.size), Src: int(p.src), Dst: int(p.dst)}
	for c, l := range f.channelLink {
		if l == a.link {
			h.Channel = c
		}
	}
	return h
}

// Conserved implements Fabric.
func (f *Fabric) Conserved() error {
	if f.traffic.Sent != f.traffic.Delivered+f.traffic.Lost || f.traffic.Delivered != f.released || f.inNetwork != 0 {
		return fmt.Errorf("fabric: %d packets sent, %d lost, %d delivered, %d released, %d in the network; expected all delivered and released, and none left", f.traffic.Sent, f.traffic.Lost, f.traffic.Delivered, f.released, f.inNetwork)
	}
	room := make([]int32, len(f.lanes))
	for i := range f.wheel.slots {
		for _, lane := range f.wheel.slots[i].credits {
			room[lane]++
		}
	}
	for i := range f.lanes {
		b := &f.lanes[i]
		room[i] += b.credits
		if room[i] != f.cap || b.count != 0 || b.packets.size != 0 || f.links[b.link].free>>b.vc&1 == 0 {
			return fmt.Errorf("fabric: link %d virtual channel %d has %d flits of room and holds %d packets at the end; expected %d and none", b.link, b.vc, room[i], b.packets.size, f.cap)
		}
	}
	return nil
}
