package shm

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// Both ways of copying write the same, and nothing beside it, whatever the length and
// where it begins; also while a copier tries both.
func TestCopiersCopy(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	from := make([]byte, 3*pastBytes)
	for i := range from {
		from[i] = byte(rng.Uint32())
	}
	var c Copier
	ways := map[string]func(to, from []byte){
		"through the cache": func(to, from []byte) { copyBy(false, to, from) },
		"past the cache":    func(to, from []byte) { copyBy(true, to, from) },
		"as it finds best":  c.Copy,
	}
	for range 5000 {
		at, begin := rng.IntN(2*LineBytes), rng.IntN(2*LineBytes)
		n := LineBytes + rng.IntN(len(from)-begin-LineBytes)
		want := bytes.Repeat([]byte{0xaa}, at+n+LineBytes)
		copy(want[at:], from[begin:][:n])
		for name, way := range ways {
			to := bytes.Repeat([]byte{0xaa}, len(want))
			way(to[at:], from[begin:][:n])
			if !bytes.Equal(to, want) {
				t.Fatalf("%s, %d bytes from %d to %d: not what was there", name, n, begin, at)
			}
		}
	}
}

// A copier takes the way that was faster in its trials, and tries both again soon, and then after a while.
func TestCopiersTryAgain(t *testing.T) {
	if !canCopyPast {
		t.Skip("there is one way only")
	}
	var c Copier
	from, to := make([]byte, pastBytes), make([]byte, pastBytes)
	for round, until := range []int{16, 64, 256, trialEvery, trialEvery} {
		for i := range until {
			if c.copies != i {
				t.Fatalf("round %d: %d copies, want %d", round, c.copies, i)
			}
			c.Copy(to, from)
			if i == trials-1 {
				if want := pastGain*c.least[1] < c.least[0]; c.past != want || c.least[0] == 0 || c.least[1] == 0 {
					t.Errorf("round %d: past the cache %v after trials of %v", round, c.past, c.least)
				}
				c.least = [2]float64{}
			}
		}
		if c.least != [2]float64{} {
			t.Errorf("round %d: it has tried between trials", round)
		}
	}
	c.Copy(to, from[:pastBytes-1])
	if c.copies != 0 {
		t.Error("a short copy counts")
	}
}
