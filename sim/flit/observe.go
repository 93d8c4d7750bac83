package flit

import "musubi/sim/fabric"

// findPositions notes where in Busy each link is, if somebody is told what links carry.
func (f *Fabric) findPositions() {
	if f.cfg.Observer == nil {
		return
	}
	f.positions = make([]int32, len(f.links))
	for c, l := range f.channelLink {
		if l != none {
			f.positions[l] = int32(c)
		}
	}
	for e := range f.injection {
		f.positions[f.injection[e]] = int32(fabric.InjectionLink(f.cfg.Net, e))
		f.positions[f.ejection[e]] = int32(fabric.EjectionLink(f.cfg.Net, e))
	}
}

// tellBusy tells that a flit starts on a link, which takes it for the present cycle.
func (f *Fabric) tellBusy(link uint32) {
	if f.positions == nil {
		return
	}
	from, to := f.clock.time(f.done), f.clock.time(f.done+1)
	f.cfg.Observer.Busy(int(f.positions[link]), from, to, to-from)
}
