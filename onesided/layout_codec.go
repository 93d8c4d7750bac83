package onesided

import (
	"encoding/binary"
	"fmt"
	"math"
)

// lineSize is the unit of an encoded layout in bytes.
const lineSize = 8

// isList marks the first line of an encoded layout that is a list.
const isList = 1 << 63

// Encode appends the layout to b in the encoding of packets that ask for data, in little-endian
// lines. The layout has passed Check.
//
//	contiguous: nothing
//	strided:    element; count; stride
//	list:       element, with the highest bit set; each offset
func (l *Layout) Encode(b []byte) []byte {
	if l.IsContiguous() {
		return b
	}
	line := binary.LittleEndian.AppendUint64
	if l.Offsets == nil {
		return line(line(line(b, uint64(l.Element)), uint64(l.Count)), uint64(l.Stride))
	}
	b = line(b, uint64(l.Element)|isList)
	for _, o := range l.Offsets {
		b = line(b, uint64(o))
	}
	return b
}

// DecodeLayout reads a layout that takes all of b. It needs memory for as many offsets as b has
// lines, no more. The layout is well-formed; Check tells whether it fits a memory.
func DecodeLayout(b []byte) (Layout, error) {
	if len(b) == 0 {
		return Layout{}, nil
	}
	if len(b)%lineSize != 0 {
		return Layout{}, fmt.Errorf("layout encoded in %d bytes; expected lines of %d", len(b), lineSize)
	}
	element := binary.LittleEndian.Uint64(b)
	if element&^isList == 0 {
		return Layout{}, fmt.Errorf("encoded layout of elements of 0 bytes; expected at least 1")
	}
	var l Layout
	switch {
	case element&isList != 0:
		l = decodeList(b)
	case len(b) == 3*lineSize:
		l = Layout{Element: lineInt(b, 0), Count: lineInt(b, 1), Stride: lineInt(b, 2)}
	default:
		return Layout{}, fmt.Errorf("strided layout encoded in %d bytes; expected %d", len(b), 3*lineSize)
	}
	if err := l.Check(math.MaxInt); err != nil {
		return Layout{}, err
	}
	return l, nil
}

func decodeList(b []byte) Layout {
	offsets := make([]int, len(b)/lineSize-1)
	for i := range offsets {
		offsets[i] = lineInt(b, i+1)
	}
	element := toInt(binary.LittleEndian.Uint64(b) &^ isList)
	return Layout{Element: element, Count: len(offsets), Offsets: offsets}
}

func lineInt(b []byte, line int) int { return toInt(binary.LittleEndian.Uint64(b[line*lineSize:])) }

// toInt makes a number that is too large negative, so that Check refuses it.
func toInt(v uint64) int {
	if v > math.MaxInt {
		return -1
	}
	return int(v)
}
