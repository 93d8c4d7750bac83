package nas

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"musubi/rma"
)

// collectives are the collective operations of all processes. The number of processes is a power of
// two.
//
// Reductions use two buffers in turn, because a fast process may be one reduction ahead, but not
// two. Each exchange of a script has its own buffer; a reduction separates two uses of it, so that
// no process is that far ahead.
type collectives struct {
	reduction reduction
	exchanges []exchangeArea
}

// newCollectives exposes memory for the collective operations of scripts, of
// which at most one has any.
func newCollectives(p rma.Process, f filling, scripts []Script) *collectives {
	c := &collectives{}
	if vector := longest(scripts, reduceAction); vector > 0 {
		c.reduction = newReduction(p, vector)
	}
	for a := range actions(scripts) {
		if a.kind == exchangeAction {
			c.exchanges = append(c.exchanges, newExchangeArea(p, f, a.bytes))
		}
	}
	return c
}

// reduce carries out a reduction and returns how many bytes this process has
// sent.
func (c *collectives) reduce() (int, error) { return c.reduction.run() }

// exchange carries out an exchange and returns how many bytes this process has
// sent.
func (c *collectives) exchange(number int) (int, error) { return c.exchanges[number].run() }

// reduction adds up vectors of 4-byte numbers by recursive doubling: in every step each process
// exchanges its partial sums with the process whose rank differs in one bit.
type reduction struct {
	p       rma.Process
	segment int
	memory  []byte // a message for each step, of even and of odd calls
	words   int
	steps   int
	calls   uint32
}

func newReduction(p rma.Process, vector int) reduction {
	r := reduction{p: p, words: vector / 4, steps: log2(p.Size())}
	r.memory = make([]byte, 2*r.steps*r.message())
	r.segment = p.Expose(r.memory)
	return r
}

// message returns the size of a message in bytes: the vector and then the number of the call, whose
// last byte shows that the message is complete.
func (r *reduction) message() int { return 4 * (r.words + 1) }

// run adds up vectors whose element k is rank+k.
func (r *reduction) run() (sent int, err error) {
	r.calls++
	rank, size := uint32(r.p.Rank()), uint32(r.p.Size())
	vector := make([]uint32, r.words)
	for k := range vector {
		vector[k] = rank + uint32(k)
	}
	for step := range r.steps {
		if err := r.step(step, vector); err != nil {
			return 0, err
		}
	}
	for k, got := range vector {
		if want := size*uint32(k) + size*(size-1)/2; got != want {
			return 0, fmt.Errorf("rank %d got %d as element %d of a sum over all; expected %d", rank, got, k, want)
		}
	}
	return r.steps * r.message(), nil
}

// step exchanges vectors with one partner and adds them.
func (r *reduction) step(step int, vector []uint32) error {
	offset := (int(r.calls%2)*r.steps + step) * r.message()
	message := make([]byte, 0, r.message())
	for _, number := range vector {
		message = binary.BigEndian.AppendUint32(message, number)
	}
	message = binary.BigEndian.AppendUint32(message, r.calls)
	to := rma.Address{Rank: r.p.Rank() ^ 1<<step, Segment: r.segment, Offset: offset}
	op, err := r.p.Push(to, message, rma.DMA)
	if err == nil {
		err = r.p.Wait(op)
	}
	if err != nil {
		return err
	}
	if err := awaitByte(r.p, &r.memory[offset+r.message()-1], byte(r.calls)); err != nil {
		return err
	}
	if err := r.p.Load(r.segment, offset, rma.Layout{}, message, rma.Cached); err != nil {
		return err
	}
	for k := range vector {
		vector[k] += binary.BigEndian.Uint32(message[4*k:])
	}
	return nil
}

// awaitByte waits until a byte of exposed memory, the last of a push, has a value.
func awaitByte(p rma.Process, b *byte, value byte) error {
	return p.WaitUntil(func() bool { return *b == value })
}

// exchangeArea is memory with a block from each process.
type exchangeArea struct {
	p       rma.Process
	filling filling
	segment int
	memory  []byte
	block   int    // bytes
	into    []byte // destination of copies of blocks
	calls   uint32
}

func newExchangeArea(p rma.Process, f filling, block int) exchangeArea {
	e := exchangeArea{p: p, filling: f, memory: make([]byte, p.Size()*block), block: block, into: make([]byte, block)}
	e.segment = p.Expose(e.memory)
	return e
}

// run gives each process a block and waits for a block from each.
func (e *exchangeArea) run() (sent int, err error) {
	rank, size := e.p.Rank(), e.p.Size()
	ops := make([]rma.Op, size)
	for distance := 1; distance < size; distance++ {
		to := rank ^ distance
		block := e.filling.of(rank, to, e.calls, e.block)
		if ops[to], err = e.p.Push(rma.Address{Rank: to, Segment: e.segment, Offset: rank * e.block}, block, rma.DMA); err != nil {
			return 0, err
		}
	}
	for distance := 1; distance < size; distance++ {
		if err := e.receive(rank ^ distance); err != nil {
			return 0, err
		}
	}
	for _, op := range ops {
		if err := e.p.Wait(op); err != nil {
			return 0, err
		}
	}
	e.calls++
	return (size - 1) * e.block, nil
}

// receive waits for the block of a process. Its last byte differs from that of the
// block before.
func (e *exchangeArea) receive(from int) error {
	want := e.filling.of(from, e.p.Rank(), e.calls, e.block)
	offset, last := from*e.block, e.block-1
	if err := awaitByte(e.p, &e.memory[offset+last], want[last]); err != nil {
		return err
	}
	if err := e.p.Load(e.segment, offset, rma.Layout{}, e.into, rma.Cached); err != nil {
		return err
	}
	if !bytes.Equal(e.into, want) {
		return fmt.Errorf("rank %d got a wrong block from rank %d in exchange %d", e.p.Rank(), from, e.calls+1)
	}
	return nil
}
