package wire

import (
	"fmt"
	"math"
)

// MaxRanks is how many ranks a job may have. There is a ring for each pair, of which those
// take memory that are used.
const MaxRanks = 1024

// NoRank stands for the launcher.
const NoRank = 0xffff

// RankOn names a rank and its host, if that is worth saying.
func RankOn(rank int, host string) string {
	switch {
	case rank == NoRank:
		return "the launcher"
	case host != "":
		return fmt.Sprintf("rank %d on %s", rank, host)
	}
	return fmt.Sprintf("rank %d", rank)
}

// SegmentNumber returns a number as it fits a record: -1, which no segment has, for
// what does not.
func SegmentNumber(n int) int {
	if n < 0 || n > math.MaxInt32 {
		return -1
	}
	return n
}
