package sparse

import (
	"iter"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

// values is what Values and Few have in common.
type values interface {
	At(rank int32) *int
	Known(rank int32) *int
	Forget(rank int32) bool
	All() iter.Seq2[int32, *int]
}

// Values are what a map of ranks would hold, however many ranks there are and are used.
func TestValuesAreAMap(t *testing.T) {
	t.Run("Values", func(t *testing.T) {
		checkMap(t, func(ranks int) values { v := New[int](ranks); return &v })
	})
	t.Run("Few", func(t *testing.T) { checkMap(t, func(ranks int) values { f := NewFew[int](ranks); return &f }) })
}

func checkMap(t *testing.T, make func(ranks int) values) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		ranks := 1 + rng.IntN(1<<rng.IntN(13))
		among := 1 + rng.IntN(ranks) // ranks used
		v, twin := make(ranks), map[int32]int{}
		for step := range 400 {
			rank := int32(rng.IntN(among) * (ranks / among))
			if v, can := v.(*Values[int]); can {
				v.Prefetch(rank) // which has no other effect
			}
			if rng.IntN(3) == 0 {
				if got := v.Known(rank); got != nil && *got != twin[rank] || got == nil && twin[rank] != 0 {
					t.Fatalf("seed %d, step %d: rank %d has %v, want %d", seed, step, rank, got, twin[rank])
				}
				continue
			}
			if rng.IntN(4) == 0 {
				if known := v.Known(rank); known != nil {
					*known, twin[rank] = 0, 0
				}
				v.Forget(rank)
				continue
			}
			if got := v.At(rank); *got != twin[rank] {
				t.Fatalf("seed %d, step %d: rank %d has %d, want %d", seed, step, rank, *got, twin[rank])
			}
			*v.At(rank), twin[rank] = step+1, step+1
		}
		var have []int32
		for rank, value := range v.All() {
			if *value != twin[rank] {
				t.Fatalf("seed %d: All yields %d of rank %d, want %d", seed, *value, rank, twin[rank])
			}
			if *value != 0 {
				have = append(have, rank)
			}
		}
		maps.DeleteFunc(twin, func(_ int32, value int) bool { return value == 0 })
		if want := slices.Sorted(maps.Keys(twin)); !slices.Equal(have, want) {
			t.Fatalf("seed %d: All yields ranks %v, want %v", seed, have, want)
		}
	}
}

// A rank that uses the ranks at distances of powers of two, as many collective operations do, has
// memory for no more than a few times as many.
func TestMemoryGrowsWithTheRanksUsed(t *testing.T) {
	for _, ranks := range []int{1 << 10, 1 << 16, 1 << 20} {
		v, used := New[int](ranks), 0
		for d := 1; d < ranks; d *= 2 {
			*v.At(int32(d)) = d
			*v.At(int32(ranks - d)) = d
			used += 2
		}
		if have := chunk * (1 + len(v.many.blocks)); v.all != nil || v.many.ranged != nil || have > used+chunk || len(v.many.table) > 4*used {
			t.Errorf("%d ranks: memory for %d values and a table of %d, and %d are used", ranks, have, len(v.many.table), used)
		}
	}
}

// Values that are not zero for a short time take the memory of those that are at once.
func TestForgottenValuesTakeNoMemory(t *testing.T) {
	v := New[int](1 << 16)
	for rank := range int32(1 << 16) {
		*v.At(rank) = 1
		if rank >= chunk {
			*v.Known(rank - chunk) = 0
			v.Forget(rank - chunk)
		}
	}
	if len(v.many.blocks) != 1 || v.many.table != nil || v.many.ranged != nil {
		t.Errorf("%d values at once take %d blocks behind the first and a table of %d; expected 1", chunk, len(v.many.blocks), len(v.many.table))
	}
}

// A rank that uses all others takes memory for little more than that, also on the way there.
func TestMemoryIsThatOfAllRanks(t *testing.T) {
	type value [64]byte
	for _, ranks := range []int{1 << 10, 1<<12 + 3} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		v := New[value](ranks)
		for rank := range int32(ranks) {
			v.At(rank)[0] = 1
		}
		runtime.ReadMemStats(&after)
		if got, most := after.TotalAlloc-before.TotalAlloc, uint64(ranks*len(value{})*13/10); got > most {
			t.Errorf("%d values take %d bytes in all; expected at most %d", ranks, got, most)
		}
		runtime.KeepAlive(&v)
	}
}

func TestNoValueBesidesTheRanks(t *testing.T) {
	for _, ranks := range []int{1, 1000} {
		for _, rank := range []int32{-1, int32(ranks)} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("rank %d of %d has a value", rank, ranks)
					}
				}()
				v := New[int](ranks)
				for used := range int32(ranks / 2) {
					v.At(used)
				}
				if v.Known(rank) != nil {
					t.Errorf("rank %d of %d is known", rank, ranks)
				}
				v.At(rank)
			}()
		}
	}
}

func BenchmarkAt(b *testing.B) {
	for _, c := range []struct {
		name  string
		ranks int
	}{{"2 ranks", 2}, {"65536 ranks", 1 << 16}} {
		b.Run(c.name, func(b *testing.B) {
			v := New[int](c.ranks)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				*v.At(int32(1<<(i%16)) % int32(c.ranks))++
			}
		})
	}
}

// One value at a time takes no memory of its own.
func TestOneValueTakesNoMemory(t *testing.T) {
	f := NewFew[int](1 << 20)
	if n := testing.AllocsPerRun(100, func() {
		for rank := int32(1); rank < 1<<20; rank *= 2 {
			*f.At(rank) = 1
			f.Forget(rank)
		}
	}); n != 0 {
		t.Errorf("%v allocations; expected none", n)
	}
}
