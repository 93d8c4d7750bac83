package rma

import "musubi/onesided"

// Layout says which bytes of a memory an operation takes: contiguous, strided or listed
// elements. The zero value means all of it, contiguous. See [onesided.Layout].
type Layout = onesided.Layout

// Strided is count elements of so many bytes that begin stride bytes from each other.
func Strided(element, stride, count int) Layout { return onesided.Strided(element, stride, count) }

// List is an element of so many bytes at each of several offsets, in bytes.
func List(element int, offsets ...int) Layout { return onesided.List(element, offsets...) }
