//go:build !race

package mpi_test

const underRace = false

// tested is on how many of the machines.
const tested = 6
