package groups

import (
	"encoding/binary"
	"maps"
	"math"
	"math/bits"
	"slices"

	"musubi/rma"
	"musubi/workload"
	"musubi/workload/internal/ranks"
	"musubi/workload/internal/sample"
)

// Barrier measures barriers over all ranks, in random visiting orders.
var Barrier = &workload.Workload{
	Name:    "barrier",
	Summary: "barrier over all ranks, in several random visiting orders",
	Params: []workload.Param{
		{Name: "algorithm", Default: "multicast", Help: "multicast (unicast-based: gathered and released along a binomial tree) or dissemination"},
		{Name: "orders", Default: "", Help: "random visiting orders; if not given, 400 in a simulation, and 10 in real time"},
		{Name: "each", Default: "auto", Help: "rows of each order: yes, no, or auto (up to 20 orders)"},
		{Name: "iterations", Default: "", Help: "barriers measured in each order; if not given, 2 in a simulation, and 10 in real time"},
		{Name: "warmup", Default: "2", Help: "barriers before, in each order"},
		{Name: "mechanism", Default: "auto", Help: "push (remote DMA), botf (written by the processor; also pio), or auto: botf where the machine has it"},
	},
	Make: prepareBarrier,
}

// barrier measures barriers in several visiting orders. The time of a barrier is the interval
// between two barriers at the first rank of the order, while no rank does anything else.
type barrier struct {
	orders             *visitingOrders
	algorithm          func(*node) func() error // returns a function that does one barrier
	by                 rma.Mechanism
	iterations, warmup int
	each               bool // rows of each order
}

func prepareBarrier(v *workload.Values, env workload.Env) *workload.Plan {
	if env.RealTime {
		v.Or("orders", "10")
		v.Or("iterations", "10")
	}
	v.Or("orders", "400")
	v.Or("iterations", "2")
	b := barrier{
		iterations: v.Int("iterations", 1, 1e6),
		warmup:     v.Int("warmup", 0, 1e6),
		by:         v.Into(env, ranks.WordSize, "auto", "push", "botf"),
		algorithm:  newTreeBarrier,
	}
	messages := 2 * (env.Ranks - 1)
	if v.Choice("algorithm", "multicast", "dissemination") == "dissemination" {
		b.algorithm = newDissemination
		messages = env.Ranks * steps(env.Ranks)
	}
	if env.Ranks < 2 {
		v.Fail("algorithm", "a barrier needs two ranks or more, and there is one")
	}
	b.orders = &visitingOrders{count: v.Int("orders", 1, 1e4), ranks: env.Ranks, seed: env.Seed}
	const few = 20
	each := v.Choice("each", "auto", "yes", "no")
	b.each = each == "yes" || each == "auto" && b.orders.count <= few
	sent := int64(b.orders.count) * int64(b.warmup+b.iterations) * int64(messages)
	return &workload.Plan{Program: b.run, Sends: func() (messages, bytes int64) { return sent, sent * ranks.WordSize }}
}

func (b *barrier) run(p rma.Process, out *workload.Rows) error {
	results := ranks.NewScores(p, b.orders.count)
	n := newNode(p, b.by)
	own := map[int]float64{} // times of the orders in which this rank is the first
	for i := range b.orders.count {
		workload.Progress(p, out, i, b.orders.count)
		n.enter(b.orders.at(i))
		took, err := b.measure(n)
		if err != nil {
			return err
		}
		if n.position == 0 {
			own[i] = took
		}
	}
	// Writing the results takes time, so it comes after the last measurement.
	for _, i := range slices.Sorted(maps.Keys(own)) {
		if err := results.Put(i, own[i]); err != nil {
			return err
		}
	}
	if p.Rank() != 0 {
		return nil
	}
	return b.rows(results, out)
}

// measure returns the time of a barrier in the order that n has entered, in
// microseconds.
func (b *barrier) measure(n *node) (float64, error) {
	once := b.algorithm(n)
	start := n.p.Now()
	for i := range b.warmup + b.iterations {
		if i == b.warmup {
			start = n.p.Now()
		}
		if err := n.barrier(once); err != nil {
			return 0, err
		}
	}
	took := n.p.Now() - start
	return took.Microseconds() / float64(b.iterations), n.settle()
}

// rows adds the mean over the orders, how far single orders and means of ten deviate from it, and
// the value of every order.
func (b *barrier) rows(results *ranks.Scores, out *workload.Rows) error {
	times, err := results.All()
	if err != nil {
		return err
	}
	out.Add(workload.Row{Metric: "barrier", Unit: "us", Value: sample.Mean(times)})
	if len(times) > 1 {
		addSpread(times, out)
	}
	if !b.each {
		return nil
	}
	for i, us := range times {
		out.Add(workload.Row{Metric: "barrier", Unit: "us", Value: us, Labels: []workload.Label{{Name: "order", Value: i}}})
	}
	return nil
}

// ofTen is how many random orders measurements of barriers usually take the mean of.
const ofTen = 10

// addSpread adds the standard deviations of one order and of a mean of ten, and the interval of 2.5
// of the latter around the mean: 99 of 100 means of ten random orders lie in it, if they are
// distributed normally.
func addSpread(times []float64, out *workload.Rows) {
	const deviations = 2.5
	middle, one := sample.Mean(times), sample.Deviation(times)
	ten := one / math.Sqrt(ofTen)
	out.Add(workload.Row{Metric: "barrier_deviation", Unit: "us", Value: one, Labels: []workload.Label{{Name: "orders", Value: 1}}})
	out.Add(workload.Row{Metric: "barrier_deviation", Unit: "us", Value: ten, Labels: []workload.Label{{Name: "orders", Value: ofTen}}})
	out.Add(workload.Row{Metric: "barrier_interval", Unit: "us", Value: middle - deviations*ten, Labels: []workload.Label{{Name: "bound", Value: "low"}}})
	out.Add(workload.Row{Metric: "barrier_interval", Unit: "us", Value: middle + deviations*ten, Labels: []workload.Label{{Name: "bound", Value: "high"}}})
}

// node is a rank in a barrier. Ranks tell each other the number of the barrier that they have
// reached, in words of memory that only grow; so a neighbour that is ahead does no harm.
type node struct {
	p        rma.Process
	by       rma.Mechanism
	segment  int
	memory   []byte
	steps    int   // steps of the tree: ceil(log2 ranks)
	order    []int // rank at each position
	position int   // of this rank
	count    uint64
	open     []rma.Op // by step: an operation that must be complete before the next barrier
}

// Words of memory: one for each step, and two more.
const (
	requestWord = -1 - iota
	releaseWord
	extraWords = 2
)

// steps returns ceil(log2 ranks).
func steps(ranks int) int { return bits.Len(uint(ranks - 1)) }

func newNode(p rma.Process, by rma.Mechanism) *node {
	n := &node{p: p, by: by, steps: steps(p.Size())}
	n.memory = make([]byte, ranks.WordSize*(n.steps+extraWords))
	n.segment = p.Expose(n.memory)
	n.open = make([]rma.Op, n.steps)
	return n
}

// enter takes the rank's place in a visiting order.
func (n *node) enter(order *visitingOrder) {
	n.order = order.ranks
	n.position = order.positions[n.p.Rank()]
}

func (n *node) barrier(once func() error) error {
	n.count++
	return once()
}

// settle waits for the operations that are still open.
func (n *node) settle() error {
	for step, op := range n.open {
		if err := n.p.Wait(op); err != nil {
			return err
		}
		n.open[step] = 0
	}
	return nil
}

// offset returns the offset of a word: a step, requestWord or releaseWord.
func (n *node) offset(word int) int { return ranks.WordSize * (word + extraWords) }

// send writes the number of the barrier to a word of the rank at a position.
func (n *node) send(position, word int) (rma.Op, error) {
	to := rma.Address{Rank: n.order[position], Segment: n.segment, Offset: n.offset(word)}
	return n.p.Push(to, binary.LittleEndian.AppendUint64(nil, n.count), n.by)
}

// await waits until somebody has written the number of this barrier.
func (n *node) await(word int) error {
	memory := n.memory[n.offset(word):]
	return n.p.WaitUntil(func() bool { return binary.LittleEndian.Uint64(memory) >= n.count })
}
