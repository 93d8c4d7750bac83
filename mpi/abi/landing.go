package abi

import (
	"musubi/mpi/abi/typemap"
	"musubi/mpi/internal/datatype"
)

// Where data comes from and where it goes. Contiguous data of a Direct host stays where it is; other
// data is copied to memory of this package, and from there when a request is complete.

// Landing is where data is put that arrives.
type Landing struct {
	At     int64
	Count  int
	Of     *Datatype
	Data   []byte // into which it is received
	Direct bool   // data is the program's memory
	Spread bool   // data has the gaps that memory has
	Pairs  bool   // data is pairs in a row, with the gaps that they have in memory
}

// Outgoing returns the data of count elements at an address, packed.
func (p *Process) Outgoing(at int64, count int, t *Datatype) []byte {
	return p.Packed(at, count, &t.Type)
}

func (p *Process) Packed(at int64, count int, t *typemap.Type) []byte {
	bytes := count * t.Size
	if bytes == 0 {
		return nil
	}
	if t.Simple {
		return p.Host.View(uintptr(at), bytes)
	}
	data := make([]byte, bytes)
	low, span := t.Span(count)
	t.Pack(data, p.Host.View(uintptr(at+int64(low)), span), low, count)
	return data
}

// Gaps returns the memory of count elements at an address, and which of its bytes are theirs, if these are few runs or
// lie equally far apart. Then package core can send them from there, and receive them there.
func (p *Process) Gaps(at int64, count int, t *Datatype) (memory []byte, of *datatype.Type, ok bool) {
	if t.Simple || count == 0 || t.Size == 0 || p.Engine.Messenger == nil || !p.Host.Direct() {
		return nil, nil, false
	}
	b := t.bytes(count)
	if !b.ok {
		return nil, nil, false
	}
	return p.Host.View(uintptr(at+int64(b.low)), b.of.Extent), &b.of, true
}

// InPlace is where elements land that package core puts into the program's memory: nothing is left to do.
func InPlace(memory []byte, of *datatype.Type, t *Datatype) Landing {
	return Landing{Of: t, Data: memory[:of.Size], Direct: true} // the length of the data is that of the elements
}

// Landing returns where count elements at an address are received.
func (p *Process) Landing(at int64, count int, t *Datatype) Landing {
	bytes := count * t.Size
	l := Landing{At: at, Count: count, Of: t}
	switch {
	case bytes == 0:
		l.Direct = true
	case t.Simple && p.Host.Direct():
		l.Data, l.Direct = p.Host.View(uintptr(at), bytes), true
	default:
		l.Data = make([]byte, bytes)
	}
	return l
}

// Splits reports whether so many bytes end within an element of a type with gaps.
func (l *Landing) Splits(bytes int) bool {
	if l.Of == nil || l.Of.Simple || l.Of.Element.Bytes == 0 || l.Of.Element.Kind.IsForeign() {
		return false
	}
	return bytes%l.Of.Element.Bytes != 0
}

// Put puts what has arrived, so many bytes, into the program's memory.
func (l *Landing) Put(p *Process, bytes int) {
	bytes = min(bytes, len(l.Data))
	if l.Direct || bytes == 0 {
		return
	}
	if l.Spread || l.Pairs {
		packed := make([]byte, l.Count*l.Of.Size)
		if pair := p.TypeAt(l.Of.Element.Basic); l.Pairs {
			pair.Pack(packed, l.Data, 0, len(l.Data)/pair.Extent())
		} else {
			l.Of.Pack(packed, l.Data, l.Of.Lower, l.Count)
		}
		p.Scatter(l.At, packed, l.Count, l.Of)
		return
	}
	p.Scatter(l.At, l.Data[:bytes], l.Count, l.Of)
}

// Scatter puts data to where elements at an address have it. It may be less than that of all of them, and the program need
// not have the memory of the others.
func (p *Process) Scatter(at int64, data []byte, count int, t *Datatype) {
	if len(data) == 0 {
		return
	}
	count = min(count, (len(data)+t.Size-1)/t.Size)
	if t.Simple {
		p.Store(at, data)
		return
	}
	low, span := t.Span(count)
	memory := p.Host.View(uintptr(at+int64(low)), span)
	t.Unpack(memory, data, low, count)
	if !p.Host.Direct() {
		p.Store(at+int64(low), memory)
	}
}

// scratch is memory in the process of the program that this package has allocated there.
type scratch struct {
	at    int64
	bytes int
}

// ScratchFor returns the address of memory of the program for so many bytes.
func (p *Process) ScratchFor(which, bytes int) int64 {
	s := &p.scratch[which]
	if s.bytes < bytes {
		if s.at != 0 {
			p.Ask(Free, s.at)
		}
		s.bytes = max(bytes, 4096, 2*s.bytes)
		s.at, _ = p.Ask(Allocate, int64(s.bytes))
	}
	return s.at
}
