package card

import (
	"fmt"

	"musubi/nic/dimmnet"
	"musubi/nic/ring"
	"musubi/onesided"
	"musubi/rma"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/sim/host"
	"musubi/sim/machine"
	"musubi/units"
)

// windows is the model of network interfaces that are cards in a memory slot, such
// as DIMMnet-2. The host reaches small windows of the card and, by commands, the
// card's own memory, in which exposed memory and receive rings lie. What a packet
// carries is encoded as on the wire; packages dimmnet and ring have the mechanisms, the machine file
// the clocks of each step. A part has what all cards have of it, and knows only parts above it
// in the list:
//
//	cards      what ranks have of their cards, and memory              cards.go, memory.go, cache.go
//	jobs       operations                                              jobs.go
//	orders     what orders to a card name, and packets made of that    orders.go, packet.go
//	swif       keeps each packet until it is acknowledged, sends it    swif.go
//	           again if need be, takes packets in order
//	sender     Window Controller and Prefetch Unit: one packet after   send.go
//	           the other
//	matchings  messages that cards match with posted receives          match.go, matcher.go
//	receiver   Receive Controller: one packet after the other to a     receive.go
//	           window, to memory or to a ring; the Status Write Unit
//	           meanwhile tells of the packet before
//	processor  the host writes header and data to a Write Window,      processor.go, read.go
//	           then a command (BOTF), or a command that names data in
//	           the card's memory (PUSH, IPUSH, PULL); it polls the
//	           status ring, and copies
type windows struct {
	*cards
	jobs      jobs
	packets   packetPool
	orders    orders
	swif      swif
	sender    sender
	matchings matchings
	receiver  receiver
	processor processor
}

var Entry = host.Entry{
	Model:  machine.Model{Name: "windows", Section: func() machine.Section { return &Section{} }, SendsAgain: true},
	Traits: traits, New: newWindows,
}

func traits(m *machine.Machine) host.Traits {
	s := sectionOf(m)
	return host.Traits{
		LoopsBack: true, RanksPerHost: s.Card.Processes, Limit: "card.processes", Processes: s.Card.Processes, MaxRanks: host.MaxSenders, CheckRings: func(cfg ring.Config) error { return checkLLCM(&s.Card, &cfg) },
		BOTF:    m.Packet.Payload, // a window holds a packet
		Windows: s.Card.WriteWindows, Cache: s.Processor.Cache, Stages: true,
	}
}

// checkLLCM fails if a card has no place for the AMT and the status ring of a
// process.
func checkLLCM(card *Card, cfg *ring.Config) error {
	need := dimmnet.LineSize * (ring.EntryLines*len(cfg.Rings) + ring.RecordLines*cfg.Records)
	if have := int(card.LLCM) / card.Processes; need > have {
		return fmt.Errorf("rma: %d receive rings and %d status records take %d bytes of the card's LLCM; a process has %d", len(cfg.Rings), cfg.Records, need, have)
	}
	return nil
}

// sectionOf returns what the file of a machine says about its cards.
func sectionOf(m *machine.Machine) *Section { return m.Section().(*Section) }

func newWindows(c *host.Env) (host.Model, error) {
	k, n := newCards(c), len(c.Net.EndPoints)
	w := &windows{cards: k}
	w.jobs = jobs{cards: k}
	w.orders = orders{cards: k, jobs: &w.jobs}
	w.swif = newSWIF(k, &w.jobs, &w.packets)
	w.sender = sender{cards: k, jobs: &w.jobs, packets: &w.packets, orders: &w.orders, swif: &w.swif, at: make([]sending, n)}
	w.matchings = matchings{cards: k, jobs: &w.jobs, sender: &w.sender}
	w.receiver = receiver{
		cards: k, jobs: &w.jobs, packets: &w.packets, swif: &w.swif, sender: &w.sender, matchings: &w.matchings, at: make([]receiving, n),
	}
	w.processor = processor{cards: k, sender: &w.sender, readers: make([]units.Time, n), phases: engine.NewStream(c.Seed, phaseStream)}
	return w, nil
}

// Process implements host.Model.
func (w *windows) Process(r *host.Process) rma.Process {
	if m := w.users[r.Rank()].matching; m != nil {
		return &matcher{Process: r, cards: w.cards, processor: &w.processor, matching: m}
	}
	return r
}

// Streams of random numbers.
const (
	lossStream = 1<<40 + iota
	phaseStream
)

// Handle implements host.Model.
func (w *windows) Handle(ev engine.Event) {
	switch ev.Kind {
	case fabric.Delivered:
		w.swif.delivered(ev.A)
	case evCommand:
		w.sender.command(ev.A)
	case evFormed:
		w.sender.formed(ev.A)
	case evReady:
		w.swif.send(ev.A)
	case evReceived:
		w.receiver.received(arrival{packet: ev.A, number: ev.B})
	case evPlace:
		w.receiver.place(int32(ev.A))
	case evStored:
		w.receiver.stored(int32(ev.A))
	case evNext:
		w.receiver.next(int32(ev.A))
	case evStatus:
		w.receiver.status(ev.A)
	case evTimeout:
		w.swif.timeout(ev)
	case evPost:
		w.users[ev.A].matching.posted()
	default:
		panic(fmt.Sprintf("sim: event of unknown kind %d", ev.Kind))
	}
}

// Start implements host.Model: what the processor does until the card has the command.
func (w *windows) Start(r *host.Process, q *host.Request) (rma.Op, error) {
	if err := w.jobs.refuse(q); err != nil {
		return 0, err
	}
	id, op := w.jobs.newJob(r, q)
	if q.By == rma.BOTF {
		w.processor.writeWindow(r, order{op: id, role: fromWindow}, gathered(q))
		return op, nil
	}
	j := w.jobs.At(id)
	o := order{op: id, rank: int32(r.Rank()), role: fromMemory}
	if q.Action == host.Pull {
		o.role = askFor
	}
	local := r.SegmentOf(q.Local)
	j.intoWindow = q.Action == host.Pull && r.IsWindow(local)
	if j.staged = local < 0 && q.Bytes() > 0; j.staged && q.Action != host.Pull {
		w.processor.stage(r, id, gathered(q))
	}
	cost := w.Card.Scale(w.Processor.Command128)
	r.Sleep(cost)
	w.TellTime("issue command", cost)
	w.processor.issue(o)
	return op, nil
}

// Finish implements host.Model: data that was pulled to where the processor cannot read
// it is copied.
func (w *windows) Finish(r *host.Process, id uint32) {
	if j := w.jobs.At(id); j.Action == host.Pull && j.staged {
		access := *j.Near()
		w.processor.read(r, reading{bytes: j.Bytes(), access: &access, into: j.Local})
	}
}

// ReadRecord implements host.Model.
func (w *windows) ReadRecord() units.Time {
	return w.Card.Scale(w.Processor.ReadStatus)
}

// Load implements host.Model. Memory of the card is read through Prefetch Windows;
// exposed windows are such. If messages have come to the segment, their status is
// read first.
func (w *windows) Load(r *host.Process, a rma.Address, access *onesided.Layout, into []byte, as rma.Caching) {
	if s := &r.Segments[a.Segment]; s.Unread {
		s.Unread = false
		r.Sleep(w.ReadRecord())
		w.TellTime("read status record", w.ReadRecord())
	}
	w.processor.read(r, reading{bytes: len(into), access: access, into: into, as: as, direct: r.IsWindow(a.Segment)})
}

// Take implements host.Model. The command that reads a message also advances the head of
// its ring; without one the processor has to write it.
func (w *windows) Take(r *host.Process, rec *ring.Record, into []byte, as rma.Caching) {
	if into == nil {
		r.Sleep(w.Card.Scale(w.Processor.Command64))
		return
	}
	w.TellTime("read status record", w.ReadRecord()) // which Next has done
	w.processor.read(r, reading{bytes: rec.Bytes, into: into, as: as, head: w.MemoryRead.Head})
	r.Fetch(rec, into)
}

// Window implements host.Model: exposed windows are Prefetch Windows, which then do not
// serve to read the card's memory.
func (w *windows) Window(r *host.Process, bytes int) ([]byte, error) {
	u, size := &w.users[r.Rank()], int(w.Card.Window)
	need := max(1, (bytes+size-1)/size)
	if left := u.prefetch - 1; need > left {
		return nil, fmt.Errorf("rma: ExposeWindow of %d bytes; %d Prefetch Windows of %d bytes are left to rank %d", bytes, max(left, 0), size, r.Rank())
	}
	u.prefetch -= need
	return make([]byte, bytes), nil
}

// GiveBack implements host.Model.
func (w *windows) GiveBack(r *host.Process, bytes int) {
	size := int(w.Card.Window)
	w.users[r.Rank()].prefetch += max(1, (bytes+size-1)/size)
}

// UseWindows implements host.Model.
func (w *windows) UseWindows(r *host.Process, n int) error {
	own := &w.users[r.Rank()].windows
	if n < 0 || n > len(own.list) {
		return fmt.Errorf("rma: %d Write Windows; rank %d has %d", n, r.Rank(), len(own.list))
	}
	own.use(n)
	return nil
}

// Completion implements host.Model. The card tells of completed commands where it tells
// of arrivals, so that a processor that has polled since knows without asking.
func (w *windows) Completion() host.Look { return w.processor.lookForArrival() }

// Arrival implements host.Model.
func (w *windows) Arrival() host.Look { return w.processor.lookForArrival() }

// Released implements host.Model: the Receive Controller looks again if it has stopped
// for lack of room.
func (w *windows) Released(r *host.Process) { w.receiver.released(w.users[r.Rank()].card) }

// Counts implements host.Counter.
func (w *windows) Counts() []host.Count { return w.matchings.counts() }
