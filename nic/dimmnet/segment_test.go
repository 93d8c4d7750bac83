package dimmnet

import (
	"slices"
	"testing"
)

type segment struct {
	offset, bytes int
	flags         Flags
}

func segments(size, payload int) []segment {
	var all []segment
	cut := NewSegmenter(size, payload)
	for {
		offset, n, flags, ok := cut.Next()
		if !ok {
			return all
		}
		all = append(all, segment{offset, n, flags})
	}
}

func TestSegmenter(t *testing.T) {
	const whole = StartOfMessage | EndOfMessage
	for _, test := range []struct {
		name          string
		size, payload int
		want          []segment
	}{
		{"no data", 0, 496, []segment{{0, 0, whole}}},
		{"less than a packet", 8, 496, []segment{{0, 8, whole}}},
		{"one packet", 496, 496, []segment{{0, 496, whole}}},
		{"one byte more", 497, 496, []segment{{0, 496, StartOfMessage}, {496, 1, EndOfMessage}}},
		{"several packets", 10, 4, []segment{{0, 4, StartOfMessage}, {4, 4, 0}, {8, 2, EndOfMessage}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := segments(test.size, test.payload); !slices.Equal(got, test.want) {
				t.Errorf("got %+v; expected %+v", got, test.want)
			}
		})
	}
}

// Every small message in packets of every small size: the packets cover it in
// order, all but the last are full, and the flags stand on the ends only.
func TestSegmentsCoverTheMessage(t *testing.T) {
	for size := range 70 {
		for payload := 1; payload < 40; payload++ {
			all := segments(size, payload)
			if want := max(1, (size+payload-1)/payload); len(all) != want {
				t.Fatalf("%d bytes in packets of %d: %d packets; expected %d", size, payload, len(all), want)
			}
			next := 0
			for i, s := range all {
				first, last := i == 0, i == len(all)-1
				if s.offset != next || !last && s.bytes != payload || s.bytes > payload {
					t.Fatalf("%d bytes in packets of %d: packet %d has %d bytes at %d; expected it full, at %d", size, payload, i, s.bytes, s.offset, next)
				}
				if first != (s.flags&StartOfMessage != 0) || last != (s.flags&EndOfMessage != 0) || s.flags&^(StartOfMessage|EndOfMessage) != 0 {
					t.Fatalf("%d bytes in packets of %d: packet %d of %d has flags %#x", size, payload, i, len(all), s.flags)
				}
				next += s.bytes
			}
			if next != size {
				t.Fatalf("%d bytes in packets of %d: the packets have %d", size, payload, next)
			}
		}
	}
}

func TestSegmenterPanicsOnWhatCannotBeCut(t *testing.T) {
	for _, test := range []struct{ size, payload int }{{-1, 8}, {8, 0}, {8, -1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%d bytes in packets of %d: no panic", test.size, test.payload)
				}
			}()
			NewSegmenter(test.size, test.payload)
		}()
	}
}
