//go:build !linux

package files

import (
	"os"
	"syscall"
)

// allocate makes a file as long as a size at least.
func allocate(file *os.File, bytes int) error { return extend(file, bytes) }

// lock fails.
func lock(*os.File, int, int, bool) (func(), error) { return nil, syscall.ENOSYS }

// mayMap reports that no file may be written through memory.
func mayMap(*os.File) bool { return false }

// withMemory does nothing.
func withMemory(*os.File, int, int, func([]byte)) bool { return false }
