package nic

import "fmt"

// MemoryType says what a packet of memory-based communication is for. It is the first
// byte of a packet, so that switches can tell at once what they have to copy or to combine.
type MemoryType uint8

// Types. Zero is none of them.
const (
	// MemoryWrite writes its data.
	MemoryWrite MemoryType = 1 + iota
	// MemoryRead asks for Size bytes, which a MemoryAnswer brings to ReplyTo.
	MemoryRead
	MemoryAnswer
	// MemoryFetchOp and MemoryCompareSwap change a word of 8 bytes atomically, as their
	// data says; see Atomic. A MemoryResult brings to ReplyTo what was there before.
	MemoryFetchOp
	MemoryCompareSwap
	MemoryResult
	// MemoryAck tells the source of an access that it is done, or refused. It is itself a
	// write, of the flag at ReplyTo.
	MemoryAck
	// MemoryCombinedAck is one acknowledgement for many: its data is an AckTally.
	MemoryCombinedAck
	// MemoryMulticast is a write that switches copy: the hierarchical form.
	MemoryMulticast
	// MemoryChain is a write that each interface sends on to the next of the list which
	// is in front of its data; see PassChain.
	MemoryChain
	// MemoryMoved tells a source that the process which it has sent something to runs on
	// another node now, so that its route is stale.
	MemoryMoved
	// ChannelAck and ChannelNack are those of the reliable channel from one node to
	// another; see Outbox.
	ChannelAck
	ChannelNack
)

var memoryTypeNames = [...]string{
	"no type", "write", "read", "answer", "fetch-and-op", "compare-and-swap", "result", "ack", "combined ack",
	"multicast", "chain", "moved", "channel ack", "channel nack",
}

func (t MemoryType) String() string {
	if int(t) >= len(memoryTypeNames) {
		return fmt.Sprintf("type %d", uint8(t))
	}
	return memoryTypeNames[t]
}

func (t MemoryType) isKnown() bool { return t >= MemoryWrite && t <= ChannelNack }

// MemoryFlags of a packet of memory-based communication.
type MemoryFlags uint8

const (
	// Confirm asks for an acknowledgement.
	Confirm MemoryFlags = 1 << iota
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
	PageSize       = 4096     // bytes; no access crosses from one page into another
	MaxMemoryData  = PageSize // bytes of data in a packet
	MaxMemoryFlags = 1<<5 - 1
	MaxRouteStep   = 1<<15 - 1 // largest element of a route
	MemoryOverhead = 30        // bytes of a packet without those of its route and its data
)

// Identity is what a process is known by to the network: the process id, and an access id,
// which is the right to access its memory. Only who has been told the access id can name it.
type Identity struct {
	Process, Access uint16
}

// MemoryHeader is the header of a packet of memory-based communication. On the wire, with
// its trailer, it takes MemoryOverhead bytes and two for each switch of the route. The
// fields are those of SSS-CORE; their widths and order are ours.
type MemoryHeader struct {
	Type  MemoryType
	Flags MemoryFlags
	// Route has an element for each switch: an output, or for a multicast what stands for
	// several. What an element means is up to the switch.
	Route []uint16

	To Identity // access id: the one that the source believes the target to have
	// ToNode is the virtual node. A MemoryMulticast on its way has the number of the
	// interface there that has switches copy it; a receiver puts its own node in its place.
	ToNode uint16
	At     uint32 // virtual address in the target process
	Size   int    // bytes of data; of a MemoryRead, bytes that it asks for

	From     Identity // stamped by the interface that sends; see Context
	FromNode uint16   // virtual node; stamped, too
	// ReplyTo is the virtual address in the source process of the flag for the
	// acknowledgement, or of the place for the answer or the result.
	ReplyTo uint32
	// Sequence numbers the packets of a reliable channel; of a MemoryMulticast, those that
	// the interface has switches copy which ToNode names.
	Sequence uint16
}

// Data returns how many bytes of data the packet has.
func (h *MemoryHeader) Data() int {
	if h.Type == MemoryRead {
		return 0
	}
	return h.Size
}

// Bytes returns how many bytes the packet takes on the wire.
func (h *MemoryHeader) Bytes() int { return MemoryOverhead + 2*len(h.Route) + h.Data() }

// Reach returns how many bytes from At on the packet accesses. For a MemoryChain and what is
// Listed, where only the data tells that, it returns 0; see ChainWrite and CopyWrite.
func (h *MemoryHeader) Reach() int {
	switch h.Type {
	case MemoryMulticast:
		if h.Flags&Listed != 0 {
			return 0
		}
		return h.Size
	case MemoryWrite, MemoryRead, MemoryAnswer:
		return h.Size
	case MemoryFetchOp, MemoryCompareSwap:
		return WordSize
	case MemoryResult:
		return h.Size
	}
	return 0
}

// WithinPage reports whether n bytes from an address on lie in one page. No bytes do.
func WithinPage(at uint32, n int) bool { return n <= PageSize-int(at%PageSize) }

// Reply makes the header that of a packet of so many bytes back to the source, from the
// process that has been accessed. It has no route yet, and keeps the memory for it.
func (h *MemoryHeader) Reply(t MemoryType, size int) {
	*h = MemoryHeader{
		Type: t, Flags: h.Flags & Refused, Route: h.Route[:0], Size: size,
		To: h.From, ToNode: h.FromNode, At: h.ReplyTo,
		From: h.To, FromNode: h.ToNode,
	}
}

// Check fails if a field has a value that the packet format cannot carry, if the size is
// not one that the type can have, or if the access crosses a page boundary, at the target
// or, with the answer, at the source.
func (h *MemoryHeader) Check() error {
	switch {
	case !h.Type.isKnown():
		return fmt.Errorf("nic: header has type %d; expected %d (%v) to %d (%v)", uint8(h.Type), uint8(MemoryWrite), MemoryWrite, uint8(ChannelNack), ChannelNack)
	case h.Flags > MaxMemoryFlags:
		return fmt.Errorf("nic: header has flags %#x; expected at most %#x", uint8(h.Flags), MaxMemoryFlags)
	case h.Size < 0 || h.Size > MaxMemoryData:
		return fmt.Errorf("nic: %v of %d bytes; expected 0 to %d", h.Type, h.Size, MaxMemoryData)
	case !WithinPage(h.At, h.Reach()):
		return fmt.Errorf("nic: %v of %d bytes at address %#x crosses a page boundary; expected it to lie in one page of %d", h.Type, h.Reach(), h.At, PageSize)
	case h.Type == MemoryRead && !WithinPage(h.ReplyTo, h.Size):
		return fmt.Errorf("nic: answer of %d bytes at address %#x crosses a page boundary; expected it to lie in one page of %d", h.Size, h.ReplyTo, PageSize)
	case h.isAtomic() && h.At%WordSize != 0:
		return fmt.Errorf("nic: %v at address %#x; expected a multiple of %d", h.Type, h.At, WordSize)
	}
	if err := h.checkSize(); err != nil {
		return err
	}
	return h.checkRoute()
}

func (h *MemoryHeader) isAtomic() bool {
	return h.Type == MemoryFetchOp || h.Type == MemoryCompareSwap
}

// fixedSizes are the bytes of data of the types that have always as many; -1 for others.
var fixedSizes = [...]int{
	MemoryWrite: -1, MemoryRead: -1, MemoryAnswer: -1, MemoryMulticast: -1, MemoryChain: -1,
	MemoryFetchOp: fetchOpBytes, MemoryCompareSwap: compareSwapBytes, MemoryResult: WordSize,
	MemoryCombinedAck: tallyBytes, MemoryAck: 0, MemoryMoved: 0, ChannelAck: 0, ChannelNack: 0,
}

func (h *MemoryHeader) checkSize() error {
	want := fixedSizes[h.Type]
	if h.Type == MemoryResult && h.Flags&Refused != 0 {
		want = 0
	}
	if want >= 0 && h.Size != want {
		return fmt.Errorf("nic: %v of %d bytes; expected %d", h.Type, h.Size, want)
	}
	return nil
}

func (h *MemoryHeader) checkRoute() error {
	for i, step := range h.Route {
		if step > MaxRouteStep {
			return fmt.Errorf("nic: element %d of a route is %d; expected at most %d", i, step, MaxRouteStep)
		}
	}
	return nil
}
