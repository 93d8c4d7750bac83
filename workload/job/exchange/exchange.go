// Package exchange writes down what ranks do in jobs that exchange data in a regular way: stencils, transposes of FFTs, and many servers
// that answer one client at once.
package exchange

import (
	"math"
	"strconv"
	"strings"

	"musubi/workload/job/param"
)

// mostRanks and mostOperations are limits of a job, so that a schedule fits into memory.
const (
	mostRanks      = 1 << 20
	mostOperations = 20e6
)

// dims reads numbers of ranks along some dimensions, such as 4x4x2, the first of which goes fastest.
func dims(text string, least, most int) ([]int, error) {
	var list []int
	ranks := 1
	for part := range strings.SplitSeq(text, "x") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 1 || n > mostRanks/ranks {
			return nil, param.Wrong("grid", "expected numbers of ranks such as 4x4, %d at most in all", mostRanks)
		}
		ranks *= n
		list = append(list, n)
	}
	if len(list) < least || len(list) > most {
		return nil, param.Wrong("grid", "expected %d to %d dimensions, such as 4x4", least, most)
	}
	return list, nil
}

// product multiplies numbers.
func product(list []int) int {
	n := 1
	for _, x := range list {
		n *= x
	}
	return n
}

// picoseconds returns how long operations take at a rate in operations per second.
func picoseconds(operations, rate float64) int64 {
	return int64(math.Round(operations / rate * 1e12))
}
