package live

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"musubi/rma"
)

// halo is a persistent exchange of each rank with its neighbours in a ring, by command
// queues: a partner says that it is ready (RTR), which releases data that was prepared
// (SD) and the end of that (EOD); see Hatanaka et al. (2016). There are two edges each way
// between two ranks, and one rank is its own neighbour.
type halo struct {
	p       rma.Commander
	queues  []rma.Queue
	bytes   int
	out     [2][]byte // to the left and the right
	in      []byte    // from the left and the right, and how far each has come
	segment int
	round   uint64
	list    []rma.Command
	mark    [8]byte       // the round, for EOD
	told    []func() bool // by the queues
	there   func() bool   // arrived
	early   int           // completions that were taken before notices
}

// neighbour returns the rank to the left (0) or the right (1).
func (h *halo) neighbour(side int) int {
	size := h.p.Size()
	return (h.p.Rank() + size + 2*side - 1) % size
}

// newHalo opens the queues: one for each neighbour, or else one for both.
func newHalo(p rma.Process, bytes, queues int, window bool) (*halo, error) {
	h := &halo{p: p.(rma.Commander), bytes: bytes, list: make([]rma.Command, 0, 6)}
	if window {
		var err error
		if h.segment, h.in, err = p.ExposeWindow(2*bytes + 16); err != nil {
			return nil, err
		}
	} else {
		h.in = make([]byte, 2*bytes+16)
		h.segment = p.Expose(h.in)
	}
	for range queues {
		q, err := h.p.OpenQueue(rma.QueueConfig{Session: true, Lead: 2 / queues, Engine: rma.Any})
		if err != nil {
			return nil, err
		}
		h.queues, h.told = append(h.queues, q), append(h.told, q.HasEvent)
	}
	h.there = h.arrived
	h.out = [2][]byte{make([]byte, bytes), make([]byte, bytes)}
	return h, meetAll(p)
}

// meetAll lets no rank go on before all have told rank 0 that they are there. It does not
// wait for its messages to be acknowledged: ranks that compute do not do that.
func meetAll(p rma.Process) error {
	if err := tellRanks(p, 0, 1); err != nil {
		return err
	}
	if p.Rank() == 0 {
		for range p.Size() {
			if err := dropMessage(p); err != nil {
				return err
			}
		}
		if err := tellRanks(p, 0, p.Size()); err != nil {
			return err
		}
	}
	return dropMessage(p)
}

// tellRanks sends an empty message to ranks.
func tellRanks(p rma.Process, begin, end int) error {
	for to := begin; to < end; to++ {
		if _, err := p.IPush(to, nil, rma.DMA); err != nil {
			return err
		}
	}
	return nil
}

func dropMessage(p rma.Process) error {
	a, err := p.Next()
	if err != nil {
		return err
	}
	return p.Take(a, nil, rma.Cached)
}

// fill writes what is to be sent in the next round.
func (h *halo) fill() {
	for side := range h.out {
		for i := range h.out[side] {
			h.out[side][i] = h.value(h.p.Rank(), side, h.round+1, i)
		}
	}
}

func (h *halo) value(rank, side int, round uint64, i int) byte {
	return byte(rank*7 + side*3 + int(round)*11 + i + i>>8)
}

// start posts the commands of a round.
func (h *halo) start() error {
	h.round++
	if len(h.queues) == 1 {
		return h.startTogether()
	}
	binary.LittleEndian.PutUint64(h.mark[:], h.round)
	for side, q := range h.queues {
		to := h.neighbour(side)
		err := q.Post(append(h.list[:0],
			rma.Command{Put: true, TargetQueue: rma.QueueAddress{Rank: to, Queue: h.queues[1-side].Number()}, Advance: 3},
			rma.Command{Put: true, TargetQueue: rma.QueueAddress{Rank: to}, To: h.at(to, (1-side)*h.bytes), Data: h.out[side]},
			rma.Command{Put: true, TargetQueue: rma.QueueAddress{Rank: to}, To: h.at(to, 2*h.bytes+(1-side)*8), Data: h.mark[:]},
		)...)
		if err != nil {
			return err
		}
	}
	return nil
}

func (h *halo) at(rank, offset int) rma.Address {
	return rma.Address{Rank: rank, Segment: h.segment, Offset: offset}
}

// startTogether is start with one queue: each RTR steps over a NOP, and the last one
// releases a put to the queue itself, which releases the data and the RTRs of the next
// round.
func (h *halo) startTogether() error {
	q := h.queues[0]
	list := h.list[:0]
	for side := range 2 {
		list = append(list, rma.Command{Put: true, TargetQueue: rma.QueueAddress{Rank: h.neighbour(side), Queue: q.Number()}, Advance: 1})
	}
	list = append(list, rma.Command{}, rma.Command{Put: true, TargetQueue: rma.QueueAddress{Rank: h.p.Rank(), Queue: q.Number()}, Advance: 4})
	for side := range 2 {
		to := h.neighbour(side)
		list = append(list, rma.Command{
			Put: true, To: h.at(to, (1-side)*h.bytes), Data: h.out[side],
			TargetQueue: rma.QueueAddress{Rank: to, Queue: q.Number()}, Notice: true, Word: h.round<<1 | uint64(1-side),
		})
	}
	return q.Post(list...)
}

// wait waits for the data and the completions of a round.
func (h *halo) wait() error {
	if len(h.queues) == 1 {
		if err := h.takeNotices(); err != nil {
			return err
		}
	} else if err := h.p.WaitUntil(h.there); err != nil {
		return err
	}
	for i := range h.queues {
		for h.early < 6/len(h.queues) {
			h.early++
			if err := h.complete(i); err != nil {
				return err
			}
		}
		h.early = 0
	}
	return nil
}

// arrived reports whether the data of the round is there.
func (h *halo) arrived() bool {
	return binary.LittleEndian.Uint64(h.in[2*h.bytes:]) >= h.round && binary.LittleEndian.Uint64(h.in[2*h.bytes+8:]) >= h.round
}

// takeNotices takes the notices of a round, and completions that stand in their way.
func (h *halo) takeNotices() error {
	q := h.queues[0]
	for taken := 0; taken < 2; {
		n, ok := q.Notice()
		if !ok {
			done, err := q.Completion()
			if err == nil && !done {
				err = h.p.WaitUntil(h.told[0])
			}
			if err != nil {
				return err
			}
			if done {
				h.early++
			}
			continue
		}
		if side := int(n.Word & 1); n.Word>>1 != h.round || n.From != h.neighbour(side) {
			return fmt.Errorf("round %d: notice %#x of rank %d", h.round, n.Word, n.From)
		}
		taken++
	}
	return nil
}

// complete takes a completion.
func (h *halo) complete(i int) error {
	q := h.queues[i]
	done, err := q.Completion()
	for ; !done && err == nil; done, err = q.Completion() {
		if err := h.p.WaitUntil(h.told[i]); err != nil {
			return err
		}
	}
	return err
}

// check compares what has come.
func (h *halo) check() error {
	for side := range 2 {
		from, n := h.neighbour(side), h.bytes
		for i, got := range h.in[side*n:][:n] {
			if want := h.value(from, 1-side, h.round, i); got != want {
				return fmt.Errorf("round %d: byte %d from rank %d is %d, want %d", h.round, i, from, got, want)
			}
		}
	}
	return nil
}

func (h *halo) close() error {
	errs := make([]error, len(h.queues))
	for i, q := range h.queues {
		errs[i] = q.Close()
	}
	return errors.Join(errs...)
}

// exchangeHalos runs many rounds.
func exchangeHalos(rounds, bytes, queues int, window bool) func(rma.Process) error {
	return func(p rma.Process) error {
		h, err := newHalo(p, bytes, queues, window)
		if err != nil {
			return err
		}
		for range rounds {
			h.fill()
			if err := h.start(); err != nil {
				return err
			}
			if err := h.wait(); err != nil {
				return err
			}
			if err := h.check(); err != nil {
				return err
			}
		}
		if err := meetAll(p); err != nil {
			return err
		}
		return h.close()
	}
}

func TestHalosInOneProcess(t *testing.T) {
	for name, v := range variants {
		for _, ranks := range []int{1, 2, 3} {
			for _, queues := range []int{1, 2} {
				for _, window := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s/ranks=%d/queues=%d/window=%v", name, ranks, queues, window), func(t *testing.T) {
						if err := inProcess(v, ranks, exchangeHalos(20, 40<<10, queues, window)); err != nil {
							t.Error(err)
						}
					})
				}
			}
		}
	}
}

func TestHalosBetweenGroups(t *testing.T) {
	for name, groupOf := range mixes {
		for _, v := range []string{"sleeping", "without copies"} {
			for _, queues := range []int{1, 2} {
				for _, ranks := range []int{2, 4} {
					t.Run(fmt.Sprintf("%s/%s/ranks=%d/queues=%d", name, v, ranks, queues), func(t *testing.T) {
						if err := newTestJob(t, variants[v], ranks, groupOf).run(exchangeHalos(20, 40<<10, queues, false)); err != nil {
							t.Error(err)
						}
					})
				}
			}
		}
	}
}

// haloWays are ways in which data goes between processes.
var haloWays = map[string]Config{
	"shared memory":       {Ranks: 4},
	"without copies":      {Ranks: 4, NoDirect: true},
	"TCP":                 {Ranks: 4, Transport: TransportTCP},
	"both":                {Hosts: onThisHost(2, 2)},
	"both without copies": {Hosts: onThisHost(2, 2), NoDirect: true},
}

func TestHalosBetweenProcesses(t *testing.T) {
	for name, cfg := range haloWays {
		for _, program := range []string{"halo", "halo while all compute"} {
			t.Run(name+"/"+program, func(t *testing.T) {
				if _, output, err := start(t.Context(), cfg, program); err != nil {
					t.Errorf("%v\n%s", err, output)
				}
			})
		}
	}
}

// haloProgram exchanges in several ways.
func haloProgram(p rma.Process) ([]byte, error) {
	for _, queues := range []int{1, 2} {
		for _, window := range []bool{false, true} {
			if err := exchangeHalos(8, 20<<10, queues, window)(p); err != nil {
				return nil, err
			}
		}
	}
	return nil, nil
}

// Ranks that are killed while they, or others for them, carry out commands are named.
func TestKilledWhileCommandsAreCarriedOut(t *testing.T) {
	for name, cfg := range haloWays {
		t.Run(name, func(t *testing.T) { killBusyRanks(t, cfg, "halo without end", 4) })
	}
}

// haloWithoutEnd exchanges until something has gone wrong, and says what.
func haloWithoutEnd(p rma.Process) ([]byte, error) {
	fmt.Println("process", os.Getpid())
	err := exchangeHalos(math.MaxInt, 20<<10, 2, false)(p)
	fmt.Println("told:", err)
	return nil, err
}

// writeToRank1 lets all others write to rank 1, one command after the other, until something
// has gone wrong, and says what.
func writeToRank1(p rma.Process) ([]byte, error) {
	const bytes = 20 << 10
	segment := p.Expose(make([]byte, bytes))
	q, err := p.(rma.Commander).OpenQueue(rma.QueueConfig{})
	if err != nil {
		return nil, err
	}
	if err := meetAll(p); err != nil {
		return nil, err
	}
	fmt.Println("process", os.Getpid())
	put := rma.Command{Put: true, To: rma.Address{Rank: 1, Segment: segment}, Data: make([]byte, bytes), TargetQueue: rma.QueueAddress{Rank: 1, Queue: q.Number()}}
	for err == nil && p.Rank() != 1 {
		err = q.Post(put)
		for done := false; err == nil && !done; {
			done, err = q.Completion()
		}
	}
	if err == nil {
		err = p.WaitUntil(func() bool { return false })
	}
	fmt.Println("told:", err)
	return nil, err
}

// haloWhileAllCompute looks at its memory, and is in no call, until an exchange is over.
// Nothing but that can end it, so the bound is long.
func haloWhileAllCompute(p rma.Process) ([]byte, error) {
	h, err := newHalo(p, 50<<10, 2, false)
	if err != nil {
		return nil, err
	}
	for range 3 {
		h.fill()
		if err := h.start(); err != nil {
			return nil, err
		}
		for start := time.Now(); !h.arrivedFromOthers(); {
			if time.Since(start) > time.Minute {
				return nil, fmt.Errorf("round %d is not over while all compute", h.round)
			}
		}
		if err := h.wait(); err != nil {
			return nil, err
		}
		if err := h.check(); err != nil {
			return nil, err
		}
	}
	return nil, meetAll(p)
}

// arrivedFromOthers is arrived while others write.
func (h *halo) arrivedFromOthers() bool {
	marks := (*[2]uint64)(unsafe.Pointer(&h.in[2*h.bytes]))
	return atomic.LoadUint64(&marks[0]) >= h.round && atomic.LoadUint64(&marks[1]) >= h.round
}
