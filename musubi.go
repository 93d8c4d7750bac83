// Package musubi runs message-passing programs on machines: it turns a
// Scenario, which says what to run on what, into a simulated cluster with a
// network, routes proved free of deadlock, hosts and network interfaces, or into
// processes on this host, and brings back results.
//
// A program is a function that every rank runs:
//
//	result, err := musubi.Run(ctx, musubi.Scenario{Machine: "rhinet2", Ranks: 2},
//		func(p rma.Process) error { ... })
//
// The workloads that come with Musubi are run by name with RunWorkload. Equal
// scenarios give equal results, whatever the machine that the simulation itself
// runs on.
//
// With Machine "live" the ranks are processes. These execute the same command line
// again, so they come to the same call, which does not return in them; see package
// live. What a program leaves in variables is not seen by the parent.
package musubi

import (
	"context"

	"musubi/rma"
)

// Run runs a program on every rank of the machine of a scenario. Its result has
// no rows but those about the links.
//
// The error is an *InputError for a mistake in the scenario, an *UnsafeError for
// routes that are refused, a *fabric.Deadlock, a *live.RankError or *live.StuckError,
// the reason why ctx has ended, or what the program returned.
func Run(ctx context.Context, s Scenario, program func(rma.Process) error) (*Result, error) {
	system, err := Build(s)
	if err != nil {
		return nil, err
	}
	return system.Run(ctx, program)
}

// RunWorkload runs the workload that a scenario names. It returns the same errors as Run.
func RunWorkload(ctx context.Context, s Scenario) (*Result, error) {
	system, err := Build(s)
	if err != nil {
		return nil, err
	}
	return system.RunWorkload(ctx)
}
