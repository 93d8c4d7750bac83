package livetest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"musubi/rma"
	"sync/atomic"
	"unsafe"
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
	Round   uint64
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

// NewHalo opens the queues: one for each neighbour, or else one for both.
func NewHalo(p rma.Process, bytes, queues int, window bool) (*halo, error) {
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
	return h, MeetAll(p)
}

// MeetAll lets no rank go on before all have told rank 0 that they are there. It does not
// wait for its messages to be acknowledged: ranks that compute do not do that.
func MeetAll(p rma.Process) error {
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

// Fill writes what is to be sent in the next round.
func (h *halo) Fill() {
	for side := range h.out {
		for i := range h.out[side] {
			h.out[side][i] = h.value(h.p.Rank(), side, h.Round+1, i)
		}
	}
}

func (h *halo) value(rank, side int, round uint64, i int) byte {
	return byte(rank*7 + side*3 + int(round)*11 + i + i>>8)
}

// Start posts the commands of a round.
func (h *halo) Start() error {
	h.Round++
	if len(h.queues) == 1 {
		return h.startTogether()
	}
	binary.LittleEndian.PutUint64(h.mark[:], h.Round)
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
			TargetQueue: rma.QueueAddress{Rank: to, Queue: q.Number()}, Notice: true, Word: h.Round<<1 | uint64(1-side),
		})
	}
	return q.Post(list...)
}

// Wait waits for the data and the completions of a round.
func (h *halo) Wait() error {
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
	return binary.LittleEndian.Uint64(h.in[2*h.bytes:]) >= h.Round && binary.LittleEndian.Uint64(h.in[2*h.bytes+8:]) >= h.Round
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
		if side := int(n.Word & 1); n.Word>>1 != h.Round || n.From != h.neighbour(side) {
			return fmt.Errorf("round %d: notice %#x of rank %d", h.Round, n.Word, n.From)
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

// Check compares what has come.
func (h *halo) Check() error {
	for side := range 2 {
		from, n := h.neighbour(side), h.bytes
		for i, got := range h.in[side*n:][:n] {
			if want := h.value(from, 1-side, h.Round, i); got != want {
				return fmt.Errorf("round %d: byte %d from rank %d is %d, want %d", h.Round, i, from, got, want)
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

// ExchangeHalos runs many rounds.
func ExchangeHalos(rounds, bytes, queues int, window bool) func(rma.Process) error {
	return func(p rma.Process) error {
		h, err := NewHalo(p, bytes, queues, window)
		if err != nil {
			return err
		}
		for range rounds {
			h.Fill()
			if err := h.Start(); err != nil {
				return err
			}
			if err := h.Wait(); err != nil {
				return err
			}
			if err := h.Check(); err != nil {
				return err
			}
		}
		if err := MeetAll(p); err != nil {
			return err
		}
		return h.close()
	}
}

// ArrivedFromOthers is arrived while others write.
func (h *halo) ArrivedFromOthers() bool {
	marks := (*[2]uint64)(unsafe.Pointer(&h.in[2*h.bytes]))
	return atomic.LoadUint64(&marks[0]) >= h.Round && atomic.LoadUint64(&marks[1]) >= h.Round
}
