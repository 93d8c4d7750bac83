package shm

import (
	"sync/atomic"
	"unsafe"

	"musubi/live/wire"
)

// Lane is an endpoint for a program that is not in Go, which writes short messages to the rings and takes
// them by itself, while no call is in this package. abi/front/short.h has the same type, and
// short.c what an endpoint does in the plain case: there is room, and no record lies across the wall.
type Lane struct {
	Writer *WriterState
	Reader *ReaderState

	out, in         unsafe.Pointer // rings
	lineOut, lineIn *Half
	takenIn         *atomic.Uint64 // what the other rank sees of the reader
	takenOut        *atomic.Uint64 // what the other rank has taken
	bytes           uint64         // of each ring
	flushBytes      uint64         // that are taken before the other rank sees it
	message, skip   uint64         // kinds of records, where words have them
	LongestIn       uint64         // body to take
	sleeping        *atomic.Uint32 // word of the other rank that tells whether it sleeps, and has to be woken; nil: ranks do not
}

// Lane returns the lane of an endpoint, for messages of up to so many bytes of data.
func (e *Endpoint) Lane(longest int) Lane {
	e.lane = min(e.Out.Most, longest+WordBytes)
	l := Lane{
		Writer: &e.Out.WriterState, Reader: &e.In.ReaderState,
		out: e.Out.begin, in: e.In.begin, lineOut: e.Out.common, lineIn: e.In.Common, takenIn: &e.In.Pair.tail, takenOut: &e.Out.Pair.tail,
		bytes: e.Out.mask + 1, flushBytes: e.In.flushBytes(),
		message: RecordWord(wire.Message, 0, 0), skip: RecordWord(wire.Skip, 0, 0),
	}
	e.limitInC()
	if e.Out.fenced {
		l.sleeping = &e.sender.Sleeping
	}
	return l
}

// throughCache is the longest body that a program in C writes in any case. It does so through the cache.
const throughCache = 4 << 10

// limitInC says which records a program in C writes: all messages that it may, unless it is faster to write long ones past the cache, or the copier
// is to find out.
func (e *Endpoint) limitInC() {
	if e.Out.inC = uint64(e.lane); !e.copier.usesCache() {
		e.Out.inC = uint64(min(e.lane, throughCache))
	}
}

// IsPlain reports whether a lane may be used now: no operation of the other rank has failed without its
// knowing, as records would have to say.
func (e *Endpoint) IsPlain() bool { return !e.failing }
