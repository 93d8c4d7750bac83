package flit

import (
	"fmt"
	"strings"

	"musubi/sim/fabric"
)

// withDefaults replaces zeros by their defaults.
func withDefaults(r fabric.Router) fabric.Router {
	if r.Switching == "" {
		r.Switching = fabric.CutThrough
	}
	r.Lanes = max(r.Lanes, 1)
	r.Iterations = max(r.Iterations, 1)
	r.SwitchAllocDelay = max(r.SwitchAllocDelay, 1)
	if r.Speedup == 0 {
		r.Speedup = 1
	}
	return r
}

// stages returns the cycles that a header spends in the stages.
func stages(r *fabric.Router) int {
	return r.RoutingDelay + r.VCAllocDelay + r.SwitchAllocDelay + r.CrossbarDelay
}

// maxDelay bounds the delays of a router, in cycles, and those of cables.
const maxDelay = 1 << 20

// maxSpeedup bounds the speed-up of a router.
const maxSpeedup = 16

// checkRouter refuses parameters that no router has.
func checkRouter(r *fabric.Router) error {
	if !(r.Speedup >= 1 && r.Speedup <= maxSpeedup) {
		return fmt.Errorf("router with a speed-up of %g; expected 1 to %d", r.Speedup, maxSpeedup)
	}
	known := []string{string(fabric.CutThrough), string(fabric.Wormhole)}
	if r.Switching != fabric.CutThrough && r.Switching != fabric.Wormhole {
		return fmt.Errorf("unknown switching %q; known: %s", r.Switching, strings.Join(known, ", "))
	}
	for _, d := range []struct {
		name  string
		value int
	}{
		{"lanes", r.Lanes}, {"iterations", r.Iterations}, {"routing delay", r.RoutingDelay}, {"VC allocation delay", r.VCAllocDelay},
		{"switch allocation delay", r.SwitchAllocDelay}, {"crossbar delay", r.CrossbarDelay}, {"credit delay", r.CreditDelay},
	} {
		if d.value < 0 || d.value > maxDelay {
			return fmt.Errorf("router with %s %d; expected 0 to %d", d.name, d.value, maxDelay)
		}
	}
	return nil
}
