package packet

import (
	"unsafe"

	"musubi/internal/prefetch"
	"musubi/sim/fabric"
)

// How many events ahead memory is asked for: first that of a packet, then, as the packet knows where it goes, that of
// links and buffers. An event takes about a tenth of a microsecond, as memory does that is not in a cache.
const (
	packetAhead = 8
	hopAhead    = 4
	packetLines = unsafe.Sizeof(packet{}) / prefetch.LineBytes
	pathLines   = 2
)

// largeState is how many links and buffers do not fit in the caches of a processor, at a line of the cache each.
const largeState = 4096

// prefetch brings to the processor's cache what packets need that will be routed soon.
func (f *Fabric) prefetch() {
	if ev := f.q.Ahead(packetAhead); ev != nil && (ev.Kind == evReady || ev.Kind == fabric.Delivered) {
		prefetch.Lines(uintptr(unsafe.Pointer(&f.packets[ev.A])), int(packetLines))
	}
	if ev := f.q.Ahead(hopAhead); ev != nil && ev.Kind == evReady {
		p := &f.packets[ev.A]
		if p.way == unread {
			f.read(p)
		}
		f.prefetchHop(p)
	}
}

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
