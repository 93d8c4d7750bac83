// Package musubi runs message-passing programs on machines: it turns a
// Scenario, which says what to run on what, into a simulated cluster with a
// network, routes proved free of deadlock, hosts and network interfaces, and
// brings back results.
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
// Only simulated machines exist so far.
package musubi

import (
	"context"

	"musubi/rma"
)

// Scenario says what to run on what. The zero value of a field means what the
// machine says, unless its comment says otherwise.
type Scenario struct {
	Workload string            // see package workload; empty with Run
	Set      map[string]string // parameters of the workload; those of the machine have a dot in their name

	Machine   string // a built-in one or a file; see package machine
	Topology  string // a name such as "torus:4x4", or a file; see topology.Open
	Hosts     int    // per switch
	Routing   string // see routing.Algorithms
	VCs       int    // virtual channels that the routing may use; 0 with a routing that is not the machine's own: as it needs
	Selection string // see routing.Selections
	Root      int    // switch that is the root of spanning trees

	Ranks int    // 0: one per host, or 64 on a machine without a network
	Place string // "even" (if empty), "block", or hosts such as "0,4,8"

	Seed   uint64 // of everything random
	Unsafe bool   // run routes that can deadlock
}

// InputError is a mistake in a scenario.
type InputError struct {
	Key string // what is at fault, as the command line calls it; "set.name" for an element of Set
	Err error
}

func (e *InputError) Error() string { return e.Err.Error() }
func (e *InputError) Unwrap() error { return e.Err }

func wrong(key string, err error) error { return &InputError{key, err} }

// Run runs a program on every rank of the machine of a scenario. Its result has
// no rows but those about the links.
//
// The error is an *InputError for a mistake in the scenario, an *UnsafeError for
// routes that are refused, a *fabric.Deadlock, that of ctx, or what the program
// returned.
func Run(ctx context.Context, s Scenario, program func(rma.Process) error) (*Result, error) {
	system, err := Build(s)
	if err != nil {
		return nil, err
	}
	return system.Run(ctx, program)
}

// RunWorkload runs the workload that a scenario names. Errors are as for Run.
func RunWorkload(ctx context.Context, s Scenario) (*Result, error) {
	system, err := Build(s)
	if err != nil {
		return nil, err
	}
	return system.RunWorkload(ctx)
}
