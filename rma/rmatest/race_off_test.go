//go:build !race

package rmatest_test

const underRace = false
