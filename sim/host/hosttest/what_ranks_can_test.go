package hosttest_test

import (
	"fmt"
	"testing"

	"musubi/rma"
	"musubi/sim/host/hosttest"
	"musubi/sim/machine"
)

// A rank without interfaces that change words does not claim to have them.
func TestRanksWithoutAtomics(t *testing.T) {
	for name, set := range map[string][]string{
		"rhinet2": nil, "loggp": nil, "dimmnet2": nil, "ndr": {"atomic.time", "0ns"}, "tofu2": {"atomic.time", "0ns"},
	} {
		spec, hosts := "mesh:2x2", 2
		if name == "loggp" {
			spec, hosts = "", 2
		}
		err := hosttest.NewCluster(t, name, spec, hosts, set...).Run(func(p rma.Process) error {
			if _, ok := p.(rma.Atomics); ok {
				t.Errorf("%s with %v: ranks are rma.Atomics", name, set)
			}
			if _, ok := p.(rma.Collector); ok != (name == "tofu2") {
				t.Errorf("%s with %v: rma.Collector: %v", name, set, ok)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func TestOnlyInterfacesWithQueuesAreCommanders(t *testing.T) {
	for _, name := range machine.Names() {
		err := hosttest.NewCluster(t, name, "mesh:2x1", 1).Run(func(p rma.Process) error {
			c, ok := p.(rma.Commander)
			if want := name == "tofu2"; ok != want {
				return fmt.Errorf("%s: a rank is a Commander: %v", name, ok)
			}
			if ok && (c.Engines() != 4 || c.FreeQueues() != 24) {
				return fmt.Errorf("%d engines and %d queues", c.Engines(), c.FreeQueues())
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}
