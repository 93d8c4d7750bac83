package abi

import "math"

// longDoubleInt is a long double of x86, which has 80 bits in 16 bytes, and its place.
type longDoubleInt struct {
	fraction uint64
	exponent uint16 // and the sign
	_        [6]byte
	place    int32
	_        [12]byte
}

// float returns about the value: as much of it as 53 bits hold.
func (l *longDoubleInt) float() float64 {
	f := math.Ldexp(float64(l.fraction), int(l.exponent&0x7fff)-16383-63)
	if l.exponent&0x8000 != 0 {
		return -f
	}
	return f
}
