//go:build !amd64 && !arm64

package prefetch

// Lines does nothing on this processor.
func Lines(uintptr, int) {}

// Each does nothing on this processor.
func Each(_, _, _, _, _ uintptr) {}
