package wire

import (
	"bytes"
	"crypto/sha256"
	"testing"

	"pgregory.net/rapid"
)

// pairOfKeys returns the keys of both ends of a connection.
func pairOfKeys(secret byte) (here, there *Keys) {
	first, second := bytes.Repeat([]byte{secret}, sha256.Size), bytes.Repeat([]byte{secret + 1}, sha256.Size)
	return &Keys{newDirection(first), newDirection(second)}, &Keys{newDirection(second), newDirection(first)}
}

// Frames come out as they went in, in their order, and in no other.
func TestFramesOpenInOrderOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		here, there := pairOfKeys(1)
		contents := rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 0, 100), 1, 5).Draw(t, "frames")
		for i, b := range contents {
			frame := sealed(here, PacketsFrame, b)
			if wrong := rapid.IntRange(0, 8*len(frame)).Draw(t, "bit to flip"); wrong < 8*len(frame) {
				frame[wrong/8] ^= 1 << (wrong % 8)
				if _, err := there.In.Open(frame); err == nil {
					t.Fatalf("frame %d opens though bit %d is flipped", i, wrong)
				}
				return
			}
			again := bytes.Clone(frame)
			got, err := there.In.Open(frame)
			if err != nil || !bytes.Equal(got, b) {
				t.Fatalf("frame %d is % x, %v; want % x", i, got, err, b)
			}
			if rapid.Bool().Draw(t, "repeat") {
				if _, err := there.In.Open(again); err == nil {
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
	if _, err := here.In.Open(sealed(here, PacketsFrame, []byte{1})); err == nil {
		t.Error("an end opens its own frame")
	}
}

// Both ends go on to new keys at the same frame.
func TestKeysAreRenewed(t *testing.T) {
	here, there := pairOfKeys(1)
	here.Out.number, there.In.number = renewEvery-1, renewEvery-1
	first := here.Out.secret
	for i := range 3 {
		if renewed := !bytes.Equal(here.Out.secret, first); renewed != (i > 1) {
			t.Errorf("before frame %d the keys are renewed: %v", renewEvery-1+i, renewed)
		}
		if got, err := there.In.Open(sealed(here, PacketsFrame, []byte{1})); err != nil || !bytes.Equal(got, []byte{1}) {
			t.Errorf("frame %d is % x, %v; want % x", renewEvery-1+i, got, err, []byte{1})
		}
	}
}

// sealed returns a frame with something in it.
func sealed(keys *Keys, kind FrameKind, b []byte) []byte {
	frame := append(make([]byte, FrameHead), b...)
	if keys != nil {
		frame = append(frame, make([]byte, TagBytes)...)
	}
	PutFrameHead(frame, kind, len(frame)-FrameHead)
	if keys != nil {
		keys.Out.Seal(frame)
	}
	return frame
}
