package mbc

import (
	"testing"

	"pgregory.net/rapid"
)

func TestPageTableAgreesWithNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		naive := make([]bool, rapid.IntRange(0, 200).Draw(t, "pages"))
		for i := range naive {
			naive[i] = true
		}
		table := NewPageTable(len(naive))
		for range rapid.IntRange(0, 50).Draw(t, "changes") {
			more := rapid.IntRange(0, 3).Draw(t, "more")
			table.Extend(more)
			for range more {
				naive = append(naive, true)
			}
			if len(naive) > 0 {
				page, present := rapid.IntRange(0, len(naive)-1).Draw(t, "page"), rapid.Bool().Draw(t, "present")
				table.Set(page, present)
				naive[page] = present
			}
		}
		for page := range len(naive) + 70 {
			at := uint32(page*PageSize + rapid.IntRange(0, PageSize-1).Draw(t, "offset"))
			there := page < len(naive)
			if table.Contains(at) != there || table.Present(at) != (there && naive[page]) {
				t.Fatalf("page %d of %d is there: %v, present: %v", page, len(naive), table.Contains(at), table.Present(at))
			}
		}
	})
}

func TestPageTablePanics(t *testing.T) {
	for name, f := range map[string]func(){
		"less than none":            func() { NewPageTable(-1) },
		"more than addresses reach": func() { NewPageTable(1<<20 + 1) },
		"extended beyond addresses": func() { p := NewPageTable(1 << 20); p.Extend(1) },
		"page behind the last one":  func() { p := NewPageTable(2); p.Set(2, true) },
		"page before the first":     func() { p := NewPageTable(2); p.Set(-1, true) },
		"table without entries":     func() { NewRouteTable[int](0) },
		"ack of nothing":            func() { NewRouteTable[int](1).Acked(0) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("expected a panic")
				}
			}()
			f()
		})
	}
}

// Both ends of a page: what fits and what does not.
func TestWithinPage(t *testing.T) {
	for _, test := range []struct {
		at   uint32
		n    int
		want bool
	}{
		{0, 0, true}, {0, 4096, true}, {0, 4097, false}, {1, 4095, true}, {1, 4096, false},
		{4095, 0, true}, {4095, 1, true}, {4095, 2, false}, {4096, 4096, true},
		{8191, 1, true}, {8191, 2, false}, {1<<32 - 1, 1, true}, {1<<32 - 1, 2, false},
	} {
		if got := WithinPage(test.at, test.n); got != test.want {
			t.Errorf("%d bytes at %#x lie in one page: %v; expected %v", test.n, test.at, got, test.want)
		}
	}
}

// A table may grow by nothing, and up to as many pages as addresses can name.
func TestPageTableGrowsToItsLimit(t *testing.T) {
	table := NewPageTable(1)
	for _, more := range []int{0, maxPages - 1, 0} {
		table.Extend(more)
	}
	if table.Pages() != maxPages {
		t.Errorf("%d pages; expected %d", table.Pages(), maxPages)
	}
	defer func() {
		if recover() == nil {
			t.Error("a page more went unnoticed")
		}
	}()
	table.Extend(1)
}
