package flow

import "musubi/sim/fabric"

var _ fabric.Signaller = (*Fabric)(nil)

// unnoticed is which part of the latency of a switch a signal occupies a link at most. That is how long it would keep
// another packet waiting.
const unnoticed = 0.01

// mostSignal returns how many flits the longest signal has, by how long links carry packets.
func (f *Fabric) mostSignal() (flits int) {
	for flits = 0; flits < f.cfg.MaxPacket; flits++ {
		for i := range f.links {
			if float64((*f.links[i].times)[flits+1]) > unnoticed*float64(f.cfg.Switch) {
				return flits
			}
		}
	}
	return flits
}

// Signal implements fabric.Signaller. Links do not fail where a device uses it.
func (f *Fabric) Signal(p fabric.Packet) (d fabric.Delivery, sent bool) {
	if p.Flits > f.longestSignal {
		return d, false
	}
	path := f.check(&p)
	w, now, flits := f.wayOf(&p), f.q.Now(), int32(p.Flits)
	d = fabric.Delivery{
		Src: p.Src, Dst: p.Dst, In: p.In, Flits: p.Flits, Class: p.Class, Hops: len(path), Tag: p.Tag,
		Queued: now, Header: now, Tail: max(now, p.Ready),
	}
	source := &f.links[f.injection(w)]
	d.Entered, source.clear = source.pass(flits, &d.Header, &d.Tail)
	for _, hop := range path {
		f.links[hop.Channel()].pass(flits, &d.Header, &d.Tail)
	}
	f.links[f.ejection(w)].pass(flits, &d.Header, &d.Tail)
	f.traffic.Sent++
	f.traffic.Delivered++
	f.released++
	f.traffic.Hops += int64(d.Hops + 1)
	return d, true
}
