package abi

import (
	"math/bits"
	"slices"

	"musubi/mpi/internal/reduction"
)

// run is contiguous bytes of an element, from its address on.
type run struct{ at, bytes int }

// part is some basic elements of one size in a row, in the order of the type.
type part struct{ bytes, count int }

// datatype is which bytes of memory an element is made of, and of what.
type datatype struct {
	handle          int64
	size            int // bytes of data
	lower, upper    int // bounds, of which the difference is the extent
	trueLow, trueUp int // bounds of the data
	runs            []run
	parts           []part
	simple          bool // the data is extent bytes from the address on
	element         element
	made            envelope
	name            string
	attributes      attributes
	committed       bool
	predefined      bool
}

// element is what reductions know about the basic type that all of a type is made of; the zero
// value is mixed.
type element struct {
	basic int64 // handle of the type
	kind  reduction.Kind
	bytes int
}

func (t *datatype) extent() int { return t.upper - t.lower }

// envelope is how a type was made.
type envelope struct {
	combiner  int
	ints      []int
	addresses []int
	counts    []int
	types     []int64
}

// block is count elements of a type in a row, from a place on.
type block struct {
	at, count int
	of        *datatype
}

// compose makes a type of blocks.
func compose(blocks []block, made envelope) *datatype {
	t := &datatype{made: made}
	boundless, empty := true, true
	for _, b := range blocks {
		if b.count <= 0 {
			continue
		}
		last := b.at + (b.count-1)*b.of.extent()
		low, up := min(b.at, last)+b.of.lower, max(b.at, last)+b.of.upper
		if boundless {
			t.lower, t.upper, boundless = low, up, false
		}
		t.lower, t.upper = min(t.lower, low), max(t.upper, up)
		if b.of.size > 0 {
			low, up := min(b.at, last)+b.of.trueLow, max(b.at, last)+b.of.trueUp
			if empty {
				t.trueLow, t.trueUp, empty = low, up, false
			}
			t.trueLow, t.trueUp = min(t.trueLow, low), max(t.trueUp, up)
		}
		t.size += b.count * b.of.size
		t.addRuns(b)
		t.addParts(b)
		if t.element == (element{}) {
			t.element = b.of.element
		} else if t.element.basic != b.of.element.basic {
			t.element = element{bytes: -1}
		}
	}
	if t.element.bytes < 0 {
		t.element = element{}
	}
	t.setSimple()
	return t
}

func (t *datatype) setSimple() {
	t.simple = t.size == t.extent() && t.lower == 0 && (t.size == 0 || len(t.runs) == 1 && t.runs[0].at == 0)
}

func (t *datatype) addRuns(b block) {
	if b.of.simple {
		t.addRun(run{b.at, b.count * b.of.size})
		return
	}
	for i := range b.count {
		for _, r := range b.of.runs {
			t.addRun(run{b.at + i*b.of.extent() + r.at, r.bytes})
		}
	}
}

// addRun appends a run, to the last one if it follows it.
func (t *datatype) addRun(r run) {
	if r.bytes == 0 {
		return
	}
	if last := len(t.runs) - 1; last >= 0 && t.runs[last].at+t.runs[last].bytes == r.at {
		t.runs[last].bytes += r.bytes
		return
	}
	t.runs = append(t.runs, r)
}

func (t *datatype) addParts(b block) {
	if len(b.of.parts) == 1 {
		t.addPart(part{b.of.parts[0].bytes, b.count * b.of.parts[0].count})
		return
	}
	for range b.count {
		for _, p := range b.of.parts {
			t.addPart(p)
		}
	}
}

func (t *datatype) addPart(p part) {
	if last := len(t.parts) - 1; last >= 0 && t.parts[last].bytes == p.bytes {
		t.parts[last].count += p.count
		return
	}
	t.parts = append(t.parts, p)
}

// basics returns how many basic elements so many bytes of data are, -1 if they end within one.
func (t *datatype) basics(bytes int) int {
	if t.size == 0 {
		return 0
	}
	whole := 0
	for _, p := range t.parts {
		whole += p.count
	}
	n := bytes / t.size * whole
	rest := bytes % t.size
	for _, p := range t.parts {
		if rest == 0 {
			return n
		}
		take := min(rest/p.bytes, p.count)
		n += take
		rest -= take * p.bytes
		if take < p.count && rest > 0 {
			return -1
		}
	}
	return n
}

// bytesOf returns how many bytes so many basic elements are.
func (t *datatype) bytesOf(basics int) int {
	whole := 0
	for _, p := range t.parts {
		whole += p.count
	}
	if whole == 0 {
		return 0
	}
	n := basics / whole * t.size
	rest := basics % whole
	for _, p := range t.parts {
		take := min(rest, p.count)
		n += take * p.bytes
		rest -= take
	}
	return n
}

// span returns the bounds of the data of so many elements.
func (t *datatype) span(count int) (low, bytes int) {
	if count <= 0 || t.size == 0 {
		return 0, 0
	}
	last := (count - 1) * t.extent()
	low = min(0, last) + t.trueLow
	return low, max(0, last) + t.trueUp - low
}

// pack copies the data of elements out of memory that begins at low from their address.
func (t *datatype) pack(into, memory []byte, low, count int) {
	for i := range count {
		base := i*t.extent() - low
		for _, r := range t.runs {
			into = into[copy(into, memory[base+r.at:][:r.bytes]):]
		}
	}
}

// unpack is the opposite of pack, of as many bytes as there are.
func (t *datatype) unpack(memory, from []byte, low, count int) {
	for i := range count {
		base := i*t.extent() - low
		for _, r := range t.runs {
			if len(from) == 0 {
				return
			}
			from = from[copy(memory[base+r.at:][:r.bytes], from):]
		}
	}
}

// clone is a type with the same data.
func (t *datatype) clone(made envelope) *datatype {
	n := *t
	n.handle, n.made, n.name, n.attributes, n.predefined, n.committed = 0, made, "", attributes{}, false, false
	n.runs, n.parts = slices.Clone(t.runs), slices.Clone(t.parts)
	return &n
}

// The types of the standard.

// predefinedTypes is the number of handles from cDatatypeNull on that the standard has for types.
const predefinedTypes = 0x100

// basicType is a type of the standard: its name, and its kind for reductions.
type basicType struct {
	handle int64
	name   string
	kind   reduction.Kind
	bytes  int
}

func (p *Process) makePredefined() {
	for _, b := range basicTypes {
		p.predefined[b.handle-cDatatypeNull] = &datatype{
			handle: b.handle, size: b.bytes, upper: b.bytes, trueUp: b.bytes, runs: []run{{0, b.bytes}}, parts: []part{{b.bytes, 1}}, simple: true,
			element: element{b.handle, b.kind, b.bytes}, made: envelope{combiner: cCombinerNamed}, name: b.name, committed: true, predefined: true,
		}
	}
	for _, b := range pairTypes {
		t := p.predefined[:][b.handle-cDatatypeNull:]
		index := (b.value + 3) / 4 * 4
		extent := index + 4
		if b.value > 4 {
			extent = (extent + b.value - 1) / b.value * b.value
		}
		runs := []run{{0, b.value}, {index, 4}}
		if b.value == index {
			runs = []run{{0, b.value + 4}}
		}
		t[0] = &datatype{
			handle: b.handle, size: b.value + 4, upper: extent, trueUp: index + 4, runs: runs, parts: []part{{b.value, 1}, {4, 1}},
			element: element{b.handle, b.kind, extent}, made: envelope{combiner: cCombinerNamed}, name: b.name, committed: true, predefined: true,
		}
		t[0].setSimple()
	}
}

// typeAt returns the type of a handle, nil if there is none.
func (p *Process) typeAt(h int64) *datatype {
	if i := uint64(h - cDatatypeNull); i < predefinedTypes {
		return p.predefined[i]
	}
	return p.types.get(h)
}

func (c *call) datatype(i int) (*datatype, error) {
	t := c.typeAt(c.a[i])
	if t == nil {
		if c.a[i] == cDatatypeNull {
			return nil, wrong(cErrType, "MPI_DATATYPE_NULL; expected a datatype")
		}
		return nil, wrong(cErrType, "%#x is no datatype", c.a[i])
	}
	return t, nil
}

// data returns the count and the committed type at words i and i+1.
func (c *call) counted(i int) (int, *datatype, error) {
	count := c.at(i)
	t, err := c.datatype(i + 1)
	if err != nil {
		return 0, nil, err
	}
	return count, t, checkData(count, t)
}

func checkData(count int, t *datatype) error {
	switch {
	case count < 0:
		return wrong(cErrCount, "%d elements; expected at least 0", count)
	case !t.committed:
		return wrong(cErrType, "a datatype that has not been committed")
	case t.size > 0:
		if hi, _ := bits.Mul64(uint64(count), uint64(max(t.size, t.extent(), 1))); hi != 0 {
			return wrong(cErrCount, "%d elements; expected what a process can address", count)
		}
	}
	return nil
}
