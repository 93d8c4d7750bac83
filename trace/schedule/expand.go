package schedule

import (
	"runtime"
	"slices"

	"musubi/internal/spill"
)

// firstExpanded is the first tag of messages that come from collective operations.
const firstExpanded = 1 << 28

// Expanded returns a schedule whose collective operations are messages: by rings (all-reduce, reduce-scatter,
// all-gather), pairwise (all-to-all), along binomial trees (broadcast, reduce), directly (gather, scatter)
// or by dissemination (barrier). It fails if ranks do not call the same operations.
func (s *Schedule) Expanded() (*Schedule, error) {
	if !s.hasCollectives() {
		return s, nil
	}
	if err := s.checkCollectives(); err != nil {
		return nil, err
	}
	x := expansion{from: s, b: NewBuilder(len(s.Ranks)), all: s.Members(Any)}
	for r := range s.Ranks {
		x.rank(r)
	}
	return x.b.Schedule(), nil
}

func (s *Schedule) hasCollectives() bool {
	for r := range s.Ranks {
		s.Used(len(s.Ranks[r].Ops))
		if slices.ContainsFunc(s.Ranks[r].Ops, func(op Op) bool { return op.Kind == Collective }) {
			return true
		}
	}
	return false
}

// expansion makes messages of collective operations.
type expansion struct {
	from *Schedule
	b    *Builder
	all  []uint32 // ranks
}

func (x *expansion) rank(r int) {
	from := &x.from.Ranks[r]
	area := spill.New()
	defer runtime.KeepAlive(area)
	first, last := spill.Make[uint32](area, len(from.Ops)), spill.Make[uint32](area, len(from.Ops))
	count := map[uint32]uint32{} // operations of each group so far
	for i := range from.Ops {
		op := from.Ops[i]
		begin := len(x.b.schedule.Ranks[r].Ops)
		if op.Kind == Collective {
			first[i], last[i] = x.collective(r, &op, count[op.Peer])
			count[op.Peer]++
		} else {
			first[i] = x.b.Add(r, op)
			last[i] = first[i]
		}
		if from.IDs != nil {
			ids := &x.b.schedule.Ranks[r].IDs
			for range len(x.b.schedule.Ranks[r].Ops) - begin {
				*ids = spill.Append(x.b.schedule.area, *ids, from.IDs[i])
			}
		}
	}
	x.from.Used(2 * len(from.Ops))
	for i := range from.Ops {
		for _, to := range from.Requires(i) {
			x.b.Require(r, last[i], first[to])
		}
		for _, to := range from.Starts(i) {
			x.b.RequireStart(r, first[i], first[to])
		}
	}
}

// collective adds the messages of a rank in an operation, between two calculations of no time.
func (x *expansion) collective(r int, op *Op, number uint32) (first, last uint32) {
	g, place := x.all, uint32(0) // of the group among all
	if op.Peer != Any {
		g, place = x.from.Groups[op.Peer], op.Peer+1
	}
	// Another tag for each operation of each group.
	tag := firstExpanded + number*uint32(len(x.from.Groups)+1) + place
	p := part{b: x.b, rank: r, members: g, me: slices.Index(g, uint32(r)), tag: tag}
	first = x.b.Add(r, CalcOf(0))
	p.ended = []uint32{first}
	p.carryOut(Operation(op.Tag), op.Size)
	last = x.b.Add(r, CalcOf(0))
	for _, before := range p.ended {
		x.b.Require(r, before, last)
	}
	return first, last
}

// part is the part of a rank in an operation. Its messages are in rounds.
type part struct {
	messages int      // sent
	bytes    float64  // sent
	b        *Builder // takes the messages; nil: they are only counted
	rank, me int
	members  []uint32
	tag      uint32
	ended    []uint32 // what the next round waits for
	round    []uint32
}

func (p *part) add(kind Kind, other int, size uint64) {
	if kind == Send {
		p.messages++
		p.bytes += float64(size)
	}
	if p.b == nil {
		return
	}
	n := len(p.members)
	op := p.b.Add(p.rank, Op{Kind: kind, Peer: p.members[(other%n+n)%n], Size: size, Tag: p.tag})
	for _, before := range p.ended {
		p.b.Require(p.rank, before, op)
	}
	p.round = append(p.round, op)
}

// next begins a round, which waits for all messages of the last one.
func (p *part) next() {
	if len(p.round) > 0 {
		p.ended, p.round = p.round, nil
	}
}

// share returns the bytes of part i of n.
func (p *part) share(size uint64, i int) uint64 {
	n := len(p.members)
	i = (i%n + n) % n
	each, more := size/uint64(n), size%uint64(n)
	if uint64(i) < more {
		return each + 1
	}
	return each
}

func (p *part) carryOut(o Operation, size uint64) {
	n := len(p.members)
	switch o {
	case AllReduce:
		p.ring(2*(n-1), func(i int) uint64 { return p.share(size, i) })
	case ReduceScatter, ReduceScatterBlock:
		p.ring(n-1, func(i int) uint64 { return p.share(size, i) })
	case AllGather:
		p.ring(n-1, func(int) uint64 { return size })
	case AllToAll:
		for distance := 1; distance < n; distance++ {
			p.add(Receive, p.me-distance, p.share(size, p.me))
			p.add(Send, p.me+distance, p.share(size, p.me+distance))
		}
		p.next()
	case Broadcast:
		p.tree(size, false)
	case Reduce:
		p.tree(size, true)
	case Gather:
		p.direct(Receive, Send, func(int) uint64 { return size })
	case Scatter:
		p.direct(Send, Receive, func(i int) uint64 { return p.share(size, i) })
	case Barrier:
		for distance := 1; distance < n; distance *= 2 {
			p.add(Receive, p.me-distance, 0)
			p.add(Send, p.me+distance, 0)
			p.next()
		}
	}
}

// ring passes parts on to the next rank, step by step.
func (p *part) ring(steps int, size func(i int) uint64) {
	for step := range steps {
		p.add(Receive, p.me-1, size(p.me-step-1))
		p.add(Send, p.me+1, size(p.me-step))
		p.next()
	}
}

// tree goes along a binomial tree from the first rank, or to it.
func (p *part) tree(size uint64, up bool) {
	n := len(p.members)
	bit := 1
	for bit < n && p.me&bit == 0 {
		bit *= 2
	}
	parent := func(kind Kind) {
		if p.me != 0 {
			p.add(kind, p.me-bit, size)
			p.next()
		}
	}
	if !up {
		parent(Receive)
	}
	for b := bit / 2; b > 0; b /= 2 {
		if p.me+b < n {
			p.add(map[bool]Kind{false: Send, true: Receive}[up], p.me+b, size)
		}
	}
	p.next()
	if up {
		parent(Send)
	}
}

// direct goes between the first rank, which does one thing, and all others, which do another.
func (p *part) direct(first, others Kind, size func(i int) uint64) {
	if p.me != 0 {
		p.add(others, 0, size(p.me))
	} else {
		for i := 1; i < len(p.members); i++ {
			p.add(first, i, size(i))
		}
	}
	p.next()
}
