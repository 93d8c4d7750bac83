package typemap

import "slices"

// Pack copies the data of elements out of memory that begins at low from their address.
func (t *Type) Pack(into, memory []byte, low, count int) {
	for i := range count {
		base := i*t.Extent() - low
		for _, r := range t.Runs {
			into = into[copy(into, memory[base+r.At:][:r.Bytes]):]
		}
	}
}

// Unpack is the opposite of Pack, of as many bytes as there are.
func (t *Type) Unpack(memory, from []byte, low, count int) {
	for i := range count {
		base := i*t.Extent() - low
		for _, r := range t.Runs {
			if len(from) == 0 {
				return
			}
			from = from[copy(memory[base+r.At:][:r.Bytes], from):]
		}
	}
}

// ExternalSize is how many bytes an element has in external32 (MPI 5.0, section 14.5.2).
func (t *Type) ExternalSize() (bytes int) {
	for _, p := range t.Parts {
		bytes += p.Count * p.Bytes / p.Word * p.External
	}
	return bytes
}

// ToExternal returns packed elements as external32 has them: the bytes of each word turned around, and
// no more than external32 has. The two numbers of a complex one keep their places.
func (t *Type) ToExternal(data []byte) []byte {
	var external []byte
	for len(data) > 0 {
		for _, p := range t.Parts {
			for range p.Count * p.Bytes / p.Word {
				external = append(external, data[:p.External]...)
				slices.Reverse(external[len(external)-p.External:])
				data = data[p.Word:]
			}
		}
	}
	return external
}

// FromExternal is the opposite of ToExternal.
func (t *Type) FromExternal(external []byte) []byte {
	var data []byte
	for len(external) > 0 {
		for _, p := range t.Parts {
			for range p.Count * p.Bytes / p.Word {
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
		}
	}
	return data
}
