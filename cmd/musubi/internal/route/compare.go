package route

import (
	"fmt"
	"strings"
	"time"

	"musubi/routing"
	"musubi/routing/tables"
	"musubi/sim/machine"
	"musubi/topology"
)

// comparison is a set of routings of one network.
type comparison struct {
	net     *topology.Network
	options routing.Options
	machine *machine.Machine // nil if none was named
	export  bool             // the routes are wanted, and not only what is said of them

	results  []result
	choices  []choice // routings whose packets choose as they go
	advice   []string // what speaks against a routing on the network
	refusals []string // why an algorithm does not fit the network
	misfits  []string // why a routing does not fit the switches of the machine
}

// result is one routing with its proof.
type result struct {
	name       string
	vcs        int
	routes     *routing.Routes // if they are to be exported: on large networks they take gigabytes
	proof      *routing.Proof
	statistics routing.Statistics
	elapsed    time.Duration // to compute and prove the routing
}

// outcome is what becomes of one algorithm.
type outcome struct {
	result
	advice []string
	err    error // why it does not fit the network
	misfit error // why it does not fit the switches of the machine
}

// compute computes a routing and proves it.
func (c *comparison) compute(name string) outcome {
	a, err := routing.Lookup(name)
	if err != nil {
		return outcome{err: err}
	}
	defer routing.ExpectHeap(c.net)()
	start := time.Now()
	routes, err := a.Build(c.net, c.options)
	if err != nil {
		if text := err.Error(); !strings.HasPrefix(text, name+" ") && !strings.HasPrefix(text, name+":") {
			err = fmt.Errorf("%s: %w", name, err)
		}
		return outcome{err: err}
	}
	proof := routing.Verify(routes)
	r := result{name: name, vcs: routes.VCs, proof: proof, elapsed: time.Since(start), statistics: routes.Statistics()}
	if c.export {
		r.routes = routes
	}
	o := outcome{result: r, misfit: c.fit(routes)}
	for _, text := range a.Advice(routes, c.options) {
		o.advice = append(o.advice, name+": "+text)
	}
	return o
}

// add takes an outcome into the comparison.
func (c *comparison) add(o outcome) {
	if o.err != nil {
		c.refusals = append(c.refusals, o.err.Error())
		return
	}
	c.results = append(c.results, o.result)
	c.advice = append(c.advice, o.advice...)
	if o.misfit != nil {
		c.misfits = append(c.misfits, o.misfit.Error())
	}
}

// fit fails if the switches of the machine cannot do a routing.
func (c *comparison) fit(routes *routing.Routes) error {
	if c.machine == nil {
		return nil
	}
	if have := c.machine.Switch.VCs; routes.VCs > have {
		return fmt.Errorf("%s uses %d virtual channels; the switches have %d for data", routes.Algorithm, routes.VCs, have)
	}
	return tables.FormNamed(c.machine.Network.Form).Fit(routes)
}
