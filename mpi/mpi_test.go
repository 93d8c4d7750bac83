package mpi_test

import (
	"context"
	"flag"
	"fmt"
	"sync"
	"testing"

	"musubi"
	"musubi/internal/check"
	"musubi/mpi"
	"musubi/rma"
)

func TestMain(m *testing.M) {
	check.CollectLess()
	m.Run()
}

var long = flag.Bool("long", false, "run more random programs")

// machines are the simulated machines that everything is tested on: one without
// packets, a modern one, one with command queues, one that starts a transfer after the other, one whose
// processor reaches its interface by small windows only, and one with multicast.
var machines = []string{"loggp", "ndr", "tofu2", "rhinet2", "dimmnet2", "ssscore"}[:tested]

// job is some ranks of a machine.
type job struct {
	machine string
	ranks   int
	options mpi.Options
	inPlace bool // its processes lend messages

	noWitness bool // its processes cannot compare what they say
}

// systems are the machines of jobs that have run, by name and ranks. To build their
// networks and to prove their routes takes longer than most runs.
var systems struct {
	sync.Mutex
	of map[string]*musubi.System
}

// system returns the machine of a job.
func (j job) system() (*musubi.System, error) {
	s := musubi.Scenario{Machine: j.machine, Ranks: j.ranks}
	if j.machine == "dimmnet2" {
		s.Topology, s.Hosts = "fullmesh:2", 4
	}
	key := fmt.Sprint(j.machine, j.ranks)
	systems.Lock()
	defer systems.Unlock()
	if known := systems.of[key]; known != nil {
		return known, nil
	}
	system, err := musubi.Build(s)
	if err != nil {
		return nil, err
	}
	if systems.of == nil {
		systems.of = map[string]*musubi.System{}
	}
	systems.of[key] = system
	return system, nil
}

// run runs a program on every rank of a job.
func (j job) run(program func(c *mpi.Comm) error) error {
	system, err := j.system()
	if err != nil {
		return err
	}
	_, err = system.Run(context.Background(), func(p rma.Process) error {
		if j.inPlace {
			p = inPlace{p}
		}
		if j.noWitness {
			p = onlyProcess{p}
		}
		c, err := mpi.New(p, j.options)
		if err != nil {
			return err
		}
		if err := program(c); err != nil {
			return fmt.Errorf("rank %d: %w", c.Rank(), err)
		}
		return nil
	})
	return err
}

// scaled is how often something random is repeated: n times, and a tenth of that with the
// race detector.
func scaled(n int) int {
	if underRace {
		return max(1, n/10)
	}
	return n
}

// everywhere runs a program on some ranks of every machine, with private and with
// shared rings; with one of them under the race detector.
func everywhere(t *testing.T, ranks int, program func(c *mpi.Comm) error) {
	t.Helper()
	for i, machine := range machines {
		kinds := []string{"private", "shared"}
		if underRace {
			kinds = kinds[i%2:][:1]
		}
		for _, rings := range kinds {
			t.Run(machine+" "+rings, func(t *testing.T) {
				t.Parallel()
				j := job{machine: machine, ranks: ranks, options: mpi.Options{Rings: rings}}
				if err := j.run(program); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// Lengths on both sides of the usual eager limit.
const (
	short = 100
	large = 20_000
)

// text is n bytes that differ by seed.
func text(n, seed int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + seed + i>>8)
	}
	return b
}

// onlyProcess hides all that a process has beyond the contract's least.
type onlyProcess struct{ rma.Process }
