package card

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"musubi/nic/dimmnet"
	"musubi/nic/register"
	"musubi/nic/ring"
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
// the clocks of each step.
//
//	host       writes header and data to a Write Window, then a command (BOTF),
//	           or a command that names data in the card's memory (PUSH, IPUSH, PULL)
//	sending    Window Controller, Prefetch Unit: one packet after the other
//	SWIF       keeps each packet until it is acknowledged, and sends it again if need be
//	network    package fabric
//	SWIF       takes packets in order
//	receiving  Receive Controller: one packet after the other to a Prefetch Window, to
//	           memory or to a receive ring; the Status Write Unit meanwhile tells of the
//	           packet before
//	host       polls the status ring
type windows struct {
	*host.Env
	*Section
	clocks  cardClocks
	cards   []card // by end point
	users   []cardUser
	jobs    host.Slab[job] // by number of the operation
	packets packetPool
	buffer  [maxCardData]byte // for the data of one packet
	rng     *rand.Rand        // of losses
	phases  *rand.Rand        // of polling loops
}

// card is a network interface.
type card struct {
	ranks    []int32 // that share it
	sender   sender
	receiver receiver
	swif     units.Time // when the SWIF has sent the packets that it was given
	reader   units.Time // when the Prefetch Unit has done what reads it was told
	channels map[int32]*channel
}

// cardUser is what a rank has of its card.
type cardUser struct {
	card     int32
	regs     register.Registers
	port     dimmnet.Port
	write    []writeWindow
	turn     int // the Write Window that is used next
	used     int // how many are used in turn
	awaited  int // the one that the processor waits for, none if it does not
	prefetch int // Prefetch Windows that are not exposed
	cache    cache
	copies   cache     // the way of it that copies out of windows go through
	matching *matching // nil: the card does not match
}

// none stands for no window.
const none = -1

// writeWindow is a buffer for one packet that the host writes. Whether it is free
// again the register of busy windows says.
type writeWindow struct {
	data []byte     // of the packet, without its header
	free units.Time // when it was last read out
}

var Entry = host.Entry{
	Model:  machine.Model{Name: "windows", Section: func() machine.Section { return &Section{} }, SendsAgain: true},
	Traits: traits, New: newWindows,
}

func traits(m *machine.Machine) host.Traits {
	s := sectionOf(m)
	return host.Traits{
		RanksPerHost: s.Card.Processes, MaxRanks: host.MaxSenders, CheckRings: func(cfg ring.Config) error { return checkLLCM(&s.Card, &cfg) },
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
	section := sectionOf(c.Machine)
	w := &windows{
		Env: c, Section: section, clocks: newCardClocks(c.Machine, section), cards: make([]card, len(c.Net.EndPoints)),
		rng: engine.NewStream(c.Seed, lossStream), phases: engine.NewStream(c.Seed, phaseStream),
	}
	for rank, home := range c.Hosts {
		k := &w.cards[home]
		k.ranks = append(k.ranks, int32(rank))
		k.channels = map[int32]*channel{}
	}
	m := &section.Card
	for rank, home := range c.Hosts {
		share := len(w.cards[home].ranks)
		u := cardUser{
			card: int32(home), awaited: none,
			write: make([]writeWindow, max(1, m.WriteWindows/share)), prefetch: max(1, m.PrefetchWindows/share),
			cache:  newCache(int(section.Processor.Cache), int(section.Processor.Line)),
			copies: newCache(int(section.Processor.Cache)/section.Processor.Ways, int(section.Processor.Line)),
		}
		u.used = len(u.write)
		if section.Match.Entries > 0 {
			u.matching = newMatching(&section.Match)
			u.prefetch -= u.matching.windows
		}
		w.setUp(&u, rank)
		w.users = append(w.users, u)
	}
	return w, nil
}

// Process implements host.Model.
func (w *windows) Process(r *host.Process) rma.Process {
	if m := w.users[r.Rank()].matching; m != nil {
		return &matcher{Process: r, w: w, matching: m}
	}
	return r
}

// setUp is what the operating system does for a process at the start of a job.
func (w *windows) setUp(u *cardUser, rank int) {
	group, process := w.Group(rank), uint16(rank)
	err := errors.Join(
		u.regs.Write(register.Group, uint64(group), register.Privileged),
		u.regs.Write(register.Process, uint64(process), register.Privileged))
	if err != nil {
		panic(err) // it may write these
	}
	u.port = dimmnet.NewPort(group, process)
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
		w.delivered(ev.A)
	case evCommand:
		w.command(ev.A)
	case evFormed:
		w.formed(ev.A)
	case evReady:
		w.send(ev.A)
	case evReceived:
		w.received(arrival{packet: ev.A, number: ev.B})
	case evPlace:
		w.place(int32(ev.A))
	case evStored:
		w.stored(int32(ev.A))
	case evNext:
		w.next(int32(ev.A))
	case evStatus:
		w.status(ev.A)
	case evTimeout:
		w.timeout(ev)
	case evPost:
		w.users[ev.A].matching.posted()
	default:
		panic(fmt.Sprintf("sim: event of unknown kind %d", ev.Kind))
	}
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
	u := &w.users[r.Rank()]
	if n < 0 || n > len(u.write) {
		return fmt.Errorf("rma: %d Write Windows; rank %d has %d", n, r.Rank(), len(u.write))
	}
	u.used = n
	if n == 0 {
		u.used = len(u.write)
	}
	u.turn = 0
	return nil
}

// Completion implements host.Model. The card tells of completed commands where it tells
// of arrivals, so that a processor that has polled since knows without asking.
func (w *windows) Completion() host.Look { return w.Arrival() }

// Arrival implements host.Model.
func (w *windows) Arrival() host.Look {
	look := w.lookAtMemory()
	if w.Processor.Arrivals == arrivalsInRegister {
		look = w.lookAtRegister(w.Processor.Poll)
	}
	if look.Period > 0 {
		look.Phase = units.Time(w.phases.Int64N(int64(look.Period)))
	}
	return look
}

// arrivalsInRegister is a value of processor.arrivals.
const arrivalsInRegister = "register"

// lookAtMemory returns how the processor polls memory of the card: each poll sees what is there in
// its middle, so that a change is noticed after 0.5 to 1.5 polls.
func (w *windows) lookAtMemory() host.Look {
	period := w.Card.Scale(w.Processor.Poll)
	return host.Look{Period: period, Sample: period / 2}
}

// lookAtRegister returns how the processor polls a register, which answers early in a poll.
func (w *windows) lookAtRegister(poll units.Time) host.Look {
	period := w.Card.Scale(poll)
	return host.Look{Period: period, Sample: period * units.Time(w.Processor.Sample) / 100}
}

// Released implements host.Model: the Receive Controller looks again if it has stopped
// for lack of room.
func (w *windows) Released(r *host.Process) {
	home := w.users[r.Rank()].card
	if k := &w.cards[home]; k.receiver.stalled {
		k.receiver.stalled = false
		w.Clock.Push(engine.Event{At: w.Clock.Now() + w.clocks.retest, Kind: evPlace, A: uint32(home)})
	}
}
