package chakra

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// attribute is the value of an attribute of a node, in the form in which it is needed.
type attribute struct {
	name    string
	number  int64 // of integers and bool
	isWhole bool  // number is its value
	text    string
	flags   []uint64 // of a list of bool
	form    generation
}

// generation is a schema of the format.
type generation uint8

const (
	unknown generation = iota
	today
	first  // v0.0.2: types of nodes are one less, integers are in field 5
	second // v0.0.3: integers are in field 6
)

// readAttribute reads an attribute of today's schema.
func readAttribute(data []byte) (a attribute, err error) {
	a.form = today
	err = fields(data, func(f field) error {
		whole := func(v int64) { a.number, a.isWhole = v, true }
		switch f.number {
		case 1:
			a.name = string(f.bytes)
		case 7, 11, 9, 13, 19, 21, 27: // int32, uint32, int64, uint64, fixed32, fixed64, bool
			if f.value > math.MaxInt64 && (f.number == 13 || f.number == 21) {
				return errLarge
			}
			whole(int64(f.value))
		case 15, 17: // sint32, sint64
			whole(protowire.DecodeZigZag(f.value))
		case 23: // sfixed32
			whole(int64(int32(f.value)))
		case 25: // sfixed64
			whole(int64(f.value))
		case 29, 31: // string, bytes
			a.text = string(f.bytes)
		case 28: // list of bool
			return fields(f.bytes, func(f field) (err error) {
				a.flags, err = f.appendNumbers(a.flags)
				return err
			})
		}
		return nil
	})
	return a, err
}

// readOldAttribute reads an attribute of the schemas of 2023, which tell its type apart.
func readOldAttribute(data []byte) (a attribute, err error) {
	kind := uint64(math.MaxUint64)
	var all []field
	err = fields(data, func(f field) error {
		switch f.number {
		case 1:
			a.name = string(f.bytes)
		case 2:
			kind = f.value
		default:
			all = append(all, f)
		}
		return nil
	})
	for _, f := range all {
		switch {
		case kind == 1 && f.number == 5: // INT of v0.0.2
			a.number, a.isWhole, a.form = int64(f.value), true, first
		case kind == 2 && f.number == 6 && f.kind == protowire.VarintType: // INT of v0.0.3
			a.number, a.isWhole, a.form = int64(f.value), true, second
		case kind == 0 && f.number == 4 && f.kind == protowire.VarintType: // BOOL of v0.0.3
			a.number, a.isWhole, a.form = int64(f.value), true, second
		case f.kind == protowire.BytesType && (f.number == 6 || f.number == 7): // STRING
			a.text = string(f.bytes)
		}
	}
	return a, err
}
