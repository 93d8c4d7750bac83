package strided

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// Blocks come where a copy of each would bring them, and nothing else is written, at any alignment.
func TestBlocksComeWhereCopiesBringThem(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, block := range []int{1, 2, 3, 4, 5, 8, 12, 16, 17, 24, 32, 100} {
		for range 200 {
			n, stride, shift := rng.IntN(20), block+rng.IntN(40), rng.IntN(8)
			extent := shift + max(0, (n-1)*stride+block)
			memory := fresh(rng, extent+rng.IntN(10))
			packed := make([]byte, n*block+1)[1:] // not aligned
			want := make([]byte, n*block)
			for i := range n {
				copy(want[i*block:][:block], memory[shift+i*stride:])
			}
			if Gather(packed, memory[shift:], block, stride); !bytes.Equal(packed, want) {
				t.Fatalf("gathered %d blocks of %d bytes, %d from each other: %v; expected %v", n, block, stride, packed, want)
			}
			other := fresh(rng, len(memory))
			wanted := bytes.Clone(other)
			for i := range n {
				copy(wanted[shift+i*stride:][:block], packed[i*block:])
			}
			if Scatter(other[shift:], packed, block, stride); !bytes.Equal(other, wanted) {
				t.Fatalf("scattered %d blocks of %d bytes, %d from each other: %v; expected %v", n, block, stride, other, wanted)
			}
		}
	}
}

func fresh(rng *rand.Rand, n int) []byte {
	memory := make([]byte, n)
	for i := range memory {
		memory[i] = byte(rng.Uint32())
	}
	return memory
}

// What does not fit is refused before anything is copied.
func TestBlocksBeyondTheEndPanic(t *testing.T) {
	for _, x := range []struct{ packed, memory, block, stride int }{{16, 23, 8, 16}, {16, 7, 8, 0}, {12, 100, 8, 8}, {16, 100, 8, -1}, {24, 39, 8, 16}} {
		for name, call := range map[string]func(packed, memory []byte){
			"Gather":  func(packed, memory []byte) { Gather(packed, memory, x.block, x.stride) },
			"Scatter": func(packed, memory []byte) { Scatter(memory, packed, x.block, x.stride) },
		} {
			t.Run(fmt.Sprint(name, x), func(t *testing.T) {
				defer func() {
					if recover() == nil {
						t.Error("no panic")
					}
				}()
				call(make([]byte, x.packed), make([]byte, x.memory))
			})
		}
	}
}

func BenchmarkGather(b *testing.B) {
	for _, block := range []int{4, 8, 16, 24} {
		b.Run(fmt.Sprint(block), func(b *testing.B) {
			const bytes, stride = 48 << 10, 128
			packed, memory := make([]byte, bytes), make([]byte, bytes/block*stride)
			b.SetBytes(bytes)
			for b.Loop() {
				Gather(packed, memory, block, stride)
			}
		})
	}
}
