package flit

// bids is the state of the crossbar allocator of one switch.
type bids struct {
	list    []bid
	ports   []bidPort
	granted []int32 // output ports that have made a grant
	taken   []int32 // bids accepted
	held    []uint32
	stamp   uint64
}

// bid is the request of an input port to be connected with an output port.
type bid struct {
	lane    uint32
	in, out uint32 // links
	inPort  int32
	outPort int32
}

// bidPort is the state of input port i and of output port i.
type bidPort struct {
	grant      int32 // as an output: the bid that it grants, -1 if none
	accept     int32 // as an input: the bid that it accepts, -1 if none
	matchedIn  bool
	matchedOut bool
	asked      uint64 // stamp of the input port that bids for it
}

func newBids(ports int32) bids {
	b := bids{ports: make([]bidPort, ports)}
	for i := range b.ports {
		b.ports[i] = bidPort{grant: -1, accept: -1}
	}
	return b
}

// allocateCrossbars moves flits of lanes that bid at each switch: at most one from each input port
// and to each output port.
func (f *Fabric) allocateCrossbars() {
	current := int32(-1)
	for w, word := range f.ready.words {
		for ; word != 0; word &= word - 1 {
			link := uint32(w*64) + lowest(word)
			if sw := f.links[link].to; sw != current {
				f.connect()
				current = sw
			}
			f.collect(link)
		}
	}
	f.connect()
}

// collect adds the bids of an input port: for each output port that of the
// virtual channel whose turn it is.
func (f *Fabric) collect(link uint32) {
	l := &f.links[link]
	if l.heldVC != noVC {
		if f.rests(f.lanes[link*f.vcs+uint32(l.heldVC)].out) {
			return
		}
		if l.bidding>>l.heldVC&1 == 1 {
			f.bids.held = append(f.bids.held, link*f.vcs+uint32(l.heldVC))
			return
		}
		if f.cutThrough {
			return
		}
		f.letGo(link)
	}
	f.bids.stamp++
	below := l.bidding & (1<<l.laneTurn - 1)
	for _, part := range [2]uint64{l.bidding &^ below, below} {
		for ; part != 0; part &= part - 1 {
			f.collectLane(l, link, lowest(part))
		}
	}
}

func (f *Fabric) collectLane(l *link, link, vc uint32) {
	lane := link*f.vcs + vc
	out := f.lanes[lane].out
	o := &f.links[out]
	port := &f.bids.ports[o.outPort]
	if port.asked == f.bids.stamp || f.isHeld(o) || f.rests(out) {
		return
	}
	port.asked = f.bids.stamp
	f.bids.list = append(f.bids.list, bid{lane: lane, in: link, out: out, inPort: l.inPort, outPort: o.outPort})
}

// isHeld tells whether a packet holds the crossbar to a link, and takes it away
// from one that cannot go on.
func (f *Fabric) isHeld(o *link) bool {
	if o.heldBy == none {
		return false
	}
	holder := &f.links[o.heldBy]
	if f.cutThrough || holder.bidding>>holder.heldVC&1 == 1 {
		return true
	}
	f.letGo(o.heldBy)
	return false
}

// letGo ends the connection that an input port holds.
func (f *Fabric) letGo(link uint32) {
	in := &f.links[link]
	f.links[f.lanes[link*f.vcs+uint32(in.heldVC)].out].heldBy = none
	in.heldVC = noVC
}

// connect moves flits over the held connections of a switch, and for the others
// matches inputs and outputs by iSLIP.
func (f *Fabric) connect() {
	b := &f.bids
	for _, lane := range b.held {
		f.pass(lane)
	}
	b.held = b.held[:0]
	switch len(b.list) {
	case 0:
		return
	case 1:
		f.accept(&b.list[0], true)
	default:
		for i := 0; i < f.router.Iterations && f.iterate(i == 0); i++ {
		}
	}
	for i := range b.list {
		b.ports[b.list[i].inPort].matchedIn = false
		b.ports[b.list[i].outPort].matchedOut = false
	}
	b.list = b.list[:0]
}

// iterate performs one iteration of iSLIP: each output grants the next input in
// turn, each input accepts the next output in turn. It returns false if nothing
// was left to match.
func (f *Fabric) iterate(first bool) bool {
	b := &f.bids
	f.grantBids()
	b.taken = b.taken[:0]
	for _, port := range b.granted {
		i := b.ports[port].grant
		b.ports[port].grant = -1
		f.offerGrant(i)
	}
	for _, port := range b.taken {
		i := b.ports[port].accept
		b.ports[port].accept = -1
		f.accept(&b.list[i], first)
	}
	return len(b.taken) > 0
}

// grantBids determines for each output port that is not matched yet which bid it
// grants.
func (f *Fabric) grantBids() {
	b := &f.bids
	b.granted = b.granted[:0]
	for i := range b.list {
		r := &b.list[i]
		port := &b.ports[r.outPort]
		if port.matchedOut || b.ports[r.inPort].matchedIn {
			continue
		}
		if port.grant < 0 {
			port.grant = int32(i)
			b.granted = append(b.granted, r.outPort)
			continue
		}
		o := &f.links[r.out]
		n := f.switches[o.from].ports
		if distance(r.inPort, o.grantTurn, n) < distance(b.list[port.grant].inPort, o.grantTurn, n) {
			port.grant = int32(i)
		}
	}
}

// offerGrant tells an input port of a granted bid.
func (f *Fabric) offerGrant(i int32) {
	b := &f.bids
	r := &b.list[i]
	port := &b.ports[r.inPort]
	if port.accept < 0 {
		port.accept = i
		b.taken = append(b.taken, r.inPort)
		return
	}
	in := &f.links[r.in]
	n := f.switches[in.to].ports
	if distance(r.outPort, in.acceptTurn, n) < distance(b.list[port.accept].outPort, in.acceptTurn, n) {
		port.accept = i
	}
}

// accept moves the flit of a bid that has won.
func (f *Fabric) accept(r *bid, first bool) {
	in, out := &f.links[r.in], &f.links[r.out]
	n := f.switches[in.to].ports
	f.bids.ports[r.inPort].matchedIn = true
	f.bids.ports[r.outPort].matchedOut = true
	in.laneTurn = uint8(after(int32(f.lanes[r.lane].vc), int32(f.vcs)))
	if first {
		out.grantTurn = after(r.inPort, n)
		in.acceptTurn = after(r.outPort, n)
	}
	f.pass(r.lane)
}

// pass moves the first flit of a lane through the crossbar and onto its link.
func (f *Fabric) pass(lane uint32) {
	a := &f.lanes[lane]
	if a.outLane == none {
		f.takeAtCrossbar(lane)
	}
	in, out, b := &f.links[a.link], &f.links[a.out], &f.lanes[a.outLane]
	fl := flight{a.outLane, a.packets.front()}
	arrives := f.done + out.fly
	if f.pace != paceless {
		arrives = f.depart(out, arrives)
	}
	if a.fresh {
		a.fresh = false
		f.noteHeader(out, fl.packet, arrives)
		fl.packet |= headerBit
		out.load.Packets++
	}
	a.count--
	a.left--
	b.credits--
	out.load.Flits++
	f.strain(a.out)
	f.tellBusy(a.out)
	f.wheel.addFlit(arrives, fl)
	f.vacate(a, lane, in)
	switch {
	case a.left == 0:
		f.passTail(a, in, out, b)
	case f.router.HoldSwitch:
		in.heldVC, out.heldBy = a.vc, a.link
	}
	f.withdrawIfBlocked(a)
}

// vacate tells the sender of a lane that a flit has left it.
func (f *Fabric) vacate(a *lane, lane uint32, in *link) {
	f.wheel.addCredit(f.creditAt(in, f.done), lane)
	if f.stopGo {
		a.occupied--
		f.askStop(lane, f.done)
	}
}

// passTail releases what the packet held and turns to the next one in the lane.
func (f *Fabric) passTail(a *lane, in, out *link, b *lane) {
	if in.heldVC == a.vc {
		f.letGo(a.link)
	}
	b.owner = none
	out.free |= 1 << b.vc
	if len(out.wait) > 0 {
		f.hot.add(a.out)
	}
	a.outLane, a.state = none, laneIdle
	a.packets.pop()
	if a.packets.size > 0 {
		f.route(a, f.done+1)
	}
}
