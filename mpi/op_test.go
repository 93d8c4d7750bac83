package mpi_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"musubi/mpi"
)

// applied returns what an operation makes of two elements.
func applied[T any](op mpi.Op[T], a, b T) T {
	in, inout := []T{a}, []T{b}
	op.Apply(in, inout)
	return inout[0]
}

func TestOperations(t *testing.T) {
	nan := math.NaN()
	type at = mpi.Located[float64]
	for _, test := range []struct {
		name      string
		got, want any
	}{
		{"sum", applied(mpi.Sum[int8](), 100, 27), int8(127)},
		{"sum of complex numbers", applied(mpi.Sum[complex64](), 1+2i, 3i), complex64(1 + 5i)},
		{"product", applied(mpi.Product[float32](), 3, -0.5), float32(-1.5)},
		{"max", applied(mpi.Max[int16](), -3, -7), int16(-3)},
		{"min", applied(mpi.Min[uint](), 3, 7), uint(3)},
		{"max with what is not a number", fmt.Sprint(applied(mpi.Max[float64](), 1, nan)), "NaN"},
		{"min with what is not a number", fmt.Sprint(applied(mpi.Min[float64](), nan, 1)), "NaN"},
		{"and", applied(mpi.And[uint8](), 0b1100, 0b1010), uint8(0b1000)},
		{"or", applied(mpi.Or[uint8](), 0b1100, 0b1010), uint8(0b1110)},
		{"xor", applied(mpi.Xor[uint8](), 0b1100, 0b1010), uint8(0b0110)},
		{"logical and", applied(mpi.LogicalAnd[bool](), true, false), false},
		{"logical or", applied(mpi.LogicalOr[bool](), true, false), true},
		{"logical xor", applied(mpi.LogicalXor[bool](), true, true), false},
		{"largest", applied(mpi.MaxLocation[float64](), at{1, 0}, at{2, 5}), at{2, 5}},
		{"smallest", applied(mpi.MinLocation[float64](), at{1, 0}, at{2, 5}), at{1, 0}},
		{"largest, equal ones", applied(mpi.MaxLocation[float64](), at{2, 7}, at{2, 5}), at{2, 5}},
		{"smallest, equal ones", applied(mpi.MinLocation[float64](), at{2, 5}, at{2, 7}), at{2, 5}},
		{"largest, not a number", applied(mpi.MaxLocation[float64](), at{nan, 1}, at{2, 5}), at{2, 5}},
		{"smallest, not a number", fmt.Sprint(applied(mpi.MinLocation[float64](), at{nan, 1}, at{2, 5})), "{NaN 1}"},
	} {
		if test.got != test.want {
			t.Errorf("%s: %v; expected %v", test.name, test.got, test.want)
		}
	}
}

// matrix is an element whose product is associative, but not commutative: 2 x 2
// whole numbers that wrap round.
type matrix [4]uint32

var multiply = mpi.Op[matrix]{Apply: func(in, inout []matrix) {
	for i, a := range in {
		b := inout[i]
		inout[i] = matrix{a[0]*b[0] + a[1]*b[2], a[0]*b[1] + a[1]*b[3], a[2]*b[0] + a[3]*b[2], a[2]*b[1] + a[3]*b[3]}
	}
}}

// matrices is what a rank has.
func matrices(rank, n int) []matrix {
	rng := rand.New(rand.NewPCG(uint64(rank), 0))
	list := make([]matrix, n)
	for i := range list {
		list[i] = matrix{rng.Uint32(), rng.Uint32(), rng.Uint32(), rng.Uint32()}
	}
	return list
}

// products is the product of the matrices of ranks lo to hi-1.
func products(lo, hi, n int) []matrix {
	result := matrices(hi-1, n)
	for rank := hi - 2; rank >= lo; rank-- {
		multiply.Apply(matrices(rank, n), result)
	}
	return result
}

// Products of matrices are in the order of ranks, by whatever algorithm.
func TestUserOperationsKeepTheOrderOfRanks(t *testing.T) {
	lengths := []int{1, 5, 2000}
	if underRace {
		lengths = lengths[:2]
	}
	for _, ranks := range []int{1, 2, 3, 6, 8, 13} {
		for _, n := range lengths {
			onLogGP(t, ranks, func(c *mpi.Comm) error {
				for _, operation := range []string{"allreduce", "reduce", "reducescatter", "scan", "exscan"} {
					algorithms, err := mpi.Algorithms(operation)
					if err != nil {
						return err
					}
					for _, algorithm := range append(algorithms, "auto") {
						if algorithm == "ring" || algorithm == "recursive-halving" {
							continue // refuse them
						}
						if err := firstError(c.SetAlgorithm(operation, algorithm), multiplied(c, operation, n)); err != nil {
							return fmt.Errorf("%s by %s, %d elements: %w", operation, algorithm, n, err)
						}
					}
				}
				return nil
			})
		}
	}
}

func multiplied(c *mpi.Comm, operation string, n int) error {
	me, size := c.Rank(), c.Size()
	in, got, want := matrices(me, n), make([]matrix, n), products(0, size, n)
	var err error
	switch operation {
	case "allreduce":
		err = mpi.AllReduce(c, in, got, multiply)
	case "reduce":
		if err = mpi.Reduce(c, size-1, in, got, multiply); me != size-1 {
			want = got
		}
	case "reducescatter":
		got, want = got[:n/size], want[n/size*me:][:n/size]
		err = mpi.ReduceScatter(c, in[:n/size*size], got, multiply)
	case "scan":
		want = products(0, me+1, n)
		err = mpi.Scan(c, in, got, multiply)
	case "exscan":
		if want = got; me > 0 {
			want = products(0, me, n)
		}
		err = mpi.ExScan(c, in, got, multiply)
	}
	if err == nil && !slices.Equal(got, want) {
		err = fmt.Errorf("%.60v; expected %.60v", fmt.Sprint(got), fmt.Sprint(want))
	}
	return err
}
