package host

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"musubi/internal/sparse"
	"musubi/nic/ring"
)

// An area has the bytes that are in its ring, as a whole ring would have them: whatever comes and goes, in the order of
// their places, in rings of all sizes.
func TestAreasAreRings(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 3))
		size := 1 + rng.IntN(700)
		whole := make([]byte, size)
		var pool areaPool
		var a area
		head, used := rng.IntN(size), 0
		// span calls do for the one or two contiguous pieces of n bytes from a place on.
		span := func(place, n int, do func(place, n int)) {
			place %= size
			first := min(n, size-place)
			do(place, first)
			if first < n {
				do(0, n-first)
			}
		}
		for range 300 {
			if n := rng.IntN(size - used + 1); rng.IntN(2) == 0 {
				span(head+used, n, func(place, n int) {
					if n == 0 {
						return
					}
					part := a.part(place, n, size, &pool)
					for i := range part {
						part[i] = byte(rng.Uint32())
					}
					copy(whole[place:], part)
				})
				used += n
			}
			span(head, used, func(place, n int) {
				if n > 0 && !bytes.Equal(a.part(place, n, size, &pool), whole[place:][:n]) {
					t.Fatalf("seed %d: other bytes at %d to %d of a ring of %d", seed, place, place+n, size)
				}
			})
			n := rng.IntN(used + 1)
			head, used = (head+n)%size, used-n
			if used == 0 {
				a.giveBack(&pool)
			}
		}
	}
}

// Areas are as long as is needed, and those of an empty ring serve another one.
func TestAreasAreUsedAgain(t *testing.T) {
	var pool areaPool
	var a, b area
	a.part(3000, 1032, 4096, &pool)
	if n := len(a.memory); n < 1032 || n > 1032*17/16 {
		t.Errorf("an area of %d bytes for 1032; expected up to a sixteenth more", n)
	}
	memory := &a.memory[0]
	a.giveBack(&pool)
	b.part(17, 1050, 4096, &pool)
	if &b.memory[0] != memory {
		t.Error("the memory of an empty ring is not used again")
	}
	if a.memory != nil {
		t.Error("an empty ring keeps its memory")
	}
}

func TestClassesOfAreas(t *testing.T) {
	classOf := map[int]int{}
	for n := range 1 << 12 {
		class, size := areaClass(n)
		if again, same := areaClass(size); again != class || same != size {
			t.Fatalf("areas of %d bytes are of class %d; of as many as these have, %d, of class %d", n, class, size, again)
		}
		if size < n || n >= leastArea && size > n+n/16 {
			t.Fatalf("an area of %d bytes for %d; expected up to a sixteenth more", size, n)
		}
		if other, known := classOf[class]; known && other != size {
			t.Fatalf("class %d has areas of %d and of %d bytes", class, other, size)
		}
		classOf[class] = size
	}
}

// Short messages lie in their records, whether a rank takes them at once or many wait: rings of them have no memory.
func TestShortMessagesTakeNoAreas(t *testing.T) {
	for _, n := range []int{0, 1, 8, 16} {
		for _, waiting := range []int{1, 9} {
			r := Process{c: new(Cluster), inbox: inbox{layout: &receiverLayout{}}}
			l, err := ring.NewLayout(ring.Config{Rings: []ring.RingConfig{{Size: 512}}, Table: []int{0}, Records: 16, Packet: 64})
			if err != nil {
				t.Fatal(err)
			}
			r.inbox.rx, r.inbox.areas = l.NewReceiver(), sparse.NewFew[area](1)
			for i := range waiting {
				p := ring.Packet{Flags: ring.EndOfMessage, Data: n}
				at, _ := r.inbox.rx.Place(&p)
				r.Store(&p, at, bytes.Repeat([]byte{byte(i + 1)}, n))
			}
			for i := range waiting {
				rec, _ := r.inbox.rx.Next()
				got := make([]byte, n)
				if r.Fetch(&rec, got); !bytes.Equal(got, bytes.Repeat([]byte{byte(i + 1)}, n)) {
					t.Errorf("message %d of %d bytes arrives as %v", i, n, got)
				}
			}
			if r.inbox.areas.Known(0) != nil {
				t.Errorf("%d messages of %d bytes take memory of their ring", waiting, n)
			}
		}
	}
}
