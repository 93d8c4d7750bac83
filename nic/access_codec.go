package nic

import (
	"encoding/binary"
	"fmt"
	"math"
)

// isList marks the first line of an encoded access that is a list.
const isList = 1 << 63

// Encode appends the access to b as a packet that asks for data carries it, in
// little-endian lines. The access has passed Check.
//
//	contiguous: nothing
//	strided:    element; count; stride
//	list:       element, with the highest bit set; each offset
func (a *Access) Encode(b []byte) []byte {
	if a.IsContiguous() {
		return b
	}
	line := binary.LittleEndian.AppendUint64
	if a.Offsets == nil {
		return line(line(line(b, uint64(a.Element)), uint64(a.Count)), uint64(a.Stride))
	}
	b = line(b, uint64(a.Element)|isList)
	for _, o := range a.Offsets {
		b = line(b, uint64(o))
	}
	return b
}

// DecodeAccess reads an access that takes all of b. It needs memory for as many
// offsets as b has lines, no more. What it returns is well-formed; whether it fits
// a memory, Check tells.
func DecodeAccess(b []byte) (Access, error) {
	if len(b) == 0 {
		return Access{}, nil
	}
	if len(b)%LineSize != 0 {
		return Access{}, fmt.Errorf("nic: access encoded in %d bytes; expected lines of %d", len(b), LineSize)
	}
	element := binary.LittleEndian.Uint64(b)
	if element&^isList == 0 {
		return Access{}, fmt.Errorf("nic: encoded access to elements of 0 bytes; expected at least 1")
	}
	var a Access
	switch {
	case element&isList != 0:
		a = decodeList(b)
	case len(b) == 3*LineSize:
		a = Access{Element: lineInt(b, 0), Count: lineInt(b, 1), Stride: lineInt(b, 2)}
	default:
		return Access{}, fmt.Errorf("nic: strided access encoded in %d bytes; expected %d", len(b), 3*LineSize)
	}
	if err := a.Check(math.MaxInt); err != nil {
		return Access{}, err
	}
	return a, nil
}

func decodeList(b []byte) Access {
	offsets := make([]int, len(b)/LineSize-1)
	for i := range offsets {
		offsets[i] = lineInt(b, i+1)
	}
	element := toInt(binary.LittleEndian.Uint64(b) &^ isList)
	return Access{Element: element, Count: len(offsets), Offsets: offsets}
}

func lineInt(b []byte, line int) int { return toInt(binary.LittleEndian.Uint64(b[line*LineSize:])) }

// toInt makes a number that is too large negative, so that Check refuses it.
func toInt(v uint64) int {
	if v > math.MaxInt {
		return -1
	}
	return int(v)
}
