package mbc

import (
	"fmt"
	"musubi/onesided"
)

// Type says what a packet of memory-based communication is for. It is the first
// byte of a packet, so that switches can tell at once what they have to copy or to combine.
type Type uint8

// Types. Zero is none of them.
const (
	// Write writes its data.
	Write Type = 1 + iota
	// Read asks for Size bytes, which a Answer brings to ReplyTo.
	Read
	Answer
	// FetchOp and CompareSwap change a word of 8 bytes atomically, as their
	// data says; see onesided.Atomic. A Result brings to ReplyTo what was there before.
	FetchOp
	CompareSwap
	Result
	// Ack tells the source of an access that it is done, or refused. It is itself a
	// write, of the flag at ReplyTo.
	Ack
	// CombinedAck is one acknowledgement for many: its data is an AckTally.
	CombinedAck
	// Multicast is a write that switches copy: the hierarchical form.
	Multicast
	// Chain is a write that each interface sends on to the next of the list which
	// is in front of its data; see PassChain.
	Chain
	// Moved tells a source that the process which it has sent something to runs on
	// another node now, so that its route is stale.
	Moved
	// ChannelAck and ChannelNack acknowledge and refuse packets of the reliable channel
	// from one node to another; see Outbox.
	ChannelAck
	ChannelNack
	// Stop has the operating system of a node stop the process there, which another one has
	// been told of as a Violation. Only operating systems send it.
	Stop
	// Sequence changes several words of a page, one after the other; see AppendSequence. Results
	// bring to ReplyTo what was there before, in the same order.
	Sequence
	Results

	lastType = Results
)

var typeNames = [...]string{
	"no type", "write", "read", "answer", "fetch-and-op", "compare-and-swap", "result", "ack", "combined ack",
	"multicast", "chain", "moved", "channel ack", "channel nack", "stop",
	"sequence", "results",
}

func (t Type) String() string {
	if int(t) >= len(typeNames) {
		return fmt.Sprintf("type %d", uint8(t))
	}
	return typeNames[t]
}

func (t Type) isKnown() bool { return t >= Write && t <= lastType }

// Flags of a packet of memory-based communication.
type Flags uint8

const (
	// Confirm asks for an acknowledgement.
	Confirm Flags = 1 << iota
	// Refused says in an acknowledgement, answer or result that the access has not been
	// done.
	Refused
	// Forwarded packets come from a node that the process has left.
	Forwarded
	// SentAgain marks a multicast that has been sent before; see Once.
	SentAgain
	// Listed says that a multicast which switches copy has lists of nodes in front of its
	// data; see NodeLists.
	Listed
)

// Limits of the packets of memory-based communication.
const (
	PageSize     = 4096     // bytes; no access crosses from one page into another
	MaxData      = PageSize // bytes of data in a packet
	MaxFlags     = 1<<5 - 1
	MaxRouteStep = 1<<15 - 1 // largest element of a route
	Overhead     = 30        // bytes of a packet without those of its route and its data
)

// Identity is what a process is known by to the network: the process id, and an access id,
// which is the right to access its memory. Only who has been told the access id can name it.
type Identity struct {
	Process, Access uint16
}

// Header is the header of a packet of memory-based communication. On the wire, with
// its trailer, it takes Overhead bytes and two for each switch of the route. The
// fields are those of SSS-CORE; their widths and order are ours.
type Header struct {
	Type  Type
	Flags Flags
	// Route has an element for each switch: an output, or for a multicast what stands for
	// several. What an element means is up to the switch.
	Route []uint16

	To Identity // access id: the one that the source believes the target to have
	// ToNode is the virtual node. A Multicast on its way has the number of the
	// interface there that has switches copy it; a receiver puts its own node in its place.
	ToNode uint16
	At     uint32 // virtual address in the target process
	Size   int    // bytes of data; of a Read, bytes that it asks for

	From     Identity // stamped by the interface that sends; see Context
	FromNode uint16   // virtual node; stamped, too
	// ReplyTo is the virtual address in the source process of the flag for the
	// acknowledgement, or of the place for the answer or the result.
	ReplyTo uint32
	// Sequence numbers the packets of a reliable channel; of a Multicast, those that
	// the interface has switches copy which ToNode names.
	Sequence uint16
}

// Data returns how many bytes of data the packet has.
func (h *Header) Data() int {
	if h.Type == Read {
		return 0
	}
	return h.Size
}

// Bytes returns how many bytes the packet takes on the wire.
func (h *Header) Bytes() int { return Overhead + 2*len(h.Route) + h.Data() }

// Reach returns how many bytes from At on the packet accesses. For a Chain and what is
// Listed, where only the data tells that, it returns 0; see ChainWrite and CopyWrite.
func (h *Header) Reach() int {
	switch h.Type {
	case Multicast:
		if h.Flags&Listed != 0 {
			return 0
		}
		return h.Size
	case Write, Read, Answer:
		return h.Size
	case FetchOp, CompareSwap, Sequence: // a sequence has all words in the page of the first
		return onesided.WordSize
	case Result, Results:
		return h.Size
	}
	return 0
}

// WithinPage reports whether n bytes from an address on lie in one page. No bytes do.
func WithinPage(at uint32, n int) bool { return n <= PageSize-int(at%PageSize) }

// Reply makes the header that of a packet of so many bytes back to the source, from the
// process that has been accessed. It has no route yet, and keeps the memory for it.
func (h *Header) Reply(t Type, size int) {
	*h = Header{
		Type: t, Flags: h.Flags & Refused, Route: h.Route[:0], Size: size,
		To: h.From, ToNode: h.FromNode, At: h.ReplyTo,
		From: h.To, FromNode: h.ToNode,
	}
}

// Check fails if a field has a value that the packet format cannot carry, if the size is
// not one that the type can have, or if the access crosses a page boundary, at the target
// or, with the answer, at the source.
func (h *Header) Check() error {
	switch {
	case !h.Type.isKnown():
		return fmt.Errorf("mbc: header has type %d; expected %d (%v) to %d (%v)", uint8(h.Type), uint8(Write), Write, uint8(lastType), lastType)
	case h.Flags > MaxFlags:
		return fmt.Errorf("mbc: header has flags %#x; expected at most %#x", uint8(h.Flags), MaxFlags)
	case h.Size < 0 || h.Size > MaxData:
		return fmt.Errorf("mbc: %v of %d bytes; expected 0 to %d", h.Type, h.Size, MaxData)
	case !WithinPage(h.At, h.Reach()):
		return fmt.Errorf("mbc: %v of %d bytes at address %#x crosses a page boundary; expected it to lie in one page of %d", h.Type, h.Reach(), h.At, PageSize)
	case h.Type == Read && !WithinPage(h.ReplyTo, h.Size):
		return fmt.Errorf("mbc: answer of %d bytes at address %#x crosses a page boundary; expected it to lie in one page of %d", h.Size, h.ReplyTo, PageSize)
	case h.isAtomic() && h.At%onesided.WordSize != 0:
		return fmt.Errorf("mbc: %v at address %#x; expected a multiple of %d", h.Type, h.At, onesided.WordSize)
	}
	if err := h.checkSize(); err != nil {
		return err
	}
	return h.checkRoute()
}

func (h *Header) isAtomic() bool {
	return h.Type == FetchOp || h.Type == CompareSwap || h.Type == Sequence
}

// fixedSizes are the bytes of data of the types that have always as many; -1 for others.
var fixedSizes = [...]int{
	Write: -1, Read: -1, Answer: -1, Multicast: -1, Chain: -1,
	FetchOp: onesided.FetchOpBytes, CompareSwap: onesided.CompareSwapBytes, Result: onesided.WordSize,
	CombinedAck: tallyBytes, Ack: 0, Moved: 0, ChannelAck: 0, ChannelNack: 0, Stop: 0,
	Sequence: -1, Results: -1,
}

func (h *Header) checkSize() error {
	want := fixedSizes[h.Type]
	if h.Type == Result && h.Flags&Refused != 0 {
		want = 0
	}
	if want >= 0 && h.Size != want {
		return fmt.Errorf("mbc: %v of %d bytes; expected %d", h.Type, h.Size, want)
	}
	return nil
}

func (h *Header) checkRoute() error {
	for i, step := range h.Route {
		if step > MaxRouteStep {
			return fmt.Errorf("mbc: element %d of a route is %d; expected at most %d", i, step, MaxRouteStep)
		}
	}
	return nil
}

// ParseAtomic reads the atomic operation of a packet of a type. It fails if the type has
// none, or if the data is not one that is known.
func ParseAtomic(t Type, data []byte) (onesided.Atomic, error) {
	want := fixedSizes[t]
	if t != FetchOp && t != CompareSwap || len(data) != want {
		return onesided.Atomic{}, fmt.Errorf("mbc: %v with %d bytes of data; expected %d in a %v or %d in a %v", t, len(data), onesided.FetchOpBytes, FetchOp, onesided.CompareSwapBytes, CompareSwap)
	}
	a, err := onesided.ParseAtomic(data)
	if err != nil {
		return onesided.Atomic{}, fmt.Errorf("mbc: %v with %w", t, err)
	}
	return a, nil
}

// AtomicType returns the type of packets with an atomic operation.
func AtomicType(a *onesided.Atomic) Type {
	if a.Compare {
		return CompareSwap
	}
	return FetchOp
}
