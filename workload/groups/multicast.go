package groups

import (
	"slices"
	"strings"

	"musubi/rma"
	"musubi/units"
	"musubi/workload"
)

// Methods of workload multicast.
const (
	unicastMethod      = "unicast"
	treeMethod         = "tree"
	chainMethod        = "chain"
	hierarchicalMethod = "hierarchical"
)

var multicastMethods = []string{unicastMethod, treeMethod, chainMethod, hierarchicalMethod}

// Values of the label by.
const (
	byProcessor = "processor"
	byInterface = "interface"
	bySwitch    = "switch"
)

// Multicast measures multicasts by software, interfaces and switches.
var Multicast = &workload.Workload{
	Name:       "multicast",
	ListParams: []string{"acks", "bytes", "method"},
	Summary:    "one rank sends the same data to all others: time, and bytes and packets on the links of each level",
	Params: []workload.Param{
		{Name: "method", Default: "all", Help: "all, or a list out of unicast (a push to each rank), tree (ranks that have the data push it on, along a binomial tree), chain (each rank passes it on to the next) and hierarchical (switches copy it)"},
		{Name: "by", Default: "auto", Help: "who passes the data on in a chain: processor, interface (where it can), or auto: interface where it can"},
		{Name: "acks", Default: "true", Help: "true: measured until the root knows that all ranks have the data; false: until the last rank sees it; or a list"},
		{Name: "bytes", Default: "8,64,512,4KiB", Help: workload.SizesHelp},
		{Name: "root", Default: "0", Help: "rank that sends"},
		{Name: "iterations", Default: "", Help: "multicasts measured; if not given 5, or 1000 between real processes"},
		{Name: "warmup", Default: "", Help: "multicasts before, which are not measured; if not given 1, or 100 between real processes"},
	},
	Make: prepareMulticast,
}

// multicast measures one multicast after the other: the next one begins when all ranks have the
// data and nothing is in flight.
type multicast struct {
	trials             []multicastTrial
	root               int
	iterations, warmup int
}

type multicastTrial struct {
	method, by string
	acks       bool
	size       int
}

func (t *multicastTrial) labels() []workload.Label {
	return []workload.Label{{Name: "method", Value: t.method}, {Name: "by", Value: t.by}, {Name: "acks", Value: t.acks}}
}

func prepareMulticast(v *workload.Values, env workload.Env) *workload.Plan {
	v.OrOften(env, "5", "1")
	w := multicast{
		root:       v.Rank("root", env),
		iterations: v.Int("iterations", 1, 1e7),
		warmup:     v.Int("warmup", 0, 1e6),
	}
	if env.Ranks < 2 {
		v.Fail("method", "expected two ranks or more, and there is one")
	}
	acks, sizes := readAcknowledgements(v, env), v.Sizes("bytes", env)
	plan := &workload.Plan{Program: w.run}
	for _, method := range readMethods(v, env) {
		by := passedOnBy(v, method, env)
		for _, a := range acks {
			if !a && by != byProcessor && env.Lossy {
				v.Fail("acks", "links make errors, and what nobody acknowledges is not sent again; expected true, or method=unicast,tree")
			}
			for _, size := range sizes {
				t := multicastTrial{method, by, a, size}
				w.trials = append(w.trials, t)
				plan.Counted = append(plan.Counted, workload.Counted{
					Bytes: size, Labels: t.labels(),
					Program: func(n int) func(rma.Process) error { return w.times(n, t) },
				})
			}
		}
	}
	plan.Program = w.run // which has all trials now
	plan.Memory = int64(env.Ranks) * multicastCopies * int64(slices.Max(sizes))
	return plan
}

// multicastCopies is how often each rank has the data: twice to be written, in turn, and once to verify it.
const multicastCopies = 3

// readMethods reads the parameter method.
func readMethods(v *workload.Values, env workload.Env) []string {
	var known []string
	for _, method := range multicastMethods {
		if method != hierarchicalMethod || env.HasMulticast(rma.Hierarchical) {
			known = append(known, method)
		}
	}
	if v.Text("method") == "all" {
		return known
	}
	list := v.Choices("method", multicastMethods)
	for _, method := range list {
		if method == hierarchicalMethod && !env.HasMulticast(rma.Hierarchical) {
			v.Fail("method", "switches of this machine do not copy packets; expected %s", strings.Join(known, ", "))
		}
	}
	return list
}

// passedOnBy returns whether processors, interfaces or switches pass the data on.
func passedOnBy(v *workload.Values, method string, env workload.Env) string {
	by := v.Choice("by", "auto", byProcessor, byInterface)
	switch {
	case method == hierarchicalMethod:
		return bySwitch
	case method != chainMethod:
		return byProcessor
	case by == byInterface && !env.HasMulticast(rma.Chain):
		v.Fail("by", "interfaces of this machine do not pass multicasts on; expected processor or auto")
	case by == "auto" && env.HasMulticast(rma.Chain):
		return byInterface
	case by == "auto":
		return byProcessor
	}
	return by
}

// readAcknowledgements reads the parameter acks.
func readAcknowledgements(v *workload.Values, env workload.Env) []bool {
	var list []bool
	for _, name := range v.Choices("acks", []string{"true", "false"}) {
		if name == "false" && env.RealTime {
			v.Fail("acks", "false needs clocks that agree, to tell when the last rank sees the data, and clocks of processes do not; expected true")
		}
		list = append(list, name == "true")
	}
	return list
}

func (w multicast) run(p rma.Process, out *workload.Rows) error {
	r := newMulticastRank(p, w.root, w.largest())
	for i := range w.trials {
		workload.Progress(p, out, i, len(w.trials))
		t := &w.trials[i]
		if err := r.begin(t); err != nil {
			return err
		}
		took, err := w.measure(r)
		if err != nil {
			return err
		}
		if err := r.end(); err != nil {
			return err
		}
		took, err = r.team.Agree(took) // only the root has measured a time
		if err != nil {
			return err
		}
		if p.Rank() == 0 {
			us := took.Microseconds() / float64(w.iterations)
			out.Add(workload.Row{Metric: "multicast", Unit: "us", Value: us, Bytes: t.size, Labels: t.labels()})
		}
	}
	return nil
}

func (w multicast) largest() int {
	most := 0
	for _, t := range w.trials {
		most = max(most, t.size)
	}
	return most
}

// measure returns how long all iterations have taken, at the root.
func (w multicast) measure(r *multicastRank) (units.Time, error) {
	var sum units.Time
	for i := range w.warmup + w.iterations {
		took, err := r.timed()
		if err != nil {
			return 0, err
		}
		if i >= w.warmup {
			sum += took
		}
	}
	return sum, nil
}

// times is a program that does nothing but n multicasts.
func (w multicast) times(n int, t multicastTrial) func(rma.Process) error {
	return func(p rma.Process) error {
		r := newMulticastRank(p, w.root, t.size)
		r.trial = &t
		for range n {
			if err := r.once(); err != nil {
				return err
			}
			if err := r.settle(); err != nil {
				return err
			}
		}
		return r.await()
	}
}
