package flow

import (
	"math"
	"slices"

	"musubi/routing"
	"musubi/routing/adaptive"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/units"
)

var _ fabric.BreakableFlows = (*Fabric)(nil)

// breakage is what failures do to a message.
type breakage struct {
	combined bool       // it waits for links, and loses nothing
	broken   int32      // position among the links of a message of the one that takes what comes, and loses it; none
	brokenAt units.Time // since when
	arrived  int        // packets that had passed that link
	lost     int        // packets of a message that has left its source; or that Lost has come up for
}

// breaking is what the engine keeps where links may fail.
type breaking struct {
	down    []bool          // by link
	passing [][]crossing    // by link: single packets that are on it, or were a short time ago
	whole   []*[]units.Time // by link: times with all of its rate
}

func newBreaking(f *Fabric) *breaking {
	b := &breaking{down: make([]bool, len(f.links)), passing: make([][]crossing, len(f.links))}
	for i := range f.links {
		b.whole = append(b.whole, f.links[i].times)
	}
	return b
}

// fails tells whether a link has failed.
func (f *Fabric) fails(link int) bool { return f.breaking != nil && f.breaking.down[link] }

// firstDown returns the position of the first link of a message that has failed, none if all work.
func (f *Fabric) firstDown(b *bulk) int32 {
	if f.breaking == nil || b.combined {
		return none
	}
	return int32(slices.IndexFunc(b.links, func(l int32) bool { return f.breaking.down[l] }))
}

// Fail implements fabric.Breakable.
func (f *Fabric) Fail(link int) {
	f.breaking.down[link] = true
	f.spoilOn(link)
	f.eachOn(link, func(number uint32, b *bulk, at int) {
		switch {
		case b.combined:
			f.pause(b)
		case b.flow == none:
			f.spoilTail(b, at)
		case b.broken < 0 || at < int(b.broken):
			f.interrupt(number, b, at)
		}
	})
}

// Heal implements fabric.Breakable.
func (f *Fabric) Heal(link int) {
	f.breaking.down[link] = false
	f.eachOn(link, func(number uint32, b *bulk, at int) {
		switch {
		case b.combined:
			f.resume(number, b)
		case b.flow != none && at == int(b.broken):
			f.giveUp(b)
		}
	})
}

// Degrade implements fabric.Breakable.
func (f *Fabric) Degrade(link int, share float64) {
	whole := f.breaking.whole[link]
	times := make([]units.Time, len(*whole))
	for flits, t := range *whole {
		times[flits] = units.Time(math.Ceil(float64(t) / share))
	}
	old := f.links[link].times
	f.eachOn(link, func(number uint32, b *bulk, at int) {
		if b.flow == none {
			return
		}
		f.progress(b)
		f.leave(b)
		waits := f.waiting(b)
		f.links[link].times = old
		f.account(b.links[at:at+1], &b.Bulk, waits, -1)
		f.links[link].times = &times
		f.account(b.links[at:at+1], &b.Bulk, waits, 1)
		f.enter(number, b)
	})
	f.links[link].times = &times
}

// Reroute implements fabric.Breakable. Messages take their new routes from now on with what has not left
// their sources.
func (f *Fabric) Reroute(routes *routing.Routes, choice adaptive.Scheme) {
	if choice != nil {
		panic("flow: packets that choose; expected routes")
	}
	f.cfg.Routes = routes
	clear(f.kept)
	for number := range f.bulks {
		b := &f.bulks[number]
		if b.flow == none || b.combined {
			continue
		}
		if b.broken >= 0 {
			f.giveUp(b)
			continue
		}
		f.turnTo(uint32(number), b)
	}
}

// turnTo lets a message take the path that routes have now, if that is another one.
func (f *Fabric) turnTo(number uint32, b *bulk) {
	p := &f.packets[b.packet]
	path, ok := f.path(b.Src, b.Dst)
	if !ok {
		return // it goes on until a link fails
	}
	if slices.EqualFunc(path, b.links[1:len(b.links)-1], func(h routing.Hop, l int32) bool { return h.Channel() == int(l) }) {
		return
	}
	f.progress(b)
	waits := f.waiting(b)
	if waits == 0 {
		return // its last packet is on the old path
	}
	f.leave(b)
	f.account(b.links, &b.Bulk, waits, -1)
	f.follow(b, p.way, path)
	f.account(b.links, &b.Bulk, waits, 1)
	p.hops = int32(len(path))
	b.broken, b.brokenAt, b.arrived = f.firstDown(b), f.q.Now(), b.Packets-waits
	f.enter(number, b)
}

// Flush implements fabric.Breakable.
func (f *Fabric) Flush() {
	for link := range f.links[:f.channels] {
		f.spoilOn(link)
	}
	for number := range f.bulks {
		switch b := &f.bulks[number]; {
		case b.combined || len(b.links) < 3 || b.broken >= 0:
		case b.flow != none:
			f.interrupt(uint32(number), b, len(b.links)-2)
		default:
			f.spoilTail(b, len(b.links)-2)
		}
	}
}

// eachOn calls a function for each message on its way that takes a link, with the position of that.
func (f *Fabric) eachOn(link int, visit func(number uint32, b *bulk, at int)) {
	for number := range f.bulks {
		b := &f.bulks[number]
		if at := slices.Index(b.links, int32(link)); at >= 0 {
			visit(uint32(number), b, at)
		}
	}
}

// waiting returns how many packets of a message have not begun to leave their source.
func (f *Fabric) waiting(b *bulk) int {
	return min(int(b.left/b.whole*float64(b.Packets)), b.Packets)
}

// upTo returns how long a packet takes from the progress of its message to the end of a link.
func (f *Fabric) upTo(b *bulk, at int) units.Time {
	t := b.Delay
	for _, l := range b.links[:at+1] {
		t += f.links[l].delay
	}
	if at < len(b.links)-1 {
		t -= f.cfg.Switch
	}
	return t
}

// interrupt lets a message go on into a link that has failed, where it loses what comes.
func (f *Fabric) interrupt(number uint32, b *bulk, at int) {
	f.progress(b)
	f.leave(b)
	onTheWay := b.rate * float64(f.upTo(b, at))
	arrived := int((1 - (b.left+onTheWay)/b.whole) * float64(b.Packets))
	if b.broken < 0 {
		b.brokenAt = f.q.Now()
		b.arrived = min(max(b.arrived, arrived), b.Packets-1) // the last has not left
	}
	b.broken = int32(at)
	f.enter(number, b)
}

// giveUp ends a message that has a link before it that has failed. What has not arrived goes again.
func (f *Fabric) giveUp(b *bulk) {
	f.progress(b)
	f.leave(b)
	f.lose(b, b.Packets-b.arrived-f.waiting(b), f.q.Now())
}

// lose has Lost come up for a message, so many of whose packets are lost.
func (f *Fabric) lose(b *bulk, lost int, at units.Time) {
	p := &f.packets[b.packet]
	waits := b.Packets - b.arrived - lost
	f.account(b.links[:b.broken], &b.Bulk, waits, -1)
	f.account(b.links[b.broken:], &b.Bulk, waits+lost, -1)
	f.traffic.Sent -= int64(waits)
	f.traffic.Lost += int64(lost)
	f.traffic.Delivered += int64(b.arrived)
	f.traffic.Hops += int64(b.arrived) * int64(p.hops+1)
	f.released += int64(b.arrived)
	b.lost, b.links = lost, b.links[:0]
	f.q.Push(engine.Event{At: at, Kind: fabric.Lost, A: b.packet})
}

// spoilTail lets a message that has left its source lose what has not come to the end of a link.
func (f *Fabric) spoilTail(b *bulk, at int) {
	late := b.due + f.upTo(b, at) - f.q.Now()
	if late <= 0 {
		return
	}
	lost := min(max(int(math.Ceil(b.rate*float64(late)/b.whole*float64(b.Packets))), 1), b.Packets)
	if b.lost == 0 {
		b.broken, b.brokenAt = int32(at), f.q.Now()
	}
	b.lost = max(b.lost, lost)
}

// Loss implements fabric.BreakableFlows.
func (f *Fabric) Loss(id uint32) fabric.Loss {
	p := &f.packets[id]
	b := &f.bulks[p.bulk]
	l := fabric.Loss{Packets: b.lost, Left: b.Packets - b.arrived, Since: b.brokenAt}
	f.freeBulk(p.bulk)
	f.retire(id)
	return l
}

// crossing is a single packet on a link.
type crossing struct {
	packet uint32
	tail   units.Time // at the end of the link
}

// note records that a single packet starts on a link, and forgets those that have passed.
func (f *Fabric) note(link int, p crossing) {
	list := f.breaking.passing[link]
	over := 0
	for over < len(list) && list[over].tail < f.q.Now() {
		over++
	}
	f.breaking.passing[link] = append(list[:copy(list, list[over:])], p)
}

// spoilOn loses the single packets on a link.
func (f *Fabric) spoilOn(link int) {
	for _, on := range f.breaking.passing[link] {
		if on.tail > f.q.Now() {
			f.packets[on.packet].spoilt = true
		}
	}
}

// discard has Lost come up for a single packet as soon as its tail is where it is lost.
func (f *Fabric) discard(id uint32) {
	f.q.Push(engine.Event{At: max(f.q.Now(), f.packets[id].tailAt), Kind: fabric.Lost, A: id})
}

// spoilt turns the arrival of what has been lost on the way into its loss, and tells whether it was.
func (f *Fabric) spoilt(id uint32) bool {
	p := &f.packets[id]
	if p.packets == 0 {
		if p.spoilt {
			f.discard(id)
		}
		return p.spoilt
	}
	b := &f.bulks[p.bulk]
	if b.lost == 0 {
		return false
	}
	b.arrived = b.Packets - b.lost
	f.lose(b, b.lost, f.q.Now())
	return true
}

// lost frees the number of a single packet that is lost.
func (f *Fabric) lost(id uint32) {
	if f.packets[id].packets == 0 {
		f.traffic.Lost++
		f.retire(id)
	}
}

// pause lets a combined message wait for a link.
func (f *Fabric) pause(b *bulk) {
	if b.flow != none {
		f.progress(b)
		f.leave(b)
	}
}

// resume lets a combined message go on, if all of its links work.
func (f *Fabric) resume(number uint32, b *bulk) {
	down := func(l int32) bool { return f.fails(int(l)) }
	if b.flow == none && b.left > 0 && !slices.ContainsFunc(b.links, down) {
		f.enter(number, b)
	}
}
