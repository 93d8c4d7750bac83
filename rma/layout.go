package rma

import "musubi/onesided"

// Layout selects the bytes of a memory that an operation works on: contiguous, strided or listed
// elements. The zero value selects all of it. See [onesided.Layout].
type Layout = onesided.Layout

// Strided returns the layout of count elements of so many bytes that begin stride bytes from each
// other.
func Strided(element, stride, count int) Layout { return onesided.Strided(element, stride, count) }

// List returns the layout of an element of so many bytes at each of several offsets, in bytes.
func List(element int, offsets ...int) Layout { return onesided.List(element, offsets...) }

// DecodeLayout reads a layout that [onesided.Layout.Encode] has written, and nothing behind it.
func DecodeLayout(b []byte) (Layout, error) { return onesided.DecodeLayout(b) }
