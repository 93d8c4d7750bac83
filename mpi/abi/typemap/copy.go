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

// Swap turns the bytes of each basic element of packed data around, as external32 has them. The two
// numbers of a complex one keep their places.
func (t *Type) Swap(data []byte) {
	for len(data) > 0 {
		for _, p := range t.Parts {
			for range p.Count * p.Bytes / p.Word {
				slices.Reverse(data[:p.Word])
				data = data[p.Word:]
			}
		}
	}
}
