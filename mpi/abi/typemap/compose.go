package typemap

import "musubi/mpi/internal/datatype"

// Block is count elements of a type in a row, from a place on.
type Block struct {
	At, Count int
	Of        *Type
}

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
	last := b.At + (b.Count-1)*b.Of.Extent()
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
	t.addRuns(b)
	t.addParts(b)
}

// joined returns the bounds of two ranges, of the second if it is the first.
func joined(low, up, otherLow, otherUp int, first bool) (int, int) {
	if first {
		return otherLow, otherUp
	}
	return min(low, otherLow), max(up, otherUp)
}

func (t *Type) addRuns(b Block) {
	if b.Of.Simple {
		t.addRun(datatype.Run{At: b.At, Bytes: b.Count * b.Of.Size})
		return
	}
	for i := range b.Count {
		for _, r := range b.Of.Runs {
			t.addRun(datatype.Run{At: b.At + i*b.Of.Extent() + r.At, Bytes: r.Bytes})
		}
	}
}

// addRun appends a run, to the last one if it follows it.
func (t *Type) addRun(r datatype.Run) {
	if r.Bytes == 0 {
		return
	}
	if last := len(t.Runs) - 1; last >= 0 && t.Runs[last].At+t.Runs[last].Bytes == r.At {
		t.Runs[last].Bytes += r.Bytes
		return
	}
	t.Runs = append(t.Runs, r)
}

// Whole returns the layout of a type of pairs, each of so many bytes of data, in which the gaps of a pair count as data. It
// has no parts.
func (t *Type) Whole(pair int) Type {
	n := Type{Lower: t.Lower, Upper: t.Upper, TrueLow: t.TrueLow, TrueUp: t.TrueUp, Element: t.Element}
	into := 0 // bytes of the pair under way
	for _, r := range t.Runs {
		for at, end := r.At, r.At+r.Bytes; at < end; {
			if into == 0 {
				n.Size += t.Element.Bytes
				n.TrueUp = max(n.TrueUp, at+t.Element.Bytes)
				n.addRun(datatype.Run{At: at, Bytes: t.Element.Bytes})
			}
			take := min(pair-into, end-at)
			at += take
			into = (into + take) % pair
		}
	}
	n.setSimple()
	return n
}

func (t *Type) addParts(b Block) {
	if len(b.Of.Parts) == 1 {
		p := b.Of.Parts[0]
		p.Count *= b.Count
		t.addPart(p)
		return
	}
	for range b.Count {
		for _, p := range b.Of.Parts {
			t.addPart(p)
		}
	}
}

func (t *Type) addPart(p Part) {
	if last := len(t.Parts) - 1; last >= 0 {
		next := t.Parts[last]
		next.Count += p.Count
		if p.Count = next.Count; p == next {
			t.Parts[last] = next
			return
		}
		p.Count -= t.Parts[last].Count
	}
	t.Parts = append(t.Parts, p)
}
