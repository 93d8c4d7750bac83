//go:build !linux

package files

import (
	"os"
	"syscall"

	"musubi/mpi/abi"
)

// allocate makes a file as long as a size at least.
func allocate(file *os.File, bytes int) error { return extend(file, bytes) }

// lock fails.
func lock(*os.File, int, int, bool) (func(), error) { return nil, syscall.ENOSYS }

// mayMap reports that no file may be written through memory.
func mayMap(*os.File) bool { return false }

// readBriefly and writeBriefly do nothing: reading and writing go in the usual way.
func readBriefly(*abi.File, []byte, int) int  { return 0 }
func writeBriefly(*abi.File, []byte, int) int { return 0 }

// withMemory does nothing.
func withMemory(*os.File, int, int, func([]byte)) bool { return false }

// lockable reports that bytes of files cannot be locked.
const lockable = false
