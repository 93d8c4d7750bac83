package mbc

import (
	"fmt"
	"testing"

	"musubi/internal/check"
	"musubi/nic/fence"
	"musubi/onesided"
)

// memoryPath is what each write goes through besides the movement of its data: route and
// stamp, encode, decode, gate, acknowledgement.
type memoryPath struct {
	table  *RouteTable[int]
	from   *AccessGate
	to     *AccessGate
	fence  fence.Counter
	header Header
	parsed Header
	data   []byte
	buffer []byte
}

func newMemoryPath(tb testing.TB, bytes int) *memoryPath {
	p := &memoryPath{table: NewRouteTable[int](64), data: make([]byte, bytes), buffer: make([]byte, 0, 2*PageSize)}
	p.from, _ = newGate(tb)
	p.to, _ = newGate(tb)
	for _, g := range []*AccessGate{p.from, p.to} {
		if err := g.Schedule(gateProcess, gateNode); err != nil {
			tb.Fatal(err)
		}
	}
	p.table.Fill(gateNode, Route{End: 1, Steps: []uint16{1, 2, 3}})
	return p
}

func (p *memoryPath) pass() bool {
	h := &p.header
	*h = Header{Type: Write, Flags: Confirm, Size: len(p.data), To: Identity{gateProcess, gateAccess}, ToNode: gateNode}
	route, ok := p.table.Lookup(h.ToNode)
	if !ok || !p.from.Stamp(h) {
		return false
	}
	h.Route = route.Steps
	p.table.Issued(h.ToNode)
	epoch := p.fence.Issued()
	if _, err := ParsePacket(AppendPacket(p.buffer, h, p.data), &p.parsed); err != nil || p.to.Check(&p.parsed) != Direct {
		return false
	}
	p.parsed.Reply(Ack, 0)
	p.table.Acked(gateNode)
	return p.fence.Acked(epoch) && p.fence.Passed(p.fence.Barrier())
}

func BenchmarkMemoryPath(b *testing.B) {
	for _, size := range []int{4, PageSize} {
		b.Run(fmt.Sprint("bytes=", size), func(b *testing.B) {
			p := newMemoryPath(b, size)
			b.SetBytes(int64(size))
			check.PerPacket(b, 1, func() {
				if !p.pass() {
					b.Fatal("a packet did not pass")
				}
			})
		})
	}
}

func BenchmarkMemoryPacket(b *testing.B) {
	for _, size := range []int{4, PageSize} {
		h := Header{Type: Write, Size: size, Route: []uint16{1, 2, 3}}
		data, buffer := make([]byte, size), make([]byte, 0, 2*PageSize)
		packet := AppendPacket(nil, &h, data)
		b.Run(fmt.Sprint("encode/bytes=", size), func(b *testing.B) {
			b.SetBytes(int64(size))
			check.PerPacket(b, 1, func() { AppendPacket(buffer, &h, data) })
		})
		b.Run(fmt.Sprint("decode/bytes=", size), func(b *testing.B) {
			var h Header
			b.SetBytes(int64(size))
			check.PerPacket(b, 1, func() {
				if _, err := ParsePacket(packet, &h); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}

func BenchmarkGate(b *testing.B) {
	g, pages := newGate(b)
	if err := g.Schedule(gateProcess, gateNode); err != nil {
		b.Fatal(err)
	}
	pages.Set(1, false)
	direct, absent := gateWrite(), gateWrite()
	absent.At = PageSize
	b.Run("direct", func(b *testing.B) {
		check.PerPacket(b, 1, func() {
			if c := g.Check(&direct); c != Direct {
				b.Fatal(c)
			}
		})
	})
	b.Run("absent", func(b *testing.B) {
		check.PerPacket(b, 1, func() {
			if c := g.Check(&absent); c != Absent || g.Resolve(&absent) != Absent {
				b.Fatal(c)
			}
			g.Served(&absent)
		})
	})
}

// memoryChain passes a multicast along a list.
type memoryChain struct {
	header Header
	data   []byte
	buffer []byte
}

func newMemoryChain(members, bytes int) *memoryChain {
	c := &memoryChain{header: Header{Flags: Confirm}}
	c.data = AppendChain(nil, &c.header, make([]ChainMember, members), make([]byte, bytes))
	c.buffer = make([]byte, len(c.data))
	return c
}

func (c *memoryChain) pass() bool {
	h, data := c.header, c.buffer
	copy(data, c.data)
	for h.Type == Chain {
		_, _, err := ChainWrite(&h, data)
		rest, more, passErr := PassChain(&h, data, false)
		if err != nil || passErr != nil || !more {
			return false
		}
		data = rest
	}
	return true
}

func BenchmarkChain(b *testing.B) {
	const members = 64
	c := newMemoryChain(members, 64)
	check.PerPacket(b, members, func() {
		if !c.pass() {
			b.Fatal("a chain did not pass")
		}
	})
}

// Nothing that is done per packet allocates.
func TestMemoryPacketsDoNotAllocate(t *testing.T) {
	path, chain := newMemoryPath(t, 64), newMemoryChain(8, 64)
	waiting, _ := newGate(t)
	write := gateWrite()
	var once Once
	var combiner AckCombiner
	number := uint16(0)
	atomic := onesided.Atomic{Reduction: onesided.Sum, Operand: 1}
	buffer := make([]byte, 0, 64)
	for _, test := range []struct {
		name string
		f    func() bool
	}{
		{"write", path.pass},
		{"chain", chain.pass},
		{"access that waits", func() bool {
			c := waiting.Check(&write)
			waiting.Served(&write)
			return c == NotScheduled
		}},
		{"route miss", func() bool {
			path.table.Invalidate(gateNode)
			path.table.Wait(gateNode, 1)
			path.table.Fill(gateNode, Route{End: 1, Steps: path.header.Route})
			_, _, ok := path.table.Next(gateNode)
			return ok
		}},
		{"multicast", func() bool {
			number++
			combiner.Open(8)
			return once.Fresh(3, number) && !combiner.Answer(1, TallyOf(1, false))
		}},
		{"atomic", func() bool {
			a, err := ParseAtomic(FetchOp, atomic.Append(buffer))
			return err == nil && a.Apply(1) == 2
		}},
		{"barriers", func() bool {
			epoch := path.fence.Issued()
			ticket := path.fence.Barrier()
			return !path.fence.Passed(ticket) && path.fence.Acked(epoch) && path.fence.Passed(ticket)
		}},
	} {
		allocs := testing.AllocsPerRun(100, func() {
			if !test.f() {
				t.Errorf("%s: a packet did not pass", test.name)
			}
		})
		if allocs != 0 {
			t.Errorf("%s: %v allocations per packet; expected none", test.name, allocs)
		}
	}
}
