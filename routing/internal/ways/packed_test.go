package ways

import (
	"slices"
	"testing"

	"musubi/topology/generate"
)

// TestPackedWays: what is kept is what has been found, in words of either length.
func TestPackedWays(t *testing.T) {
	for _, name := range []string{"random:switches=40,degree=4", "torus:4x5", "fattree:k=4", "ring:1"} {
		net, err := generate.Network(name, 1)
		if err != nil {
			t.Fatal(err)
		}
		var ends []int
		for sw := range net.Switches {
			if len(net.EndPointsAt(sw)) > 0 {
				ends = append(ends, sw)
			}
		}
		for _, g := range []Guide{
			ClassAutomaton(net, 3, func(class int, c int32) int { return max(class, int(c%3)) }),
			&DestinationGuide{Net: net, Join: shortest, Slack: 1},
		} {
			testPacked(t, name, g, ends)
		}
	}
}

// shortest allows all ways, and labels switches by the channel that they use.
func shortest(c int32, next Label) (Label, bool) { return Label(c % 2), next < 2 }

func testPacked(t *testing.T, name string, g Guide, ends []int) {
	t.Helper()
	a := NewAtlas(g, ends)
	find := a.Finder()
	for i := range ends {
		found := find(i, nil)
		a.Keep(i, found)
		if a.kept[i] == nil {
			t.Fatalf("%s: ways to switch %d are not kept", name, ends[i])
		}
		if !equal(find(i, new(Ways)), found) {
			t.Errorf("%s: ways to switch %d differ from those that were kept", name, ends[i])
		}
		var wide, again Ways
		packAs[uint32](found).unpack(&wide)
		packAs[uint16](found).unpack(&again)
		if !equal(&wide, found) || !equal(&again, found) {
			t.Errorf("%s: ways to switch %d differ in words of 16 or 32 bits", name, ends[i])
		}
		a.Forget(i)
		if !equal(find(i, new(Ways)), found) {
			t.Errorf("%s: ways to switch %d differ when they are found again", name, ends[i])
		}
	}
}

// TestWaysThatAreNotPlain have a place without moves before others, which unpack would not find.
func TestWaysThatAreNotPlain(t *testing.T) {
	odd := Ways{State: []int32{0, 1, 2}, first: []int32{0, 1, 1, 2}, moves: make([]Move, 2), begins: []uint8{1, 1}}
	if odd.pack() != nil {
		t.Error("they are packed; expected to be found again each time")
	}
}

func equal(a, b *Ways) bool {
	return slices.Equal(a.Entry, b.Entry) && slices.Equal(a.State, b.State) && slices.Equal(a.first, b.first) && slices.Equal(a.moves, b.moves) &&
		slices.Equal(a.begins, b.begins) && a.inner == b.inner
}
