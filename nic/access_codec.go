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

// DecodeAccess reads an access that takes all of b. It takes no more memory than a
// list of as many offsets as b has lines. What it returns is well-formed; whether
// it fits a memory, Check tells.
func DecodeAccess(b []byte) (Access, error) {
	if len(b) == 0 {
		return Access{}, nil
	}
	if len(b)%LineSize != 0 {
		return Access{}, fmt.Errorf("nic: access of %d bytes; expected lines of %d", len(b), LineSize)
	}
	element := binary.LittleEndian.Uint64(b)
	var a Access
	if element&isList != 0 {
		a = decodeList(element&^isList, b[LineSize:])
	} else if len(b) != 3*LineSize {
		return Access{}, fmt.Errorf("nic: strided access of %d bytes; expected %d", len(b), 3*LineSize)
	} else {
		a = Access{Element: int(element), Count: lineInt(b, 1), Stride: lineInt(b, 2)}
	}
	// Offsets and strides below zero are refused here, and what is too large for
	// the memory by whoever knows it.
	if err := a.Check(math.MaxInt); err != nil {
		return Access{}, err
	}
	return a, nil
}

func decodeList(element uint64, b []byte) Access {
	offsets := make([]int, len(b)/LineSize)
	for i := range offsets {
		offsets[i] = lineInt(b, i)
	}
	return Access{Element: int(element), Count: len(offsets), Offsets: offsets}
}

func lineInt(b []byte, i int) int { return int(binary.LittleEndian.Uint64(b[i*LineSize:])) }
