// Package content is data that ranks send and that all of them know, so that each can check every byte that it gets.
package content

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"musubi/rma"
)

// Content is what the ranks of a program send. They have it in memory that nobody changes: the data of a rank begins
// stride bytes after that of the one before, so that they share it, and differ nevertheless.
type Content struct {
	bytes []byte
	sums  []byte // of each byte and of those of the ranks before at the same offset; nil until Sum
	p     rma.Process
}

// stride is odd, so that data of different ranks at multiples of sizes is not the same.
const stride = 61

// New returns data of each rank of as many bytes. All ranks call it, in the same order (rma.Constant).
func New(p rma.Process, most int) *Content {
	return &Content{bytes: rma.Constant(p, (p.Size()-1)*stride+most, fill), p: p}
}

// fill writes random bytes, always the same.
func fill(memory []byte) {
	const step = 0x9e3779b97f4a7c15 // of SplitMix64 (Steele, Lea and Flood 2014)
	var state uint64
	var last [8]byte
	for at := 0; at < len(memory); at += len(last) {
		state += step
		z := state
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		binary.LittleEndian.PutUint64(last[:], z^z>>31)
		copy(memory[at:], last[:])
	}
}

// Of returns n bytes of what a rank sends, from an offset on. Nobody may change them.
func (c *Content) Of(rank, offset, n int) []byte { return c.bytes[rank*stride+offset:][:n:n] }

// Sum makes CheckSum possible. All ranks call it, as they do New.
func (c *Content) Sum() {
	c.sums = rma.Constant(c.p, len(c.bytes), func(sums []byte) {
		copy(sums, c.bytes)
		for i := stride; i < len(sums); i++ {
			sums[i] += sums[i-stride]
		}
	})
}

// Check fails unless memory has what a rank sends, from an offset on.
func (c *Content) Check(got []byte, rank, offset int) error {
	want := c.Of(rank, offset, len(got))
	if bytes.Equal(got, want) {
		return nil
	}
	for i := range got {
		if got[i] != want[i] {
			return wrongByte(i, rank, got[i], want[i])
		}
	}
	return nil
}

func wrongByte(i, rank int, got, want byte) error {
	return fmt.Errorf("byte %d from rank %d is %#02x; expected %#02x", i, rank, got, want)
}

// CheckReceived is Check of what a rank sends, where data has bytes, and clears it for what comes next.
func (c *Content) CheckReceived(got []byte, rank int) error {
	if !rma.HasBytes(c.p) {
		return nil
	}
	if err := c.Check(got, rank, 0); err != nil {
		return fmt.Errorf("workload: what rank %d has of %d bytes: %w", c.p.Rank(), len(got), err)
	}
	clear(got)
	return nil
}

// CheckBlocks is CheckReceived of blocks of some bytes that begin stride bytes from each other, here as in what the rank sends.
// What lies between them is zero.
func (c *Content) CheckBlocks(got []byte, rank, bytes, stride int) error {
	if !rma.HasBytes(c.p) {
		return nil
	}
	for at := 0; at < len(got); at += stride {
		if err := c.Check(got[at:][:bytes], rank, at); err != nil {
			return fmt.Errorf("workload: what rank %d has in the block at byte %d: %w", c.p.Rank(), at, err)
		}
		between := got[min(at+bytes, len(got)):min(at+stride, len(got))]
		if i := slices.IndexFunc(between, func(b byte) bool { return b != 0 }); i >= 0 {
			return fmt.Errorf("workload: what rank %d has between blocks: byte %d is %#02x; expected 0, as before", c.p.Rank(), at+bytes+i, between[i])
		}
	}
	clear(got)
	return nil
}

// CheckSome is Check of what a rank sends, of which not all bytes need have come: those are zero.
func (c *Content) CheckSome(got []byte, rank int) error {
	if !rma.HasBytes(c.p) {
		return nil
	}
	for i, want := range c.Of(rank, 0, len(got)) {
		if got[i] != 0 && got[i] != want {
			return fmt.Errorf("workload: what rank %d has of %d bytes: %w", c.p.Rank(), len(got), wrongByte(i, rank, got[i], want))
		}
	}
	return nil
}

// CheckSum fails unless each byte of memory is the sum of those that the ranks 0 to last send, from an offset on.
func (c *Content) CheckSum(got []byte, last, offset int) error {
	with := c.sums[last*stride+offset:][:len(got)]
	for i := range got {
		want := with[i]
		if before := offset + i - stride; before >= 0 {
			want -= c.sums[before]
		}
		if got[i] != want {
			return fmt.Errorf("byte %d of the sum over ranks 0 to %d is %#02x; expected %#02x", i, last, got[i], want)
		}
	}
	return nil
}
