//go:build race

package musubi

// raceDetector says whether the tests are built with it. Simulations, in which one
// goroutine runs at a time, then take twenty times as long, and it has nothing to find: tests
// of them are skipped.
const raceDetector = true
