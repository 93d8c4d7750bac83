package mpi_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"musubi/mpi"
)

func TestDims(t *testing.T) {
	for _, c := range []struct {
		ranks int
		given []int
		want  []int
	}{
		{1, []int{0}, []int{1}},
		{6, []int{0, 0}, []int{3, 2}},
		{7, []int{0, 0}, []int{7, 1}},
		{6, []int{0, 3, 0}, []int{2, 3, 1}}, // as the MPI standard has it
		{64, []int{0, 0, 0}, []int{4, 4, 4}},
		{72, []int{0, 0, 0}, []int{6, 4, 3}},
		{12, []int{4, 3}, []int{4, 3}},
	} {
		got, err := mpi.Dims(c.ranks, c.given...)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("Dims(%d, %v) = %v, %v; expected %v", c.ranks, c.given, got, err, c.want)
		}
	}
	for _, c := range []struct {
		ranks int
		given []int
	}{{0, []int{0}}, {7, []int{2, 0}}, {7, nil}, {8, []int{2, 2}}, {4, []int{-1, 0}}} {
		if got, err := mpi.Dims(c.ranks, c.given...); !errors.Is(err, mpi.ErrDims) {
			t.Errorf("Dims(%d, %v) = %v, %v; expected %v", c.ranks, c.given, got, err, mpi.ErrDims)
		}
	}
}

// No three numbers with the same product differ less.
func TestDimsAreTheMostEven(t *testing.T) {
	for n := 1; n <= 300; n++ {
		got, err := mpi.Dims(n, 0, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		least := n
		for a := 1; a <= n; a++ {
			for b := 1; n%a == 0 && b <= n/a; b++ {
				if n/a%b == 0 {
					least = min(least, max(a, b, n/a/b)-min(a, b, n/a/b))
				}
			}
		}
		if got[0]*got[1]*got[2] != n || got[0]-got[2] != least || got[0] < got[1] || got[1] < got[2] {
			t.Errorf("Dims(%d, 0, 0, 0) = %v; expected factors that decrease, and differ by %d", n, got, least)
		}
	}
}

func ExampleDims() {
	dims, err := mpi.Dims(24, 0, 0)
	fmt.Println(dims, err)
	// Output: [6 4] <nil>
}
