package main

import (
	"context"
	"strings"
	"testing"

	"musubi"
	"musubi/rma"
	"musubi/rma/rmatest"
	"musubi/sim/host"
	"musubi/sim/machine"
	"musubi/units"
)

// TestTimes pins what the example prints.
func TestTimes(t *testing.T) {
	var out strings.Builder
	if err := run(&out, "doorbell.toml"); err != nil {
		t.Fatal(err)
	}
	const want = `ndr: 8 B by pio: 1.027 us
ndr: 4096 B by push: 1.608 us
ndr: sum over 8 ranks: 17.510 us
doorbell: 8 B by pio: 0.526 us
doorbell: 4096 B by push: 0.750 us
doorbell: sum over 8 ranks: 13.406 us
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

// TestContract runs the tests of the contract that all worlds keep.
func TestContract(t *testing.T) {
	m, err := machine.Load("doorbell.toml")
	if err != nil {
		t.Fatal(err)
	}
	traits := host.TraitsOf(m)
	rmatest.Test(t, rmatest.World{
		Packet: traits.RingPacket, BOTF: int(traits.BOTF),
		Clock: func(p rma.Process) units.Time { return p.Now() },
		Run: func(ranks int, program func(rma.Process) error) error {
			_, err := musubi.Run(context.Background(), musubi.Scenario{Machine: "doorbell.toml", Ranks: ranks}, program)
			return err
		},
	})
}

// TestMachineFilesAreChecked gives values that do not fit together.
func TestMachineFilesAreChecked(t *testing.T) {
	for set, want := range map[[2]string]string{
		{"doorbell.inline", "1MiB"}: "doorbell.inline of 1MiB collides with packet.payload of 4KiB: a doorbell is one packet",
		{"switch.classes", "1"}:     `switch.classes of 1 collides with interface.model = "doorbell": replies need a class of their own`,
	} {
		m, err := machine.Load("doorbell.toml")
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Set(set[0], set[1]); err != nil {
			t.Fatal(err)
		}
		if err := m.Validate(); err == nil || err.Error() != want {
			t.Errorf("%v: error %v, want %s", set, err, want)
		}
	}
}
