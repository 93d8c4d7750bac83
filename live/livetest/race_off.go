//go:build !race

package livetest

// Race says whether the race detector is on.
const Race = false
