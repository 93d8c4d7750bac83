package abi

import "musubi/mpi/abi/typemap"

// Where data comes from and where it goes. Contiguous data of a Direct host stays where it is; other
// data is copied to memory of this package, and from there when a request is complete.

// landing is where data is put that arrives.
type landing struct {
	at     int64
	count  int
	of     *datatype
	data   []byte // into which it is received
	direct bool   // data is the program's memory
	spread bool   // data has the gaps that memory has
	pairs  bool   // data is pairs in a row, with the gaps that they have in memory
}

// outgoing returns the data of count elements at an address, packed.
func (p *Process) outgoing(at int64, count int, t *datatype) []byte {
	return p.packed(at, count, &t.Type)
}

func (p *Process) packed(at int64, count int, t *typemap.Type) []byte {
	bytes := count * t.Size
	if bytes == 0 {
		return nil
	}
	if t.Simple {
		return p.host.View(uintptr(at), bytes)
	}
	data := make([]byte, bytes)
	low, span := t.Span(count)
	t.Pack(data, p.host.View(uintptr(at+int64(low)), span), low, count)
	return data
}

// landing returns where count elements at an address are received.
func (p *Process) landing(at int64, count int, t *datatype) landing {
	bytes := count * t.Size
	l := landing{at: at, count: count, of: t}
	switch {
	case bytes == 0:
		l.direct = true
	case t.Simple && p.host.Direct():
		l.data, l.direct = p.host.View(uintptr(at), bytes), true
	default:
		l.data = make([]byte, bytes)
	}
	return l
}

// splits reports whether so many bytes end within an element of a type with gaps.
func (l *landing) splits(bytes int) bool {
	if l.of == nil || l.of.Simple || l.of.Element.Bytes == 0 || l.of.Element.Kind.IsForeign() {
		return false
	}
	return bytes%l.of.Element.Bytes != 0
}

// put puts what has arrived, so many bytes, into the program's memory.
func (l *landing) put(p *Process, bytes int) {
	bytes = min(bytes, len(l.data))
	if l.direct || bytes == 0 {
		return
	}
	if l.spread || l.pairs {
		packed := make([]byte, l.count*l.of.Size)
		if pair := p.typeAt(l.of.Element.Basic); l.pairs {
			pair.Pack(packed, l.data, 0, len(l.data)/pair.Extent())
		} else {
			l.of.Pack(packed, l.data, l.of.Lower, l.count)
		}
		p.scatter(l.at, packed, l.count, l.of)
		return
	}
	p.scatter(l.at, l.data[:bytes], l.count, l.of)
}

// scatter puts data to where elements at an address have it.
func (p *Process) scatter(at int64, data []byte, count int, t *datatype) {
	if len(data) == 0 {
		return
	}
	if t.Simple {
		p.store(at, data)
		return
	}
	low, span := t.Span(count)
	memory := p.host.View(uintptr(at+int64(low)), span)
	t.Unpack(memory, data, low, count)
	if !p.host.Direct() {
		p.store(at+int64(low), memory)
	}
}

// scratch is memory in the process of the program that this package has allocated there.
type scratch struct {
	at    int64
	bytes int
}

// scratchFor returns the address of memory of the program for so many bytes.
func (p *Process) scratchFor(which, bytes int) int64 {
	s := &p.scratch[which]
	if s.bytes < bytes {
		if s.at != 0 {
			p.ask(Free, s.at)
		}
		s.bytes = max(bytes, 4096, 2*s.bytes)
		s.at, _ = p.ask(Allocate, int64(s.bytes))
	}
	return s.at
}
