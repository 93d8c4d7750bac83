package mpi_test

import (
	"reflect"
	"slices"
	"testing"

	"musubi/mpi"
	"musubi/mpi/internal/reduction"
)

// Each operation has the kinds of elements that its type parameter allows, and every
// kind has those that take any element.
func TestReducersAreForWhatTheirOperationsAllow(t *testing.T) {
	kinds := map[string]reduction.Kind{
		"int8": kindOf[int8](), "uint": kindOf[uint](), "float32": kindOf[float32](), "complex128": kindOf[complex128](),
		"bool": kindOf[bool](), "located": kindOf[mpi.Located[float64]](), "located uint8": kindOf[mpi.Located[uint8]](),
	}
	for op, want := range map[reduction.ID][]string{
		reduction.User:  nil,
		reduction.SumID: {"int8", "uint", "float32", "complex128"}, reduction.ProductID: {"int8", "uint", "float32", "complex128"},
		reduction.MaxID: {"int8", "uint", "float32"}, reduction.MinID: {"int8", "uint", "float32"},
		reduction.AndID: {"int8", "uint"}, reduction.OrID: {"int8", "uint"}, reduction.XorID: {"int8", "uint"},
		// In C, numbers are truth values.
		reduction.LogicalAndID: {"bool", "int8", "uint", "float32"}, reduction.LogicalOrID: {"bool", "int8", "uint", "float32"}, reduction.LogicalXorID: {"bool", "int8", "uint", "float32"},
		reduction.MaxLocationID: {"located", "located uint8"}, reduction.MinLocationID: {"located", "located uint8"},
		reduction.ReplaceID: {"int8", "uint", "float32", "complex128", "bool", "located", "located uint8"},
		reduction.NoOpID:    {"int8", "uint", "float32", "complex128", "bool", "located", "located uint8"},
	} {
		for name, kind := range kinds {
			if got, expected := reduction.Of(op, kind) != nil, slices.Contains(want, name); got != expected {
				t.Errorf("operation %d on %s: there is one: %v; expected %v", op, name, got, expected)
			}
		}
	}
	type named float64
	type pair struct{ Value, Index int }
	if kindOf[named]() != kindOf[float64]() || kindOf[pair]() != 0 || kindOf[[2]int]() != 0 {
		t.Errorf("kinds %d of a named number, %d of a struct, %d of an array", kindOf[named](), kindOf[pair](), kindOf[[2]int]())
	}
}

func kindOf[T any]() reduction.Kind { return reduction.KindOf(reflect.TypeFor[T]()) }
