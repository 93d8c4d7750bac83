package buffer

import (
	"math/rand/v2"
	"testing"
)

// Buffers have room for what was asked for, do not overlap, and come again when they
// are given back. Those that are to be exposed lie in memory that was.
func TestPool(t *testing.T) {
	for _, exposing := range []bool{false, true} {
		rng := rand.New(rand.NewPCG(2, 2))
		var p Pool
		exposed := 0
		if exposing {
			p.Expose = func(memory []byte) int { exposed += len(memory); return 0 }
		}
		got, written := 0, 0
		var live [][]byte
		for range 2000 {
			if len(live) > 0 && rng.IntN(2) == 0 {
				last := len(live) - 1
				at := rng.IntN(last + 1)
				b := live[at]
				live[at], live = live[last], live[:last]
				for i, v := range b {
					if v != b[0] {
						t.Fatalf("byte %d of a buffer is %d; %d was written to all", i, v, b[0])
					}
				}
				p.Put(b)
				continue
			}
			n := rng.IntN(1 << rng.IntN(18))
			b := p.Get(n)
			if len(b) != n {
				t.Fatalf("a buffer of %d bytes; expected %d", len(b), n)
			}
			whole := b[:cap(b)]
			for i := range whole {
				whole[i] = byte(written)
			}
			got += cap(b)
			written++
			live = append(live, whole)
		}
		if exposing != (exposed > 0) || exposed > got/2 {
			t.Errorf("%d bytes exposed for %d", exposed, got)
		}
	}
}
