//go:build race

package livetest

// Race says whether the race detector is on. Tests take up to twenty times as long then, so they
// do less of the same. What has no two goroutines, and counts of allocations, it does not run.
const Race = true
