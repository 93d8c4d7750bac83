package rmatest_test

import (
	"context"
	"testing"

	"musubi"
	"musubi/nic"
	"musubi/rma"
	"musubi/rma/rmatest"
	"musubi/sim/machine"
	"musubi/units"
)

// The simulated machines are worlds.
func TestSimulatedMachines(t *testing.T) {
	for _, name := range machine.Names() {
		t.Run(name, func(t *testing.T) {
			m, err := machine.Load(name)
			if err != nil {
				t.Fatal(err)
			}
			w := world(m)
			w.Run = func(ranks int, program func(rma.Process) error) error {
				_, err := musubi.Run(context.Background(), musubi.Scenario{Machine: name, Ranks: ranks}, program)
				return err
			}
			rmatest.Test(t, w)
		})
	}
}

// Ranks that share a node, and its engines, are held to the same.
func TestRanksOnANode(t *testing.T) {
	m, err := machine.Load("tofu2")
	if err != nil {
		t.Fatal(err)
	}
	w := world(m)
	w.Run = func(ranks int, program func(rma.Process) error) error {
		s := musubi.Scenario{Machine: "tofu2", Topology: "tofu:2x1x1x2x3x1", Ranks: ranks, Place: "block"}
		_, err := musubi.Run(context.Background(), s, program)
		return err
	}
	rmatest.Test(t, w)
}

// world describes a machine.
func world(m *machine.Machine) rmatest.World {
	w := rmatest.World{Packet: min(int(m.Packet.Payload), nic.MaxData), BOTF: int(m.NIC.PIOPayload)}
	w.Clock = func(p rma.Process) units.Time { return p.Now() } // which all have in common
	if m.Network.Model == "loggp" {
		w.Packet = 4 << 10 // without packets data goes into rings in pieces of 4 KiB
	}
	if m.Windows() {
		w.BOTF = w.Packet
	}
	return w
}
