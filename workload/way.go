package workload

import (
	"musubi/rma"
)

// Values of the parameter mechanism of workloads that write to memory.
const (
	namePush  = "push" // by remote DMA
	nameBOTF  = "botf" // written by the processor, to a window
	aliasBOTF = "pio"  // the name of botf on other machines
)

// canonical returns the usual name for an alias.
func canonical(name string) string {
	if name == aliasBOTF {
		return nameBOTF
	}
	return name
}

// FitsBOTF fails, on account of a parameter, if the machine cannot send size bytes
// by BOTF.
func (v *Values) FitsBOTF(name string, env Env, size int) {
	switch {
	case env.BOTF == 0:
		v.Fail(name, "this machine has no BOTF")
	case int64(size) > int64(env.BOTF):
		v.Fail(name, "this machine's BOTF takes at most %d bytes, and %d are asked for", env.BOTF, size)
	}
}

// Into reads the parameter mechanism of workloads that push up to size bytes to
// memory. "auto" means BOTF where the machine can.
func (v *Values) Into(env Env, size int, known ...string) rma.Mechanism {
	switch name := v.Choice("mechanism", known...); {
	case name == namePush, name == "auto" && int64(size) > int64(env.BOTF):
		return rma.DMA
	case name == nameBOTF:
		v.FitsBOTF("mechanism", env, size)
	}
	return rma.BOTF
}
