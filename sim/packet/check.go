package packet

import (
	"fmt"
	"slices"

	"musubi/sim/fabric"
)

// Stuck implements Fabric.
func (f *Fabric) Stuck() *fabric.Deadlock {
	if f.inNetwork == 0 {
		return nil
	}
	d := &fabric.Deadlock{Net: f.cfg.Net, At: f.q.Now(), Packets: f.inNetwork}
	for _, at := range f.cycle() {
		d.Cycle = append(d.Cycle, f.hold(at))
	}
	return d
}

// cycle returns lanes of which the first packet of each waits for room in the next;
// nil if there are none.
func (f *Fabric) cycle() []uint32 {
	s := search{f: f, seen: make([]bool, len(f.lanes)), left: make([]bool, len(f.lanes))}
	for first := range uint32(len(f.lanes)) {
		if !s.seen[first] && s.visit(first) {
			return s.way
		}
	}
	return nil
}

// search is a depth-first search for a cycle of lanes that wait for each other.
type search struct {
	f          *Fabric
	seen, left []bool   // lanes that have been visited, and of them those that lead to no cycle
	way        []uint32 // lanes from the first to where the search is
}

// visit tells whether a lane leads to a cycle, and leaves that as the way.
func (s *search) visit(at uint32) bool {
	s.seen[at] = true
	s.way = append(s.way, at)
	for id := s.f.waiting(at); id != 0; id = s.f.otherCopy(at, id) {
		p := &s.f.packets[id]
		switch next := p.outLane; {
		case p.out >= s.f.channels: // for a device
		case !s.seen[next]:
			if s.visit(next) {
				return true
			}
		case !s.left[next]:
			s.way = s.way[slices.Index(s.way, next):]
			return true
		}
	}
	s.left[at] = true
	s.way = s.way[:len(s.way)-1]
	return false
}

// waiting returns the first packet of a lane, or the first of its copies, 0 if there
// is none.
func (f *Fabric) waiting(at uint32) uint32 {
	head := f.lanes[at].head
	if f.packets[head].out == several {
		return f.packets[head].outLane
	}
	return head
}

// otherCopy returns the copy after one that waits at the head of a lane, 0 if there is
// none.
func (f *Fabric) otherCopy(at, id uint32) uint32 {
	if f.lanes[at].head == id {
		return 0
	}
	return f.packets[id].next
}

// hold describes a lane for a Deadlock.
func (f *Fabric) hold(at uint32) fabric.Hold {
	l := &f.lanes[at]
	h := fabric.Hold{Channel: int(f.linkOf(at)), VC: int(f.vcOf(at)), Src: int(f.packets[l.head].src) / f.cfg.Ports, Dst: int(f.packets[l.head].dst) / f.cfg.Ports}
	for id := l.head; id != 0; id = f.packets[id].next {
		h.Packets++
	}
	return h
}

// Conserved implements Fabric.
func (f *Fabric) Conserved() error {
	if t := f.traffic; t.Sent != t.Delivered+t.Combined+t.Lost || t.Delivered != f.released || f.inNetwork != 0 {
		return fmt.Errorf("fabric: %d packets sent, %d delivered, %d combined with others, %d lost, %d released, %d in the network; expected as many delivered, combined or lost as sent, all of those delivered released, and none left", t.Sent, t.Delivered, t.Combined, t.Lost, f.released, f.inNetwork)
	}
	for i := range f.lanes {
		l := &f.lanes[i]
		room := l.room
		for d := l.drains.oldest(); d != nil; d = f.after(d) {
			room += d.flits
		}
		if room != f.cap || l.head != 0 {
			return fmt.Errorf("fabric: link %d virtual channel %d has %d flits of room at the end; expected %d", f.linkOf(uint32(i)), f.vcOf(uint32(i)), room, f.cap)
		}
	}
	return nil
}

var (
	_ fabric.Multicaster = (*Fabric)(nil)
	_ fabric.Breakable   = (*Fabric)(nil)
)
