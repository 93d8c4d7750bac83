package live

import (
	"bytes"
	"crypto/sha256"
	"testing"

	"pgregory.net/rapid"
)

// pairOfKeys returns the keys of both ends of a connection.
func pairOfKeys(secret byte) (here, there *keys) {
	first, second := bytes.Repeat([]byte{secret}, sha256.Size), bytes.Repeat([]byte{secret + 1}, sha256.Size)
	return &keys{newDirection(first), newDirection(second)}, &keys{newDirection(second), newDirection(first)}
}

// Frames come out as they went in, in their order, and in no other.
func TestFramesOpenInOrderOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		here, there := pairOfKeys(1)
		contents := rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 0, 100), 1, 5).Draw(t, "frames")
		for i, b := range contents {
			frame := frameOf(here, packetsFrame, b)
			if wrong := rapid.IntRange(0, 8*len(frame)).Draw(t, "bit to flip"); wrong < 8*len(frame) {
				frame[wrong/8] ^= 1 << (wrong % 8)
				if _, err := there.in.open(frame); err == nil {
					t.Fatalf("frame %d opens though bit %d is flipped", i, wrong)
				}
				return
			}
			again := bytes.Clone(frame)
			got, err := there.in.open(frame)
			if err != nil || !bytes.Equal(got, b) {
				t.Fatalf("frame %d is % x, %v; want % x", i, got, err, b)
			}
			if rapid.Bool().Draw(t, "repeat") {
				if _, err := there.in.open(again); err == nil {
					t.Fatalf("frame %d opens twice", i)
				}
				return
			}
		}
	})
}

// What one end has sealed it cannot open itself: a frame that is sent back is refused.
func TestFramesOfOneDirectionAreNoneOfTheOther(t *testing.T) {
	here, _ := pairOfKeys(1)
	if _, err := here.in.open(frameOf(here, packetsFrame, one)); err == nil {
		t.Error("an end opens its own frame")
	}
}

// Both ends go on to new keys at the same frame.
func TestKeysAreRenewed(t *testing.T) {
	here, there := pairOfKeys(1)
	here.out.number, there.in.number = renewEvery-1, renewEvery-1
	first := here.out.secret
	for i := range 3 {
		if renewed := !bytes.Equal(here.out.secret, first); renewed != (i > 1) {
			t.Errorf("before frame %d the keys are renewed: %v", renewEvery-1+i, renewed)
		}
		if got, err := there.in.open(frameOf(here, packetsFrame, one)); err != nil || !bytes.Equal(got, one) {
			t.Errorf("frame %d is % x, %v; want % x", renewEvery-1+i, got, err, one)
		}
	}
}
