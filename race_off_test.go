//go:build !race

package musubi

// raceDetector: see race_on_test.go.
const raceDetector = false
