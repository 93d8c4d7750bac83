package neighbour

import (
	"encoding/binary"
	"unsafe"

	"musubi/internal/phantom"
	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/collective"
	"musubi/mpi/internal/datatype"
	"musubi/rma"
)

// inEdge is an edge to this rank.
type inEdge struct {
	rank     int            // in the communicator
	into     []byte         // where the data goes: the program's memory, or a buffer
	packed   *datatype.Type // nil: the data is contiguous
	location location       // of into
	buffer   []byte         // for the data of some rounds, if the edge is eager
	slots    int            // of the buffer
	paired   bool           // see pairEdges
	word     int            // EOD: tells that the data is there
	queue    int            // queue that sends the RTR and receives the data; -1: none
	notice   bool           // a notice of queue tells that the data is there
	far      senderInfo
}

// outEdge is an edge from this rank.
type outEdge struct {
	rank   int
	from   []byte         // the program's memory, or a buffer
	packed *datatype.Type // nil: the data is contiguous
	word   int            // RTR: tells that the receiver is ready
	queue  int            // queue that sends the data if the receiver can release it; -1: none
	paired bool           // see pairEdges
	far    receiverInfo

	location   location // of from
	agentQueue int      // queue of the agent that sends the data, from 1 on; 0: none
}

// byCommand reports whether a queue sends the data of the edge.
func (out *outEdge) byCommand() bool {
	return (out.queue >= 0 || out.agentQueue > 0) && out.far.TargetQueue != 0
}

// toSend returns the data, as much of it as the receiver has room for.
func (out *outEdge) toSend() []byte { return out.from[:min(len(out.from), int(out.far.Bytes))] }

// location is memory of a rank that others write to.
type location struct{ Segment, Offset int64 }

// memory is the memory that an operation exposes.
type memory struct {
	segments []int
	words    []byte   // that others write to: one for each edge, and one for each queue of an agent
	at       location // of words
	own      []byte   // the number of the round, to be sent
	matrix   [2][]byte
}

const wordBytes = 8

func newExchange(c *collective.Comm, call string, tags connectTags, o Options, a *algorithm.Arguments) *exchange {
	x := &exchange{c: c, e: c.Engine, all: exchangesOf(c.Engine), call: call, tags: tags, options: o}
	x.plan.Reason = "it is planned when it is started"
	x.addEdges(a)
	x.expose()
	x.all.all = append(x.all.all, x)
	return x
}

// addEdges adds the edges in the order in which messages would be sent and received, so that both
// ends match them alike. Queues send in that order, too: if all ranks name their neighbours in the
// same direction, their data does not contend for the same receiver.
func (x *exchange) addEdges(a *algorithm.Arguments) {
	n := a.Near
	for i, rank := range n.Sources {
		if rank < 0 {
			continue
		}
		in := inEdge{rank: rank, queue: -1}
		if a.Layouts == nil {
			in.into = a.Outs[i]
		} else {
			in.into, in.packed = memoryFor(&a.Layouts.From[i], a.Out)
		}
		x.ins = append(x.ins, in)
	}
	for i := range n.Destinations {
		if n.Mirrored {
			i ^= 1
		}
		rank := n.Destinations[i]
		if rank < 0 {
			continue
		}
		out := outEdge{rank: rank, queue: -1}
		if a.Layouts == nil {
			out.from = a.Ins[i]
		} else {
			out.from, out.packed = memoryFor(&a.Layouts.To[i], a.In)
		}
		x.outs = append(x.outs, out)
	}
	x.matrix = [2][]byte{a.In, a.Out}
}

// memoryFor returns memory for the bytes that a type names: their own if they are contiguous, or a
// buffer.
func memoryFor(t *datatype.Type, memory []byte) ([]byte, *datatype.Type) {
	switch t.Runs() {
	case 0:
		return nil, nil
	case 1:
		r := t.Run(0)
		return memory[r.At:][:r.Bytes], nil
	}
	return phantom.Like(memory, t.Size), t
}

// expose exposes the memory that other ranks write, data and words, and the data to be sent.
func (x *exchange) expose() {
	words := make([]uint64, 1)
	x.own = unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), wordBytes)
	x.exposeMemory(x.own)
	for i := range x.ins {
		x.ins[i].word = i
		x.ins[i].location.Segment = int64(x.exposeMemory(x.ins[i].into))
	}
	type piece struct{ segment, length int }
	known := map[*byte]piece{}
	for i := range x.outs {
		out := &x.outs[i]
		out.word = len(x.ins) + i
		begin := unsafe.SliceData(out.from)
		if known[begin].length < len(out.from) { // an operation may send the same data along several edges
			known[begin] = piece{x.exposeMemory(out.from), len(out.from)}
		}
		out.location.Segment = int64(known[begin].segment)
	}
	x.exposeWords()
}

// exposeMemory exposes memory and returns its segment, 0 for empty memory, which nobody accesses.
func (x *exchange) exposeMemory(memory []byte) int {
	if len(memory) == 0 {
		return 0
	}
	segment := x.e.Process.Expose(memory)
	x.segments = append(x.segments, segment)
	return segment
}

// exposeWords exposes the words in memory of the interface if it has any, where others write them
// fastest.
func (x *exchange) exposeWords() {
	n := wordBytes * (len(x.ins) + len(x.outs))
	if x.options.Protocol == Agent {
		n = wordBytes * x.lengthWord(mostAgentQueues)
	}
	segment, words, err := x.e.Process.ExposeWindow(n)
	if err != nil {
		words = make([]byte, n)
		segment = x.e.Process.Expose(words)
	}
	clear(words)
	x.words, x.at = words, location{Segment: int64(segment)}
	x.segments = append(x.segments, segment)
}

func (x *exchange) word(i int) uint64 { return binary.LittleEndian.Uint64(x.words[wordBytes*i:]) }

func (x *exchange) locationOfWord(i int) location {
	return location{x.at.Segment, x.at.Offset + int64(wordBytes*i)}
}

// far returns an address at a rank.
func (x *exchange) far(rank int, p location) rma.Address {
	return rma.Address{Rank: int(x.c.Process(rank)), Segment: int(p.Segment), Offset: int(p.Offset)}
}

// packAll packs the data of edges that is not contiguous.
func (x *exchange) packAll() {
	for i := range x.outs {
		if out := &x.outs[i]; out.packed != nil {
			out.packed.Pack(out.from, x.matrix[0])
		}
	}
}

// unpackAll unpacks the data of edges that is not contiguous.
func (x *exchange) unpackAll() {
	for i := range x.ins {
		if in := &x.ins[i]; in.packed != nil {
			in.packed.Unpack(x.matrix[1], in.into[:min(len(in.into), int(in.far.Bytes))])
		}
	}
}

// withdraw withdraws all exposed memory.
func (x *exchange) withdraw() error {
	var first error
	for _, segment := range x.segments {
		if err := x.e.Process.Withdraw(segment); err != nil && first == nil {
			first = err
		}
	}
	x.memory = memory{}
	x.ins, x.outs = nil, nil
	return first
}
