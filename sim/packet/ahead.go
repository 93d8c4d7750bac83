package packet

import (
	"math/bits"
	"unsafe"

	"musubi/internal/prefetch"
	"musubi/sim/engine"
	"musubi/sim/fabric"
)

// How many events ahead memory is asked for: first what an event names, a packet or a link; then, as the packet knows where it
// goes and the link who wants it, links and buffers; for a link then the packet that waits there, and last the buffer that this goes
// to. An event takes about a tenth of a microsecond, as memory does that is not in a cache.
const (
	packetAhead = 8
	hopAhead    = 4
	headAhead   = 2
	roomAhead   = 1
	packetLines = unsafe.Sizeof(packet{}) / prefetch.LineBytes
	pathLines   = 2
)

// How many links and buffers, at a line of the cache each, do not fit in the nearest caches of a processor, and in none: then more is
// asked for, which takes longer than to wait for what is in a farther cache.
const (
	largeState = 4096
	hugeState  = 1 << 16
)

// prefetch brings to the processor's cache what packets need that will be routed soon.
func (f *Fabric) prefetch() {
	if ev := f.q.Ahead(packetAhead); ev != nil && (ev.Kind == evReady || ev.Kind == fabric.Delivered) {
		f.prefetchPacket(ev.A)
	}
	if ev := f.q.Ahead(hopAhead); ev != nil && ev.Kind == evReady {
		p := &f.packets[ev.A]
		if p.way == unread {
			f.read(p)
		}
		f.prefetchHop(p)
	}
	if f.isHuge {
		f.prefetchOthers()
	}
}

// prefetchOthers is prefetch for the other events.
func (f *Fabric) prefetchOthers() {
	if ev := f.q.Ahead(packetAhead); ev != nil {
		switch ev.Kind {
		case fabric.Sent:
			f.prefetchPacket(ev.A)
		case evTail:
			f.prefetchLink(ev.A)
			f.prefetchPort(ev.B)
		case evWake:
			f.prefetchLink(ev.A)
		}
	}
	if at, ok := f.firstWaiting(f.q.Ahead(hopAhead)); ok {
		f.prefetchLane(at)
		f.prefetchPort(f.linkOf(at))
	}
	if at, ok := f.firstWaiting(f.q.Ahead(headAhead)); ok {
		f.prefetchPacket(f.lanes[at].head)
	}
	if at, ok := f.firstWaiting(f.q.Ahead(roomAhead)); ok {
		f.prefetchLane(f.packets[f.lanes[at].head].outLane)
	}
}

// firstWaiting returns the lane whose packet is the first to be offered a link at an event, unless that takes long to find.
func (f *Fabric) firstWaiting(ev *engine.Event) (lane uint32, ok bool) {
	if ev == nil || ev.Kind != evTail && ev.Kind != evWake {
		return 0, false
	}
	l := &f.links[ev.A]
	if l.requests == 0 || l.isWide {
		return 0, false
	}
	bit := (l.turn + uint32(bits.TrailingZeros64(bits.RotateLeft64(l.requests, -int(l.turn))))) % 64
	return f.laneOf(f.inputs[f.nodes[l.node].inputs+f.linkOf(bit)], f.vcOf(bit)), true
}

func (f *Fabric) prefetchPacket(id uint32) {
	prefetch.Lines(uintptr(unsafe.Pointer(&f.packets[id])), int(packetLines))
}

func (f *Fabric) prefetchLink(out uint32) { prefetch.Lines(uintptr(unsafe.Pointer(&f.links[out])), 1) }
func (f *Fabric) prefetchPort(in uint32)  { prefetch.Lines(uintptr(unsafe.Pointer(&f.ports[in])), 1) }
func (f *Fabric) prefetchLane(at uint32)  { prefetch.Lines(uintptr(unsafe.Pointer(&f.lanes[at])), 1) }

// prefetchPath brings the begin of the path of a packet to the processor's cache.
func (f *Fabric) prefetchPath(p *packet) {
	if len(p.path) > 0 {
		prefetch.Lines(uintptr(unsafe.Pointer(&p.path[0])), pathLines)
	}
}

// read aims a packet at its next link, now that its path is in the cache.
func (f *Fabric) read(p *packet) {
	p.way = forth
	f.aim(p)
}

// prefetchHop brings to the processor's cache what a packet needs that will be routed soon, if it has been aimed.
func (f *Fabric) prefetchHop(p *packet) {
	if p.way != forth {
		return
	}
	link := unsafe.Pointer(&f.links[p.out])
	ahead := link // nothing else
	if next := int(p.pos) + 1; next < len(p.path) {
		ahead = unsafe.Pointer(&p.path[next])
	}
	prefetch.Each(uintptr(link), uintptr(unsafe.Pointer(&f.lanes[p.outLane])), uintptr(unsafe.Pointer(&f.lanes[p.lane])),
		uintptr(unsafe.Pointer(&f.ports[f.linkOf(p.lane)])), uintptr(ahead))
}

var (
	_ fabric.Prefetcher = (*Fabric)(nil)
	_ fabric.Tagger     = (*Fabric)(nil)
)

// PrefetchSend implements fabric.Prefetcher.
func (f *Fabric) PrefetchSend(src, out, dst, class int) {
	if !f.isLarge || f.choice.scheme != nil {
		return
	}
	port, base := src*f.cfg.Ports+out, uint32(class*f.cfg.VCs)
	source := f.channels + 2*uint32(len(f.cfg.Net.EndPoints)*f.cfg.Ports) + uint32(port)
	link := f.channels + 2*uint32(port)
	prefetch.Each(uintptr(unsafe.Pointer(&f.ports[source])), uintptr(unsafe.Pointer(&f.lanes[f.laneOf(source, base)])),
		uintptr(unsafe.Pointer(&f.links[link])), uintptr(unsafe.Pointer(&f.lanes[f.laneOf(link, base)])), uintptr(unsafe.Pointer(&f.packets[f.unused])))
	f.cfg.Routes.Prefetch(src, dst)
}

// PrefetchPacket implements fabric.Prefetcher.
func (f *Fabric) PrefetchPacket(id uint32) {
	if f.isHuge {
		f.prefetchPacket(id)
	}
}

// PrefetchRelease implements fabric.Prefetcher.
func (f *Fabric) PrefetchRelease(id uint32) {
	if f.isHuge {
		f.prefetchLane(f.packets[id].lane)
	}
}
