//go:build amd64 || arm64

package shm

// Pause lets the other thread of a core go ahead for a moment. Between two looks at the
// same word it also spares the processor to guess what the second will find.
func Pause()
