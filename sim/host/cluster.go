package host

import (
	"errors"

	"musubi/rma"
	"musubi/routing"
	"musubi/routing/adaptive"
	"musubi/sim/failure"
	"musubi/sim/machine"
	"musubi/topology"
	"musubi/units"
)

// ErrInterrupted is returned by a run that was stopped from outside.
var ErrInterrupted = errors.New("interrupted")

// Config says what is to be simulated.
type Config struct {
	Machine *machine.Machine
	// Net and Routes are nil on a machine without a fabric. The caller has verified
	// the routes.
	Net    *topology.Network
	Routes *routing.Routes
	// Choice lets packets choose as they go; nil: it does not. Routes then only say how far apart hosts
	// are.
	Choice adaptive.Scheme
	// Alternates are used by RunTraffic beside Routes; see fabric.Router.
	Alternates []*routing.Routes
	// Failures says what fails during the run; nil: nothing does.
	Failures *failure.Config
	// Network is shared with other clusters; nil: it is not. Its own configuration says what it is.
	Network *Network
	// Unordered lets packets from one host to another overtake each other where
	// switches or Alternates give them a choice. Only RunTraffic does with that.
	Unordered bool
	// Hosts gives the end point of each rank; on a machine without a fabric only
	// its length counts.
	Hosts []int
	Seed  uint64
	// Rings gives the receive rings of each rank if the user has chosen them; else
	// nil.
	Rings []rma.Rings
	// Groups gives the process group of each rank; nil if there is but one.
	Groups []uint16
	// Phantom: programs get memory without bytes (rma.Payload), where Traits allow it.
	Phantom bool
	// Stages is called for each step on the way of messages, if not nil, on machines
	// that have named steps.
	Stages func(Stage)
	// Observer is told what happens, if not nil.
	Observer Observer
	// Progress is called now and then, if not nil.
	Progress func(Progress)
	// Stop ends the run with ErrInterrupted when it is closed.
	Stop <-chan struct{}
}

// Progress tells how far a run has come.
type Progress struct {
	Now    units.Time
	Until  units.Time // 0: not known
	Events int64
}

// Cluster is one simulated machine, good for one run.
type Cluster struct {
	Env
	Config Config
	Model  Model

	// What only some models have; nil with the others.
	follower   Follower
	blocker    Blocker
	waiter     Waiter
	prefetcher Prefetcher
	deferrer   Deferrer

	drivers *drivers // of the loop of events; other clusters on its network share them

	topics   map[rma.Topic]*topic        // that some members have spoken of
	told     map[listener][]rma.Telling  // that these have not heard yet
	usual    *rma.Rings                  // receive rings of ranks that choose none; nil until it is needed
	layouts  map[uniform]*receiverLayout // of ranks whose rings are the same
	failures *failure.Fabric             // nil: nothing fails
	traffic  *generator
	handled  int64
	finished int
}
