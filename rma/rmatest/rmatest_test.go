package rmatest_test

import (
	"context"
	"flag"
	"testing"

	"musubi"
	"musubi/internal/check"
	"musubi/rma"
	"musubi/rma/rmatest"
	"musubi/sim/host"
	"musubi/sim/host/hosttest"
	"musubi/sim/machine"
	"musubi/units"
)

func TestMain(m *testing.M) {
	check.CollectLess()
	m.Run()
}

var (
	long    = flag.Bool("long", false, "test each condition by itself")
	nightly = flag.Bool("nightly", false, "test more placements of ranks, too")
)

// The simulated machines are worlds.
func TestSimulatedMachines(t *testing.T) {
	names := machine.Names()
	if underRace {
		names = []string{"loggp", "tofu2"}
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			m, err := machine.Load(name)
			if err != nil {
				t.Fatal(err)
			}
			w := world(m)
			w.Run = onSystemsOf(musubi.Scenario{Machine: name})
			rmatest.Test(t, w)
		})
	}
}

// Ranks that share hosts, and their interfaces, are held to the same.
func TestRanksOnAHost(t *testing.T) {
	for _, name := range machine.Names() {
		set, shares := hosttest.Sharing(name)
		if !shares || underRace && name != "tofu2" {
			continue
		}
		m, err := machine.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		places := []string{"block:4"}
		if *nightly {
			places = append(places, "cyclic:2")
		}
		for _, place := range places {
			t.Run(name+" "+place, func(t *testing.T) {
				w := world(m)
				w.Run = onSystemsOf(musubi.Scenario{Machine: name, Place: place, Set: set})
				rmatest.Test(t, w)
			})
		}
	}
}

// The flow engine carries messages of several packets as a whole.
func TestFlows(t *testing.T) {
	names := []string{"ndr", "qsnet2", "tofu2"}
	if underRace {
		names = names[:1]
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			m, err := machine.Load(name)
			if err != nil {
				t.Fatal(err)
			}
			w := world(m)
			w.Ring, w.Packet = w.Packet, 6*w.Packet // so that most messages are long ones
			w.Run = onSystemsOf(musubi.Scenario{Machine: name, Engine: "flow"})
			rmatest.Test(t, w)
		})
	}
}

// Conditions under which programs run with memory-based communication change nothing that
// the contract says: all of them at once, and with -long one by one.
func TestConditions(t *testing.T) {
	m, err := machine.Load("ssscore")
	if err != nil {
		t.Fatal(err)
	}
	conditions := map[string]map[string]string{
		"scheduled":  {"conditions.scheduled": "0.4", "conditions.quantum": "50us"},
		"paged":      {"conditions.absent": "0.5", "conditions.evict": "1ms", "os.page_in": "50us"},
		"errors":     {"conditions.errors": "1e-6", "remote.retry": "1ms"},
		"moved":      {"conditions.migrations": "0@100us:14, 0@3ms:15", "os.migrate": "100us"},
		"few routes": {"remote.routes": "1"},
		"all": {
			"conditions.scheduled": "0.6", "conditions.quantum": "50us", "conditions.absent": "0.2", "conditions.evict": "1ms",
			"os.page_in": "50us", "conditions.errors": "1e-6", "remote.retry": "1ms", "conditions.migrations": "0@100us:14, 0@3ms:15",
			"os.migrate": "100us", "remote.routes": "2",
		},
	}
	for name, set := range conditions {
		if together := name == "all" || name == "few routes"; together == *long || underRace && name != "all" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			w := world(m)
			w.Run = onSystemsOf(musubi.Scenario{Machine: "ssscore", Set: set})
			rmatest.Test(t, w)
		})
	}
}

// world describes a machine.
func world(m *machine.Machine) rmatest.World {
	t := host.TraitsOf(m)
	w := rmatest.World{Packet: t.RingPacket, BOTF: int(t.BOTF)}
	w.Clock = func(p rma.Process) units.Time { return p.Now() } // which all have in common
	return w
}

// onSystemsOf runs programs on systems of a scenario, each of which is built once: that takes longer
// than most programs, and every run begins anew.
func onSystemsOf(s musubi.Scenario) func(ranks int, program func(rma.Process) error) error {
	systems := make(map[int]*musubi.System)
	return func(ranks int, program func(rma.Process) error) error {
		if systems[ranks] == nil {
			sized := s
			sized.Ranks = ranks
			system, err := musubi.Build(sized)
			if err != nil {
				return err
			}
			systems[ranks] = system
		}
		_, err := systems[ranks].Run(context.Background(), program)
		return err
	}
}
