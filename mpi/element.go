package mpi

import (
	"fmt"
	"reflect"
	"sync"

	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/reduction"
)

// checked caches the result of checkType, an error or nil, by reflect.Type. Ranks share it.
var checked sync.Map

// bytesOf returns the memory of elements. It fails if their type cannot be sent.
func bytesOf[T any](data []T) ([]byte, error) {
	if err := checkElement[T](); err != nil {
		return nil, err
	}
	return elements.Memory(data), nil
}

// checkElement fails if values of a type cannot be sent as their memory.
func checkElement[T any]() error {
	if isUsual[T]() {
		return nil
	}
	return checkKind(reflect.TypeFor[T]())
}

// isUsual reports whether a type is one of those that most programs send, at less cost than
// reflection.
func isUsual[T any]() bool {
	switch any((*T)(nil)).(type) {
	case *byte, *int, *float64, *int32, *float32, *int64:
		return true
	}
	return false
}

func checkKind(t reflect.Type) error {
	if reduction.IsNumber(t.Kind()) {
		return nil
	}
	if known, ok := checked.Load(t); ok {
		err, _ := known.(error)
		return err
	}
	err := checkType(t)
	if err == nil && t.Size() == 0 {
		err = fmt.Errorf("elements of type %v have no bytes", t)
	}
	checked.Store(t, err)
	return err
}

// checkType fails if a type is not made of numbers and booleans alone.
func checkType(t reflect.Type) error {
	switch k := t.Kind(); {
	case reduction.IsNumber(k):
		return nil
	case k == reflect.Array:
		return checkType(t.Elem())
	case k == reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if err := checkType(f.Type); err != nil {
				return fmt.Errorf("field %s of %v: %w", f.Name, t, err)
			}
		}
		return nil
	}
	return fmt.Errorf("elements of type %v; expected numbers, booleans, or arrays and structs of them", t)
}
