package typemap

// Block is count elements of a type from a place on, stride bytes from each other.
type Block struct {
	At, Count, Stride int
	Of                *Type
}

// Row is a block of elements in a row.
func Row(at, count int, of *Type) Block { return Block{at, count, of.Extent(), of} }

// Compose makes a type of blocks.
func Compose(blocks []Block) Type {
	c := composition{boundless: true, empty: true}
	for _, b := range blocks {
		if b.Count > 0 {
			c.add(b)
		}
	}
	if c.mixed {
		c.of.Element = Element{}
	}
	c.of.setSimple()
	return c.of
}

// composition is a type that is being made.
type composition struct {
	of        Type
	boundless bool // it has no block
	empty     bool // it has no data
	mixed     bool // it has basic elements of several types
}

func (c *composition) add(b Block) {
	t := &c.of
	last := b.At + (b.Count-1)*b.Stride
	t.Lower, t.Upper = joined(t.Lower, t.Upper, min(b.At, last)+b.Of.Lower, max(b.At, last)+b.Of.Upper, c.boundless)
	c.boundless = false
	if b.Of.Size > 0 {
		t.TrueLow, t.TrueUp = joined(t.TrueLow, t.TrueUp, min(b.At, last)+b.Of.TrueLow, max(b.At, last)+b.Of.TrueUp, c.empty)
		if c.empty {
			t.Element = b.Of.Element
		}
		c.mixed = c.mixed || t.Element.Basic != b.Of.Element.Basic
		c.empty = false
	}
	t.Size += b.Count * b.Of.Size
	t.addBlock(b)
	t.addParts(b.Of.Parts, b.Count, b.Of.Size)
}

// joined returns the bounds of two ranges, of the second if it is the first.
func joined(low, up, otherLow, otherUp int, first bool) (int, int) {
	if first {
		return otherLow, otherUp
	}
	return min(low, otherLow), max(up, otherUp)
}

// Whole returns the layout of a type of pairs, each of so many bytes of data, in which the gaps of a pair count as data. It
// has no parts.
func (t *Type) Whole(pair int) Type {
	n := Type{Lower: t.Lower, Upper: t.Upper, TrueLow: t.TrueLow, TrueUp: t.TrueUp, Element: t.Element}
	into := 0 // bytes of the pair under way
	for r := range t.Runs(1) {
		for at, end := r.At, r.At+r.Bytes; at < end; {
			if into == 0 {
				n.Size += t.Element.Bytes
				n.TrueUp = max(n.TrueUp, at+t.Element.Bytes)
				n.addSeries(Series{At: at, Count: 1, Bytes: t.Element.Bytes})
			}
			take := min(pair-into, end-at)
			at += take
			into = (into + take) % pair
		}
	}
	n.setSimple()
	return n
}
