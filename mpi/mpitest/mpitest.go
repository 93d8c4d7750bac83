package mpitest

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"musubi/mpi"
	"musubi/rma"
)

// Ranks is the least number of ranks that Test needs.
const Ranks = 4

// check is one part of the semantics, as a program that fails where it is broken.
type check struct {
	name    string
	ranks   int // 0: all
	program func(c *mpi.Comm) error
	differs bool // calls of ranks differ, which Options.Check does not allow
}

// group is checks of one subject.
type group struct {
	name   string
	checks []check
}

var groups = []group{
	pointChecks, probeChecks, requestChecks, layoutChecks, commChecks, groupChecks, intercommChecks, topologyChecks, collectiveChecks, startedChecks, waitingChecks, persistentChecks, partitionedChecks, pairedChecks, triggeredChecks, neighbourChecks, randomChecks, windowChecks, withinChecks,
}

// Configuration is options that everything can be run with.
type Configuration struct {
	Name string
	mpi.Options
}

// Configurations are those that matter for the semantics.
var Configurations = []Configuration{
	{"private rings", mpi.Options{Rings: "private", Check: mpi.CheckOff}},
	{"shared rings", mpi.Options{Rings: "shared", Check: mpi.CheckOn}},
	{"small rings", mpi.Options{Rings: "private", RingBytes: 4 << 10, Eager: 600, Check: mpi.CheckOff}},
}

// Test runs all checks, in one job for each configuration. Run runs a program on all
// ranks of a new job. It fails if one returns an error, or if they wait for ever.
func Test(t *testing.T, configurations []Configuration, run func(program func(rma.Process) error) error) {
	for _, x := range configurations {
		t.Run(x.Name, func(t *testing.T) {
			err := run(func(p rma.Process) error {
				return mpi.Run(p, func(c *mpi.Comm) error { return everything(c, x.Check == mpi.CheckOn) }, x.Options)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// everything runs all checks, each in a communicator of its own; only those in which calls do not
// differ, if calls are compared.
func everything(c *mpi.Comm, compared bool) error {
	for _, g := range groups {
		for _, check := range g.checks {
			if check.differs && compared {
				continue
			}
			if err := check.run(c); err != nil {
				return fmt.Errorf("%s, %s, at rank %d: %w", g.name, check.name, c.Rank(), err)
			}
			if err := mpi.Barrier(c); err != nil {
				return err
			}
		}
	}
	return nil
}

func (x check) run(c *mpi.Comm) error {
	color := 0
	if x.ranks > 0 && c.Rank() >= x.ranks {
		color = -1
	}
	part, err := c.Split(color, 0)
	if err != nil || part == nil {
		return err
	}
	if err := x.program(part); err != nil {
		return err
	}
	return part.Free()
}

// Lengths on both sides of the eager limits, and one that no rank copies before it is asked for.
const (
	short   = 100
	large   = 80_000
	longest = 3 << 20
)

// text is n bytes that differ by seed: those of period from the seed on, again and again.
func text(n, seed int) []byte {
	b := make([]byte, n)
	for done := 0; done < n; {
		done += copy(b[done:], period()[(done+seed<<8)&(periodBytes-1):])
	}
	return b
}

const periodBytes = 1 << 16

// period is what text repeats. No 256 neighbours are alike, nor two that are a multiple of 256 apart.
var period = sync.OnceValue(func() []byte {
	b := make([]byte, periodBytes)
	for i := range b {
		b[i] = byte(i*7 + i>>8)
	}
	return b
})

// same fails if something else has come than was expected.
func same[T comparable](what string, got, want []T) error {
	if slices.Equal(got, want) {
		return nil
	}
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	return fmt.Errorf("%s: %d elements, other from number %d on than the %d expected", what, len(got), at, len(want))
}

// first returns the first error.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// signal sends an empty message, and awaitSignal waits for it: what the one does afterwards
// happens after what the other did before.
const signalTag = mpi.MaxTag

func signal(c *mpi.Comm, to int) error { return mpi.Send(c, to, signalTag, []byte{}) }

func awaitSignal(c *mpi.Comm, from int) error {
	_, err := mpi.Receive(c, from, signalTag, []byte{})
	return err
}
