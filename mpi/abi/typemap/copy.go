package typemap

import (
	"encoding/binary"
	"slices"
)

var native = binary.NativeEndian

// Pack copies the data of elements out of memory that begins at low from their address.
func (t *Type) Pack(into, memory []byte, low, count int) {
	each(t.inRow(count), -low, func(s *Series, base int) bool {
		into = s.gather(into, memory, base)
		return true
	})
}

// gather copies the contiguous pieces of a series from base on, and returns the room behind them.
func (s *Series) gather(into, memory []byte, base int) []byte {
	at := base + s.At
	switch s.Bytes { // a move each, in place of a call
	case 4:
		for range s.Count {
			native.PutUint32(into, native.Uint32(memory[at:]))
			into, at = into[4:], at+s.Stride
		}
	case 8:
		for range s.Count {
			native.PutUint64(into, native.Uint64(memory[at:]))
			into, at = into[8:], at+s.Stride
		}
	default:
		for range s.Count {
			into = into[copy(into, memory[at:][:s.Bytes]):]
			at += s.Stride
		}
	}
	return into
}

// Unpack is the opposite of Pack, of as many bytes as there are.
func (t *Type) Unpack(memory, from []byte, low, count int) {
	each(t.inRow(count), -low, func(s *Series, base int) bool {
		from = s.scatter(memory, from, base)
		return len(from) > 0
	})
}

// scatter copies to the contiguous pieces of a series from base on, as far as there is data, and returns what is left.
func (s *Series) scatter(memory, from []byte, base int) []byte {
	at := base + s.At
	whole := min(s.Count, len(from)/s.Bytes)
	switch s.Bytes {
	case 4:
		for range whole {
			native.PutUint32(memory[at:], native.Uint32(from))
			from, at = from[4:], at+s.Stride
		}
	case 8:
		for range whole {
			native.PutUint64(memory[at:], native.Uint64(from))
			from, at = from[8:], at+s.Stride
		}
	default:
		for range whole {
			from = from[copy(memory[at:][:s.Bytes], from):]
			at += s.Stride
		}
	}
	if whole < s.Count && len(from) > 0 { // the data ends within a piece
		from = from[copy(memory[at:], from):]
	}
	return from
}

// ExternalSize is how many bytes an element has in external32 (MPI 5.0, section 14.5.2).
func (t *Type) ExternalSize() int { return externalSize(t.Parts) }

func externalSize(parts []Part) (bytes int) {
	for i := range parts {
		if p := &parts[i]; p.Of != nil {
			bytes += p.Count * externalSize(p.Of)
		} else {
			bytes += p.Count * p.Bytes / p.Word * p.External
		}
	}
	return bytes
}

// FromExternalSize is how many bytes FromExternal makes of so many.
func (t *Type) FromExternalSize(external int) (bytes int) {
	each := t.ExternalSize()
	if each == 0 {
		return 0
	}
	bytes = external / each * t.Size
	left := external % each
	basicParts(t.Parts, func(p *Part) {
		all := p.Count * p.Bytes / p.Word
		whole := min(all, left/p.External)
		bytes += whole * p.Word
		if left -= whole * p.External; whole < all {
			left = 0
		}
	})
	return bytes
}

// basicParts visits all basic elements, those in a row at once.
func basicParts(parts []Part, visit func(p *Part)) {
	for i := range parts {
		p := &parts[i]
		if p.Of == nil {
			visit(p)
			continue
		}
		for range p.Count {
			basicParts(p.Of, visit)
		}
	}
}

// ToExternal returns packed elements as external32 has them: the bytes of each word turned around, and
// no more than external32 has. The two numbers of a complex one keep their places.
func (t *Type) ToExternal(data []byte) []byte {
	var external []byte
	for len(data) > 0 {
		basicParts(t.Parts, func(p *Part) {
			for range p.Count * p.Bytes / p.Word {
				external = append(external, data[:p.External]...)
				slices.Reverse(external[len(external)-p.External:])
				data = data[p.Word:]
			}
		})
	}
	return external
}

// FromExternal is the opposite of ToExternal, as far as there are whole words.
func (t *Type) FromExternal(external []byte) []byte {
	var data []byte
	for len(external) > 0 {
		basicParts(t.Parts, func(p *Part) {
			for range p.Count * p.Bytes / p.Word {
				if len(external) < p.External {
					external = nil
					return
				}
				data = append(data, external[:p.External]...)
				slices.Reverse(data[len(data)-p.External:])
				fill := byte(0)
				if p.Signed && external[0] >= 0x80 {
					fill = 0xff
				}
				for range p.Word - p.External {
					data = append(data, fill)
				}
				external = external[p.External:]
			}
		})
	}
	return data
}
