package rmatest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"musubi/rma"
	"musubi/units"
)

const (
	exchangeRanks  = 4
	exchangeEdges  = 12
	exchangeRounds = 12
)

// exchange is the purpose of session mode: ranks exchange data with neighbours again and again, in
// a random graph. A receiver sends RTR (ready to receive), which releases SD (the data) and EOD
// (the end of it) in a queue of the sender. See Hatanaka et al., Prototype Implementation and
// Evaluation of an MPI Persistent Neighborhood Collective Operation Using Tofu2 Protocol Offloading
// Capability, 2016.
type exchange struct {
	w       *World
	p       rma.Commander
	edges   [][2]int // from and to
	queues  int      // of a rank, at most
	notices bool     // SDs leave notices, and no EODs follow

	memory  []byte
	segment []int   // of all ranks
	numbers [][]int // of the queues of all ranks
	boxes   []*box
	noted   []int // notices of earlier rounds in each
}

func exchangeEach(w *World, p rma.Commander) error {
	return runExchange(&exchange{w: w, p: p, queues: fewQueues})
}

func exchangeOne(w *World, p rma.Commander) error {
	return runExchange(&exchange{w: w, p: p, queues: 1, notices: true})
}

func runExchange(x *exchange) error {
	rng := newRandom(5, 5) // the same on all ranks
	for range exchangeEdges {
		x.edges = append(x.edges, [2]int{rng.IntN(exchangeRanks), rng.IntN(exchangeRanks)})
	}
	if err := x.open(); err != nil {
		return err
	}
	delays := random(x.p)
	for round := range exchangeRounds {
		x.p.Compute(units.Time(delays.IntN(3)) * 10 * units.Microsecond)
		if err := x.start(round); err != nil {
			return fmt.Errorf("start of round %d: %w", round, err)
		}
		if err := x.wait(round); err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
	}
	return meet(x.p)
}

// mine returns the edges to a rank (side 1) or from it (side 0) that one of its queues
// serves.
func (x *exchange) mine(rank, queue, side int) (edges []int) {
	n := 0
	for e, edge := range x.edges {
		if edge[side] == rank {
			if n%x.queues == queue {
				edges = append(edges, e)
			}
			n++
		}
	}
	return edges
}

// queueOf returns the queue that serves an edge at one of its ends.
func (x *exchange) queueOf(e, side int) rma.QueueAddress {
	rank := x.edges[e][side]
	for queue := range x.queues {
		if slices.Contains(x.mine(rank, queue, side), e) {
			return rma.QueueAddress{Rank: rank, Queue: x.numbers[queue][rank]}
		}
	}
	return rma.QueueAddress{}
}

func (x *exchange) open() error {
	x.memory = make([]byte, exchangeEdges*x.slot())
	var err error
	if x.segment, err = share(x.p, x.p.Expose(x.memory)); err != nil {
		return err
	}
	for queue := range x.queues {
		in, out := x.mine(x.p.Rank(), queue, 1), x.mine(x.p.Rank(), queue, 0)
		lead := len(in)
		if len(out) == 0 {
			lead++ // of what releases the next round, as nobody else does
		}
		b, numbers, err := openBoxes(x.p, rma.QueueConfig{Session: true, Lead: lead})
		if err != nil {
			return err
		}
		x.boxes, x.numbers, x.noted = append(x.boxes, b), append(x.numbers, numbers), append(x.noted, 0)
	}
	return nil
}

// Where the data of an edge goes, and behind it the round for EOD.
func (x *exchange) slot() int { return 3*x.w.Packet + 8 }

func (x *exchange) place(e, offset int) rma.Address {
	to := x.edges[e][1]
	return rma.Address{Rank: to, Segment: x.segment[to], Offset: e*x.slot() + offset}
}

func (x *exchange) data(e, round int) []byte {
	rng := rand.New(rand.NewPCG(uint64(e), uint64(round)))
	return text(e, round, x.w.length(rng))
}

// start posts the commands of a round.
func (x *exchange) start(round int) error {
	for queue, b := range x.boxes {
		if err := b.Post(x.commands(queue, round)...); err != nil {
			return err
		}
	}
	return nil
}

func (x *exchange) commands(queue, round int) (list []rma.Command) {
	rank := x.p.Rank()
	in, out := x.mine(rank, queue, 1), x.mine(rank, queue, 0)
	for _, e := range in {
		to := x.queueOf(e, 0)
		list = append(list, release(to.Rank, to.Queue, x.step(e)))
	}
	sends := len(out) * x.perEdge()
	switch self := x.numbers[queue][rank]; len(out) {
	case 0:
		list = append(list, release(rank, self, len(in)+1))
	case 1:
	default:
		list = append(list, make([]rma.Command, len(out)-1)...)
		list = append(list, release(rank, self, sends+len(in)))
	}
	for _, e := range out {
		list = append(list, x.send(e, round)...)
	}
	return list
}

func (x *exchange) perEdge() int {
	if x.notices {
		return 1
	}
	return 2
}

// step returns how far an RTR advances the queue of the sender: past SD, EOD and the RTRs of the
// next round, or over one NOP if the sender waits for others.
func (x *exchange) step(e int) int {
	sender := x.edges[e][0]
	for queue := range x.queues {
		if out := x.mine(sender, queue, 0); len(out) == 1 && out[0] == e {
			return x.perEdge() + len(x.mine(sender, queue, 1))
		}
	}
	return 1
}

func (x *exchange) send(e, round int) []rma.Command {
	target := x.queueOf(e, 1).Queue
	data := put(x.place(e, 0), target, x.data(e, round))
	if x.notices {
		data.Notice, data.Word = true, uint64(e)<<32+uint64(round)
		return []rma.Command{data}
	}
	end := put(x.place(e, 3*x.w.Packet), target, binary.LittleEndian.AppendUint64(nil, uint64(round+1)))
	return []rma.Command{data, end}
}

// wait waits for the data of a round, and until all posted commands are complete.
func (x *exchange) wait(round int) error {
	if err := x.p.WaitUntil(func() bool { return x.notices || x.ended(round) }); err != nil {
		return err
	}
	for queue, b := range x.boxes {
		in := x.mine(x.p.Rank(), queue, 1)
		posted := (round + 1) * len(x.commands(queue, round))
		notices := x.noted[queue]
		if x.notices {
			notices += len(in)
		}
		if err := b.until(posted, notices); err != nil {
			return err
		}
		if err := errors.Join(b.results...); err != nil {
			return err
		}
		for _, n := range b.notices[x.noted[queue]:] {
			if e := int(n.Word >> 32); int(n.Word&0xffffffff) != round || !slices.Contains(in, e) || n.From != x.edges[e][0] {
				return fmt.Errorf("%+v is told of; expected only edges %v of this round", n, in)
			}
		}
		x.noted[queue] = notices
		for _, e := range in {
			want := x.data(e, round)
			if err := same(fmt.Sprint("data of edge ", e), x.memory[e*x.slot():][:len(want)], want); err != nil {
				return err
			}
		}
	}
	return nil
}

// ended reports whether all EODs of a round have come.
func (x *exchange) ended(round int) bool {
	for e, edge := range x.edges {
		if edge[1] == x.p.Rank() && int(binary.LittleEndian.Uint64(x.memory[e*x.slot()+3*x.w.Packet:])) != round+1 {
			return false
		}
	}
	return true
}
