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
	"fmt"
	"time"

	"musubi/rma"
)

// Scenario says what to run on what. The zero value of a field means what the
// machine says, unless its comment says otherwise. The names in JSON are those of
// the command line; what is left out there says how to look at a run, not what to
// run.
type Scenario struct {
	Workload string            `json:"workload,omitempty"` // see package workload; empty with Run
	Set      map[string]string `json:"set,omitempty"`      // parameters of the workload; those of the machine have a dot in their name

	Machine   string `json:"on,omitempty"`        // a built-in one or a file, see package machine; or Live
	Topology  string `json:"topology,omitempty"`  // a name such as "torus:4x4", or a file; see topology.Open
	Hosts     int    `json:"hosts,omitempty"`     // per switch
	Routing   string `json:"routing,omitempty"`   // see routing.Algorithms
	VCs       int    `json:"vcs,omitempty"`       // virtual channels that the routing may use; 0 with a routing that is not the machine's own: as it needs
	Selection string `json:"selection,omitempty"` // see routing.Selections
	Root      int    `json:"root,omitempty"`      // switch that is the root of spanning trees

	Ranks int    `json:"ranks,omitempty"` // 0: one per host, 64 on a machine without a network, or with Live one per processor
	Place string `json:"place,omitempty"` // "even" (if empty), "block", or hosts such as "0,4,8"

	// Transport is the way of data between the ranks of Live: one of package live; empty:
	// the fastest there is.
	Transport string `json:"transport,omitempty"`
	// Encrypt says whether ranks of Live encrypt what they send each other over TCP: "on" (if
	// empty) or "off", for networks that nobody else is on.
	Encrypt string `json:"encrypt,omitempty"`
	// Bound is how long a rank of Live may give no sign of life until it counts as lost; 0:
	// 10 seconds; negative: for ever.
	Bound time.Duration `json:"-"`

	Seed   uint64 `json:"seed,omitempty"`   // of everything random
	Unsafe bool   `json:"unsafe,omitempty"` // run routes that can deadlock

	// Rings are the receive rings of each rank, instead of those that the program asks
	// for; nil: as it asks, or else as the machine says.
	Rings []rma.Rings `json:"-"`
	// Record asks for Result.Record.
	Record bool `json:"-"`
	// Breakdown asks for rows of metric "stage": the steps of messages on their way
	// (labels path, step, clocks), on machines that have named ones.
	Breakdown bool `json:"-"`
}

// SetTimeout sets Bound to a time such as "5s"; "0" means for ever.
func (s *Scenario) SetTimeout(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return fmt.Errorf("%q; expected a time such as 5s, or 0 for ever", text)
	}
	if s.Bound = d; d == 0 {
		s.Bound = -1
	}
	return nil
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
// routes that are refused, a *fabric.Deadlock, a *live.RankError or *live.StuckError,
// that of ctx, or what the program returned.
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
