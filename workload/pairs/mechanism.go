package pairs

import (
	"slices"

	"musubi/rma"
	"musubi/units"
	"musubi/workload"
)

// mechanism is the way of a message to its receiver.
type mechanism string

const (
	ByPush  mechanism = "push"  // by remote DMA to memory
	byIPush mechanism = "ipush" // by remote DMA to a receive ring
	byBOTF  mechanism = "botf"  // written by the processor, to a window
	byQueue mechanism = "queue" // by a put in a command queue to memory
)

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
	mechanismsParam = workload.Param{Name: "mechanism", Default: string(ByPush), Help: "push (remote DMA to memory), ipush (remote DMA to a receive ring), botf (written by the processor, to a window; also pio) or queue (a put in a command queue, to memory), or a list; all: those that the machine has"}
	copyParam       = workload.Param{Name: "copy", Default: string(copyNone), Help: "what the receiver does with a message: none, or copies it to its own memory, cached or uncached; or a list"}
)

// readMechanisms reads the parameter of that name as a list. "all" are those that the machine has.
func readMechanisms(v *workload.Values, env workload.Env) []mechanism {
	var list []mechanism
	for _, name := range v.Choices("mechanism", []string{string(ByPush), string(byIPush), string(byBOTF), string(byQueue)}) {
		list = append(list, mechanism(name))
	}
	lacks := map[mechanism]bool{byBOTF: env.BOTF == 0, byQueue: !env.Queues}
	switch {
	case v.Text("mechanism") == "all":
		return slices.DeleteFunc(list, func(m mechanism) bool { return lacks[m] })
	case lacks[byBOTF] && slices.Contains(list, byBOTF):
		v.Fail("mechanism", "this machine has no BOTF")
	case lacks[byQueue] && slices.Contains(list, byQueue):
		v.Fail("mechanism", "this machine has no command queues")
	}
	return list
}

// readCopies reads the parameter copy.
func readCopies(v *workload.Values) []copying {
	var list []copying
	for _, name := range v.Choices("copy", []string{string(copyNone), string(copyCached), string(copyUncached)}) {
		list = append(list, copying(name))
	}
	return list
}

// usualLeast is the smallest size, in bytes, unless the user says otherwise.
const usualLeast = 8

// sizesBy reads the parameter bytes for messages by a mechanism. If it has no value,
// sizes go up to most, or as far as BOTF takes them.
func sizesBy(v *workload.Values, by mechanism, env workload.Env, most units.Bytes) []int {
	if by == byBOTF {
		most = env.BOTF
	}
	if !v.Has("bytes") {
		return workload.Powers(int(min(usualLeast, most)), int(most))
	}
	sizes := v.Sizes("bytes", env)
	if by == byBOTF {
		v.FitsBOTF("bytes", env, slices.Max(sizes))
	}
	return sizes
}
