//go:build !race

package mpitest_test

const underRace = false
