package reduction

import (
	"path"
	"reflect"
	"strings"
)

// Kind is the type of elements, as far as operations depend on it: a reflect.Kind, or Located plus
// the kind of the value; 0 if there are no operations on them.
type Kind uint8

const (
	// Located is added to the kind of a value that has an index behind it.
	Located Kind = 32
	// LastOfGo is the largest kind of Go's types.
	LastOfGo = Located + Kind(reflect.Complex128)
)

// Kinds that the package's users name.
const (
	Bool   = Kind(reflect.Bool)
	Uint64 = Kind(reflect.Uint64)
)

// KindOf returns the kind of elements of a type of Go: numbers, booleans, and Located of package mpi.
func KindOf(t reflect.Type) Kind {
	switch {
	case IsNumber(t.Kind()):
		return Kind(t.Kind())
	case t.PkgPath() == ofMPI && strings.HasPrefix(t.Name(), "Located["):
		return Located + Kind(t.Field(0).Type.Kind())
	}
	return 0
}

// ofMPI is the path of package mpi, which is two above that of this one.
var ofMPI = path.Dir(path.Dir(reflect.TypeFor[Kind]().PkgPath()))

// IsNumber reports whether values of a kind of Go are numbers or booleans.
func IsNumber(k reflect.Kind) bool {
	return k >= reflect.Bool && k <= reflect.Complex128 && k != reflect.Uintptr
}

// IsWhole reports whether elements are integers or booleans.
func (k Kind) IsWhole() bool { return k > 0 && k <= Kind(reflect.Uint64) }

// isSigned reports whether elements are integers with a sign.
func (k Kind) isSigned() bool { return k >= Kind(reflect.Int) && k <= Kind(reflect.Int64) }

// isWord reports whether elements are integers of 8 bytes.
func (k Kind) isWord() bool {
	switch reflect.Kind(k) {
	case reflect.Int, reflect.Int64, reflect.Uint, reflect.Uint64:
		return true
	}
	return false
}
