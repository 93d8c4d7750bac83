package reduction

import "reflect"

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
