package packet

import (
	"math/rand/v2"
	"testing"

	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/sim/fabric/fabrictest"
	"musubi/units"

	"pgregory.net/rapid"
)

// message is what the oracle knows of a packet or a multicast that has been sent.
type message struct {
	src   fabric.Target
	to    []fabric.Target
	reach map[fabric.Target]int // how often each target has it
	flits int
	heard int // answers that have come back, combined
	acked bool
	tree  fabric.Tree
}

// crowd is traffic of unicasts, multicasts and their combined answers between random
// end points, whose devices take some time over everything, and an oracle: what has to
// arrive where, and what each link has to carry.
type crowd struct {
	f        *Fabric
	q        *engine.Queue
	cfg      fabric.Config
	rng      *rand.Rand
	messages []message
	carried  []fabric.Load // that each link has to
	held     []heldPacket
	fail     func(format string, args ...any)
}

// heldPacket is one that has been delivered and not released.
type heldPacket struct {
	number uint32
	fabric.Delivery
}

// Classes of the packets of a crowd, and flits of an answer.
const (
	forthClass, answerClass = 0, 1
	answerFlits             = 3
)

// What the events of a crowd stand for.
const (
	crowdSends = fabric.FirstDevice + iota
	crowdTakes
)

func newCrowd(cfg fabric.Config, seed uint64, packets int, fail func(string, ...any)) *crowd {
	c := &crowd{q: new(engine.Queue), rng: rand.New(rand.NewPCG(seed, 5)), fail: fail}
	cfg.Classes = 2
	c.cfg = cfg
	f, err := New(cfg, c.q)
	if err != nil {
		fail("%v", err)
	}
	c.f = f
	c.carried = make([]fabric.Load, len(f.Busy()))
	for range packets {
		c.q.Push(engine.Event{At: units.Time(c.rng.IntN(20000)) * units.Nanosecond, Kind: crowdSends})
	}
	return c
}

// place draws an end point and one of its ports.
func (c *crowd) place() fabric.Target {
	return fabric.Target{Dst: c.rng.IntN(len(c.cfg.Net.EndPoints)), In: c.rng.IntN(max(c.cfg.Ports, 1))}
}

// send sends a packet to one or several targets and notes what is to come of it.
func (c *crowd) send() {
	m := message{src: c.place(), reach: make(map[fabric.Target]int), flits: 1 + c.rng.IntN(c.cfg.MaxPacket)}
	p := fabric.Packet{Src: m.src.Dst, Out: m.src.In, Flits: m.flits, Tag: uint64(len(c.messages)), Ready: c.q.Now() + units.Time(c.rng.IntN(300))*units.Nanosecond}
	if c.rng.IntN(2) == 0 {
		to := c.place()
		m.to = []fabric.Target{to}
		p.Dst, p.In = to.Dst, to.In
		c.f.Send(p)
	} else {
		for range 1 + c.rng.IntN(2*len(c.cfg.Net.EndPoints)) {
			m.to = append(m.to, c.place())
		}
		m.tree = c.f.Multicast(p, m.to)
		m.acked = c.rng.IntN(3) > 0
		if !m.acked {
			c.f.Forget(m.tree)
		}
	}
	for _, t := range m.to {
		m.reach[t] = 0
	}
	for link, n := range edges(c.cfg, m.src, m.to) {
		c.carries(link, n, m.flits)
		if m.acked {
			c.carries(link^1, n, answerFlits)
		}
	}
	c.messages = append(c.messages, m)
}

// carries notes that a link has to carry n packets of so many flits.
func (c *crowd) carries(link int, n int64, flits int) {
	c.carried[link].Packets += n
	c.carried[link].Flits += n * int64(flits)
}

// delivered checks what has come, and has the device take it some time later.
func (c *crowd) delivered(number uint32) {
	d := c.f.Delivery(number)
	m := &c.messages[d.Tag]
	at := fabric.Target{Dst: d.Dst, In: d.In}
	if d.Class == answerClass {
		if at != m.src || d.Tree != m.tree || d.Flits != answerFlits {
			c.fail("an answer arrives as %+v", d)
		}
		m.heard++
		c.f.Forget(m.tree)
	} else {
		if _, expected := m.reach[at]; !expected || d.Src != m.src.Dst || d.Flits != m.flits {
			c.fail("packet to %v arrives as %+v", m.to, d)
		}
		m.reach[at]++
	}
	c.held = append(c.held, heldPacket{number, d})
	c.q.Push(engine.Event{At: c.q.Now() + units.Time(c.rng.IntN(500))*units.Nanosecond, Kind: crowdTakes})
}

// take has a device release a packet, and answer it if it is of a multicast.
func (c *crowd) take() {
	i := c.rng.IntN(len(c.held))
	h := c.held[i]
	c.held[i] = c.held[len(c.held)-1]
	c.held = c.held[:len(c.held)-1]
	c.f.Release(h.number)
	if h.Class == forthClass && c.messages[h.Tag].acked {
		if !c.f.Combine(h.Tree, fabric.Packet{Flits: answerFlits, Class: answerClass, Tag: h.Tag}) {
			c.fail("nobody waits for the answer to %+v", h.Delivery)
		}
	}
}

func (c *crowd) run() {
	for ev, ok := c.f.Run(units.Never); ok; ev, ok = c.f.Run(units.Never) {
		switch ev.Kind {
		case crowdSends:
			c.send()
		case crowdTakes:
			c.take()
		case fabric.Delivered:
			c.delivered(ev.A)
		}
		for i := range c.f.lanes {
			if room := c.f.roomNow(&c.f.lanes[i]); room < 0 {
				c.fail("the buffer of lane %d overflows by %d flits", i, -room)
			}
		}
	}
}

// check compares the end with what the oracle expects.
func (c *crowd) check() {
	if d := c.f.Stuck(); d != nil {
		c.fail("%v", d)
	}
	if err := c.f.Conserved(); err != nil {
		c.fail("%v", err)
	}
	for _, m := range c.messages {
		for t, n := range m.reach {
			if n != 1 {
				c.fail("%+v has come %d times to %v", m, n, t)
			}
		}
		if m.acked && m.heard != 1 {
			c.fail("%d combined answers to %+v; want one", m.heard, m)
		}
	}
	for link, load := range c.f.Carried() {
		if load != c.carried[link] {
			c.fail("link %d has carried %+v; want %+v", link, load, c.carried[link])
		}
	}
}

// TestCrowd sends unicasts, multicasts and answers over random networks with routings
// that are proved, and small buffers.
func TestCrowd(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		cfg, _ := drawRoutes(t, rt)
		cfg.Flow = rapid.SampledFrom([]fabric.Flow{fabric.Credit, fabric.StopGo}).Draw(rt, "flow")
		cfg.Ports = rapid.IntRange(1, 2).Draw(rt, "ports")
		fastest := fabrictest.FlitTime
		if cfg.LinkRates = rapid.Bool().Draw(rt, "links of two speeds"); cfg.LinkRates {
			spread(cfg.Net, rapid.IntRange(1, 5).Draw(rt, "which"))
			fastest = 2 * units.Nanosecond
		}
		least := cfg.MaxPacket
		if cfg.Flow == fabric.StopGo {
			least += int((2*max(cfg.Cable, cfg.HostCable) + fastest - 1) / fastest)
		}
		cfg.Buffer = units.Bytes(least+rapid.IntRange(0, 60).Draw(rt, "more than the least buffer")) * cfg.Flit
		c := newCrowd(cfg, rapid.Uint64().Draw(rt, "traffic"), 60, rt.Fatalf)
		c.run()
		c.check()
	})
}
