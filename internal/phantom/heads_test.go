package phantom_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"musubi/internal/phantom"
)

// Heads are what a map has.
func TestHeadsAreAMap(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(5, seed))
		var heads phantom.Heads
		want := map[uint64]string{}
		distance := uint64(1) << rng.IntN(12)
		for range 3000 {
			at := rng.Uint64N(200) * distance
			switch bytes := []byte("of a message with a head")[:rng.IntN(25)]; rng.IntN(3) {
			case 0:
				heads.Set(at, bytes)
				want[at] = string(bytes)
			case 1:
				heads.Delete(at)
				delete(want, at)
			}
			at = rng.Uint64N(200) * distance
			got, has := heads.Get(at)
			if expected, is := want[at]; is != has || is && string(got) != expected {
				t.Fatalf("seed %d: at %d is %q (%v); expected %q (%v)", seed, at, got, has, expected, is)
			}
		}
	}
}

// A mark is as good as the head of a message that is short, beside real data and data that the message refers to.
func TestMarksAreHeads(t *testing.T) {
	m := phantom.New()
	defer m.Free()
	data := []byte("data that nobody changes")
	for n := range 12 {
		head := []byte("an envelope")[:n]
		for _, refers := range []bool{false, true} {
			message := m.Bytes(n + len(data))
			if refers {
				phantom.Refer(message, head, data)
			} else {
				phantom.Join(message, head, m.Bytes(len(data)))
			}
			mark := phantom.MarkOf(message)
			if n == 0 || n > 8 {
				if !mark.IsNone() {
					t.Errorf("a head of %d bytes has a mark", n)
				}
				continue
			}
			into, real := m.Bytes(len(message)), make([]byte, len(message))
			mark.Fetch(into)
			mark.Fetch(real)
			want := make([]byte, len(message))
			copy(want, head)
			if refers {
				copy(want[n:], data)
			}
			if got := phantom.Head(into); !bytes.Equal(got, head) || !bytes.Equal(real, want) {
				t.Errorf("of head %q and data %q arrive %q, and %q in real memory", head, data, got, real)
			}
			if got := phantom.Data(into); refers && &got[0] != &data[0] || !refers && got != nil {
				t.Errorf("the data of a message with head %q is %q", head, got)
			}
		}
	}
}

// A mark of a short message that has bytes is all of it; a longer one has none.
func TestMarksAreWholeShortMessages(t *testing.T) {
	m := phantom.New()
	defer m.Free()
	text := []byte("bytes of a message")
	for n := range len(text) + 1 {
		mark := phantom.MarkOf(text[:n])
		if mark.IsPhantom() {
			t.Errorf("the mark of %d bytes is of a message without bytes", n)
		}
		if mark.IsNone() != (n > 16) {
			t.Errorf("a message of %d bytes has no mark: %v; expected marks of up to 16 bytes", n, mark.IsNone())
		}
		if mark.IsNone() {
			continue
		}
		for _, room := range []int{0, n / 2, n, n + 3} {
			into, without := make([]byte, room), m.Bytes(room)
			if mark.Fetch(into); !bytes.Equal(into[:min(n, room)], text[:min(n, room)]) {
				t.Errorf("of %q arrives %q", text[:n], into)
			}
			if mark.Fetch(without); room > 0 && len(phantom.Head(without)) > 0 {
				t.Errorf("memory without bytes has a head of %q", phantom.Head(without))
			}
		}
	}
}
