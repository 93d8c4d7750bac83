//go:build race

package mpi_test

// underRace: the race detector makes a run about ten times as long. A simulation runs one
// goroutine at a time, so there less of it is repeated.
const underRace = true

// tested is on how many of the machines.
const tested = 3
