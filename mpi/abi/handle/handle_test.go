package handle

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// Whatever is added and removed, a handle names its object until that is removed, and nothing after,
// also when its place is taken again; and no handle of another kind names anything.
func TestHandlesNameTheirObjects(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		comms, groups := Table[int]{Kind: Comm}, Table[int]{Kind: Group}
		alive := map[int64]*int{}
		var gone []int64
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			if len(alive) > 0 && rapid.Bool().Draw(t, "remove") {
				for h := range alive {
					comms.Remove(h)
					comms.Remove(h) // once more changes nothing
					delete(alive, h)
					gone = append(gone, h)
					break
				}
				continue
			}
			x := new(int)
			h := comms.Add(x)
			if h < 0x400 || h > math.MaxInt32 || alive[h] != nil {
				t.Fatalf("handle %#x", h)
			}
			alive[h] = x
		}
		for h, x := range alive {
			if comms.Get(h) != x || groups.Get(h) != nil {
				t.Fatalf("handle %#x names another object", h)
			}
		}
		for _, h := range gone {
			if alive[h] == nil && comms.Get(h) != nil {
				t.Fatalf("handle %#x names an object that has been removed", h)
			}
		}
	})
}

// A program that keeps old handles is refused for as many generations as a handle has.
func TestFreedHandlesAreRefused(t *testing.T) {
	table := Table[int]{Kind: Request}
	old := table.Add(new(int))
	table.Remove(old)
	for range 1<<generationBits - 2 {
		h := table.Add(new(int))
		if h == old || table.Get(old) != nil {
			t.Fatalf("handle %#x of a freed object", old)
		}
		table.Remove(h)
	}
}
