package nas

import (
	"encoding/binary"
	"fmt"

	"musubi/rma"
	"musubi/units"
	"musubi/workload"
)

// library is a transport by software alone. Receives count as posted ahead, as the benchmarks do
// where messages are long: a process asks for a long message as soon as it sees the request.
type library struct {
	p       rma.Process
	cost    workload.Library
	filling filling
	source  int // segment of filling
	segment int // of the mailbox, the same at all processes
	memory  []byte
	own     mailbox
	to      map[int]*destination
	from    []origin // in the order of own.senders
	buffers sendBuffers
	open    []rma.Op // what the processor has written itself
	idle    units.Time
}

// destination is a process that messages go to.
type destination struct {
	rank    int
	mailbox mailbox // of that process
	sender  int     // position of this process in it
	words   int     // offset in the memory of this process of what that process writes
	slots   uint32  // slots used so far
	long    uint32  // long messages so far
	sent    uint32  // messages so far
}

// origin is a process that messages come from.
type origin struct {
	rank     int
	words    int      // offset in the memory of that process of what this process writes
	slots    uint32   // slots emptied so far
	told     uint32   // those of them that the sender knows of
	asked    uint32   // long messages so far that this process has asked for
	long     uint32   // long messages so far
	messages uint32   // messages so far
	lengths  []uint32 // of messages that have come and have not been received
}

// newLibrary exposes a mailbox. scripts returns the actions of any process, and source is the
// segment of f.
func newLibrary(p rma.Process, cost workload.Library, f filling, source int, scripts func(rank int) []Script) *library {
	l := &library{p: p, cost: cost, filling: f, source: source, to: map[int]*destination{}}
	own := scripts(p.Rank())
	l.own = newMailbox(own, cost.Eager)
	for i, rank := range l.own.receivers {
		theirs := newMailbox(scripts(rank), cost.Eager)
		l.to[rank] = &destination{rank: rank, mailbox: theirs, sender: indexOf(theirs.senders, p.Rank()), words: l.own.word(i, 0)}
	}
	for _, rank := range l.own.senders {
		theirs := newMailbox(scripts(rank), cost.Eager)
		l.from = append(l.from, origin{rank: rank, words: theirs.word(indexOf(theirs.receivers, p.Rank()), 0)})
	}
	l.memory = make([]byte, l.own.bytes())
	l.segment = p.Expose(l.memory)
	return l
}

// until takes messages in until a condition holds, which may depend on memory and on what has come.
func (l *library) until(holds func() bool) error {
	for {
		if err := l.takeAll(); err != nil || holds() {
			return err
		}
		begin := l.p.Now()
		if err := l.p.WaitUntil(func() bool { return holds() || l.hasMail() }); err != nil {
			return err
		}
		l.idle += l.p.Now() - begin
	}
}

func (l *library) waited() units.Time { return l.idle }

func (l *library) reap() (err error) {
	l.open, err = reaped(l.p, l.open)
	return err
}

func (l *library) settle() error {
	if err := waitAll(l.p, l.open); err != nil {
		return err
	}
	l.open = nil
	return l.buffers.settle(l.p)
}

// write lets the processor write a few bytes to the memory of another process.
func (l *library) write(rank, offset int, data []byte) error {
	op, err := l.p.Push(rma.Address{Rank: rank, Segment: l.segment, Offset: offset}, data, rma.BOTF)
	if err != nil {
		return err
	}
	l.open = append(l.open, op)
	return nil
}

// tell writes a word that counts to the sender of messages.
func (l *library) tell(o *origin, which int, count uint32) error {
	return l.write(o.rank, o.words+which*wordBytes, binary.LittleEndian.AppendUint64(nil, uint64(count)))
}

// told returns what a receiver has counted in one of its words.
func (l *library) told(d *destination, which int) uint32 {
	return uint32(binary.LittleEndian.Uint64(l.memory[d.words+which*wordBytes:]))
}

// wrong describes a message that is not the next one of its sender.
func (l *library) wrong(o *origin, length uint32) error {
	return fmt.Errorf("rank %d got %d bytes from rank %d that are not message %d; one was lost, changed or out of order", l.p.Rank(), length, o.rank, o.messages)
}
