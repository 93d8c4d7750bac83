// Package elements shows elements as the memory that they lie in, and memory as elements. Types
// of elements have no pointers.
package elements

import "unsafe"

// Memory returns the memory of elements.
func Memory[T any](data []T) []byte {
	var element T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), len(data)*int(unsafe.Sizeof(element)))
}

// Of returns memory as the elements that lie in it. It is aligned as they are.
func Of[T any](memory []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(memory))), len(memory)/Size[T]())
}

// Size returns the bytes of an element.
func Size[T any]() int {
	var element T
	return int(unsafe.Sizeof(element))
}
