package memory

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// useLargePages asks the system to use large pages for memory. It need not.
func useLargePages(block []byte) {
	page := uintptr(os.Getpagesize())
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(block))) & (page - 1)
	_ = unix.Madvise(block[skip:], unix.MADV_HUGEPAGE)
}
