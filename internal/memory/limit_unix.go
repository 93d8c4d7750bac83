//go:build unix

package memory

import (
	"math"

	"golang.org/x/sys/unix"
)

// addressLimit returns how many bytes of addresses this process may have.
func addressLimit() int64 {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &limit); err != nil || uint64(limit.Cur) > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(limit.Cur)
}
