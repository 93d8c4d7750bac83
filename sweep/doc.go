// Package sweep runs grids of scenarios: every combination of the values that options list, with
// repeats over seeds and with loads that rise until a network saturates.
//
// A Grid becomes cells, one for each combination. A cell asks for runs, and from their outcomes it
// follows which runs it needs next, in whatever order they end. So a sweep that was stopped goes on
// from the outcomes it has, and gives what it would have given in one go. A run is named by the hash
// of its scenario and of the program's version.
//
// What carries runs out is an Executor: Pool on the processors of this computer, package sweep/queue
// on many. Package sweep/store keeps outcomes.
package sweep
