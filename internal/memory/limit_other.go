//go:build !unix

package memory

import "math"

// addressLimit returns how many bytes of addresses this process may have.
func addressLimit() int64 { return math.MaxInt64 }
