package card

import (
	"musubi/nic/dimmnet"
	"musubi/sim/engine"
	"musubi/sim/host"
)

// sender is the sending part of cards: Window Controller with Prefetch Unit. It does
// one order after the other.
type sender struct {
	*cards
	jobs    *jobs
	packets *packetPool
	orders  *orders
	swif    *swif
	at      []sending
}

// sending is what the sending part of a card is at.
type sending struct {
	forming
	coming  host.FIFO[order] // on their way to the card
	waiting host.FIFO[order]
	busy    bool
	held    bool // the window of its channel is full
}

// command takes an order that has reached a card.
func (w *sender) command(home uint32) {
	w.queue(int32(home), w.at[home].coming.Pop())
}

// queue lets the sender of a card do an order after those that it has.
func (w *sender) queue(home int32, o order) {
	s := &w.at[home]
	s.waiting.Push(o)
	if !s.busy {
		w.begin(home)
	}
}

// begin starts the next order of a card.
func (w *sender) begin(home int32) {
	s := &w.at[home]
	for s.busy = s.waiting.Len() > 0; s.busy; s.busy = s.waiting.Len() > 0 {
		s.order = s.waiting.Pop()
		if err := w.orders.address(&s.forming); err != nil {
			w.abandon(&s.order, err)
			continue
		}
		s.first = true
		s.cut = dimmnet.NewSegmenter(w.orders.bytesOf(&s.order), int(w.Machine.Packet.Payload))
		w.form(home)
		return
	}
}

// abandon ends an order that cannot be done.
func (w *sender) abandon(o *order, err error) {
	if o.role == fromWindow {
		w.freeWindow(o)
	}
	w.FailOp(o.op, err)
	w.CompleteOp(o.op)
}

// form begins the next packet of an order, unless too many are under way to where it
// goes, or ends the order.
func (w *sender) form(home int32) {
	s := &w.at[home]
	cut := s.cut
	offset, n, flags, ok := cut.Next()
	if !ok {
		w.begin(home)
		return
	}
	if peer := w.orders.peer(&s.order); peer != home && !w.swif.channel(home, peer).out.Ready() {
		s.held = true
		return
	}
	s.cut = cut
	s.offset, s.data, s.flags = offset, n, flags
	at := w.Clock.Now()
	if s.role == fromMemory || s.role == answer {
		at = w.refreshed(at)
	}
	clocks := w.orders.formClocks(&s.forming)
	w.Clock.Push(engine.Event{At: at + w.Card.Clocks(clocks), Kind: evFormed, A: uint32(home)})
	w.tellFormed(&s.forming, clocks)
	s.first = false
}

// resume goes on with an order that has been held.
func (w *sender) resume(home int32) {
	if s := &w.at[home]; s.held {
		s.held = false
		w.form(home)
	}
}

// formed hands a packet to the SWIF and goes on with the next. The SWIF takes it when it has sent the
// packet before.
func (w *sender) formed(home uint32) {
	s := &w.at[home]
	if now, free := w.Clock.Now(), w.swif.at[home].free; free > now && w.orders.peer(&s.order) != int32(home) {
		w.TellTime("wait for SWIF", free-now)
		w.Clock.Push(engine.Event{At: free, Kind: evFormed, A: home})
		return
	}
	if s.role == toMemory {
		w.freeWindow(&s.order)
		w.form(int32(home))
		return
	}
	id := w.packets.take()
	p := w.packets.list[id]
	w.orders.fillPacket(&s.forming, p)
	p.from, p.to = int32(home), w.orders.peer(&s.order)
	if s.role == fromWindow {
		w.freeWindow(&s.order)
	}
	if p.to == p.from {
		w.Clock.Push(engine.Event{At: w.Clock.Now(), Kind: evReceived, A: id})
	} else {
		w.swif.keep(id)
		w.swif.dispatch(id)
	}
	w.form(int32(home))
}

// freeWindow notes that a Write Window has been read out.
func (w *sender) freeWindow(o *order) {
	u := &w.users[o.rank]
	u.regs.SetBusy(o.window, false)
	u.windows.list[o.window].free = w.Clock.Now()
	if u.windows.awaited == o.window {
		r := &w.Ranks[o.rank]
		r.WakeAt(r.Sees())
	}
}
