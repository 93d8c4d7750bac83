package workload

import (
	"slices"

	"musubi/rma"
	"musubi/units"
)

// mechanism is the way of a message to its receiver.
type mechanism string

const (
	byPush  mechanism = "push"  // by remote DMA to memory
	byIPush mechanism = "ipush" // by remote DMA to a receive ring
	byBOTF  mechanism = "botf"  // written by the processor, to a window
	byQueue mechanism = "queue" // by a put in a command queue to memory
)

// alias is the name of BOTF on other machines.
const alias = "pio"

// canonical returns the usual name for an alias.
func canonical(name string) string {
	if name == alias {
		return string(byBOTF)
	}
	return name
}

// into returns the way of the data into the network interface.
func (m mechanism) into() rma.Mechanism {
	if m == byBOTF {
		return rma.BOTF
	}
	return rma.DMA
}

// copying is what a receiver does with an arrived message.
type copying string

const (
	copyNone     copying = "none"   // leaves it where it is
	copyCached   copying = "cached" // copies it to memory that it works on
	copyUncached copying = "uncached"
)

// caching returns how the processor reads what it copies.
func (c copying) caching() rma.Caching {
	if c == copyUncached {
		return rma.Uncached
	}
	return rma.Cached
}

var (
	mechanismsParam = Param{"mechanism", string(byPush), "push (remote DMA to memory), ipush (remote DMA to a receive ring), botf (written by the processor, to a window; also pio) or queue (a put in a command queue, to memory), or a list; all: those that the machine has"}
	copyParam       = Param{"copy", string(copyNone), "what the receiver does with a message: none, or copies it to its own memory, cached or uncached; or a list"}
)

// mechanisms reads the parameter of that name as a list. "all" are those that the machine has.
func (v *values) mechanisms(env Env) []mechanism {
	var list []mechanism
	for _, name := range v.choices("mechanism", []string{string(byPush), string(byIPush), string(byBOTF), string(byQueue)}) {
		list = append(list, mechanism(name))
	}
	lacks := map[mechanism]bool{byBOTF: env.BOTF == 0, byQueue: !env.Queues}
	switch {
	case v.text("mechanism") == "all":
		return slices.DeleteFunc(list, func(m mechanism) bool { return lacks[m] })
	case lacks[byBOTF] && slices.Contains(list, byBOTF):
		v.fail("mechanism", "this machine has no BOTF")
	case lacks[byQueue] && slices.Contains(list, byQueue):
		v.fail("mechanism", "this machine has no command queues")
	}
	return list
}

// copies reads the parameter copy.
func (v *values) copies() []copying {
	var list []copying
	for _, name := range v.choices("copy", []string{string(copyNone), string(copyCached), string(copyUncached)}) {
		list = append(list, copying(name))
	}
	return list
}

// usualLeast is the smallest size, in bytes, unless the user says otherwise.
const usualLeast = 8

// sizesBy reads the parameter bytes for messages by a mechanism. If it is empty,
// sizes go up to most, or as far as BOTF takes them.
func (v *values) sizesBy(by mechanism, env Env, most units.Bytes) []int {
	if by == byBOTF {
		most = env.BOTF
	}
	if v.text("bytes") == "" {
		return powers(int(min(usualLeast, most)), int(most))
	}
	sizes := v.sizes("bytes", env)
	if by == byBOTF {
		v.fitsBOTF("bytes", env, slices.Max(sizes))
	}
	return sizes
}

// fitsBOTF fails, on account of a parameter, if the machine cannot send size bytes
// by BOTF.
func (v *values) fitsBOTF(name string, env Env, size int) {
	switch {
	case env.BOTF == 0:
		v.fail(name, "this machine has no BOTF")
	case int64(size) > int64(env.BOTF):
		v.fail(name, "this machine's BOTF takes at most %d bytes, and %d are asked for", env.BOTF, size)
	}
}

// into reads the parameter mechanism of workloads that push up to size bytes to
// memory. "auto" means BOTF where the machine can.
func (v *values) into(env Env, size int, known ...string) rma.Mechanism {
	switch name := v.choice("mechanism", known...); {
	case name == string(byPush), name == "auto" && int64(size) > int64(env.BOTF):
		return rma.DMA
	case name == string(byBOTF):
		v.fitsBOTF("mechanism", env, size)
	}
	return rma.BOTF
}
