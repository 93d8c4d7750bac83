//go:build !race

package core

// underRace says that the race detector watches the program.
const underRace = false
