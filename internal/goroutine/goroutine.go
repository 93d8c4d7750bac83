//go:build amd64 || arm64

// Package goroutine tells goroutines apart.
package goroutine

// Current returns a number of the calling goroutine, which no other one has as long as it lives: the address of
// what the runtime keeps of it. It is 0 on processors that the package does not know.
func Current() uintptr
