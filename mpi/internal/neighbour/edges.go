package neighbour

import (
	"encoding/binary"
	"unsafe"

	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/collective"
	"musubi/mpi/internal/datatype"
	"musubi/rma"
)

// inEdge is an edge to this rank.
type inEdge struct {
	rank    int            // in the communicator
	into    []byte         // where the data comes: the program's memory, or a buffer
	packed  *datatype.Type // nil: the data lies together
	spot    spot           // of into
	buffer  []byte         // for the data of some rounds, if the edge is eager
	slots   int            // of the buffer
	paired  bool           // see pairEdges
	word    int            // that tells that the data is there
	station int            // whose queue the sender is told with, and takes what comes; -1: none
	notice  bool           // which then tells that the data is there
	far     outFacts
}

// outEdge is an edge from this rank.
type outEdge struct {
	rank    int
	from    []byte         // the program's memory, or a buffer
	packed  *datatype.Type // nil: the data lies together
	word    int            // that tells that the receiver is ready
	station int            // whose queue sends the data if the receiver can release it; -1: none
	paired  bool           // see pairEdges
	far     inFacts
}

// byNotice reports whether a queue tells that the data of the edge is there.
func (in *inEdge) byNotice() bool { return in.notice }

// byCommand reports whether a queue sends the data of the edge.
func (out *outEdge) byCommand() bool { return out.station >= 0 && out.far.TargetQueue != 0 }

// toSend returns what the receiver has room for.
func (out *outEdge) toSend() []byte { return out.from[:min(len(out.from), int(out.far.Bytes))] }

// spot is memory of a rank that others write to.
type spot struct{ Segment, Offset int64 }

// memory is what an operation exposes.
type memory struct {
	segments []int
	words    []byte // that others write to: one for each edge
	at       spot   // of words
	own      []byte // the number of the round, to be sent
	matrix   [2][]byte
}

const wordBytes = 8

func newExchange(r *collective.Operation, o Options) *exchange {
	x := &exchange{c: r.C, e: r.C.Engine, all: exchangesOf(r.C.Engine), call: r.Call, tag: r.C.PersistentTag(), options: o}
	x.plan.Reason = "it is planned when it is started"
	x.addEdges(&r.Arguments)
	x.expose()
	x.all.all = append(x.all.all, x)
	return x
}

// addEdges takes the edges in the order in which messages would be sent and received,
// which is how both ends know which is which. Queues send in that order too: a program
// that names its neighbours one way round on all ranks has them not get in each other's
// way.
func (x *exchange) addEdges(a *algorithm.Arguments) {
	n := a.Near
	for i, rank := range n.Sources {
		if rank < 0 {
			continue
		}
		in := inEdge{rank: rank, station: -1}
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
		out := outEdge{rank: rank, station: -1}
		if a.Layouts == nil {
			out.from = a.Ins[i]
		} else {
			out.from, out.packed = memoryFor(&a.Layouts.To[i], a.In)
		}
		x.outs = append(x.outs, out)
	}
	x.matrix = [2][]byte{a.In, a.Out}
}

// memoryFor returns memory for the bytes that a type names: their own if they follow each other,
// or a buffer.
func memoryFor(t *datatype.Type, memory []byte) ([]byte, *datatype.Type) {
	switch t.Runs() {
	case 0:
		return nil, nil
	case 1:
		r := t.Run(0)
		return memory[r.At:][:r.Bytes], nil
	}
	return make([]byte, t.Size), t
}

// expose lets others write to where data comes and to words, and lets the interface read
// what is sent.
func (x *exchange) expose() {
	words := make([]uint64, 1)
	x.own = unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), wordBytes)
	x.exposeMemory(x.own)
	for i := range x.ins {
		x.ins[i].word = i
		x.ins[i].spot.Segment = int64(x.exposeMemory(x.ins[i].into))
	}
	known := map[*byte]int{}
	for i := range x.outs {
		out := &x.outs[i]
		out.word = len(x.ins) + i
		begin := unsafe.SliceData(out.from)
		if known[begin] < len(out.from) { // an operation may send the same to all
			x.exposeMemory(out.from)
			known[begin] = len(out.from)
		}
	}
	x.exposeWords()
}

// exposeMemory returns the segment of some memory, 0 if that is empty, which nobody
// accesses.
func (x *exchange) exposeMemory(memory []byte) int {
	if len(memory) == 0 {
		return 0
	}
	segment := x.e.Process.Expose(memory)
	x.segments = append(x.segments, segment)
	return segment
}

// exposeWords makes the words where they are written to fastest.
func (x *exchange) exposeWords() {
	n := wordBytes * (len(x.ins) + len(x.outs))
	segment, words, err := x.e.Process.ExposeWindow(n)
	if err != nil {
		words = make([]byte, n)
		segment = x.e.Process.Expose(words)
	}
	clear(words)
	x.words, x.at = words, spot{Segment: int64(segment)}
	x.segments = append(x.segments, segment)
}

func (x *exchange) word(i int) uint64 { return binary.LittleEndian.Uint64(x.words[wordBytes*i:]) }

func (x *exchange) spotOfWord(i int) spot {
	return spot{x.at.Segment, x.at.Offset + int64(wordBytes*i)}
}

// far returns an address at a rank.
func (x *exchange) far(rank int, p spot) rma.Address {
	return rma.Address{Rank: int(x.c.Process(rank)), Segment: int(p.Segment), Offset: int(p.Offset)}
}

// packAll brings what does not lie together to where it is sent from.
func (x *exchange) packAll() {
	for i := range x.outs {
		if out := &x.outs[i]; out.packed != nil {
			out.packed.Pack(out.from, x.matrix[0])
		}
	}
}

// unpackAll brings what has come, and does not lie together, to where it belongs.
func (x *exchange) unpackAll() {
	for i := range x.ins {
		if in := &x.ins[i]; in.packed != nil {
			in.packed.Unpack(x.matrix[1], in.into[:min(len(in.into), int(in.far.Bytes))])
		}
	}
}

// withdraw takes back what has been exposed.
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
