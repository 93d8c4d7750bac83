package host

import (
	"fmt"

	"musubi/rma"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/sim/failure"
	"musubi/units"
)

// Network is a fabric that several clusters share, each on hosts of its own. They have one clock.
type Network struct {
	clock    *engine.Queue
	fabric   fabric.Fabric
	failures *failure.Fabric
	clusters []*Cluster
	of       []int32 // cluster of each end point, -1 if none is there
	parts    int     // of devices of all clusters, see fabric.Stage
	handled  int64
	drivers  drivers
}

// Job is a program that a cluster on a shared network runs.
type Job struct {
	Cluster *Cluster
	Program func(rma.Process) error
	Start   units.Time
	// Background: the run ends when all other jobs have, whether this one has or not.
	Background bool
	// Took is from Start until the last rank returned, if the job has ended. Run sets both.
	Took  units.Time
	Ended bool
}

// JobError is the error of a job, by its number.
type JobError struct {
	Job int
	Err error
}

func (e *JobError) Error() string { return e.Err.Error() }
func (e *JobError) Unwrap() error { return e.Err }

// NewNetwork builds the network that a configuration describes, apart from its hosts.
func NewNetwork(cfg Config) (*Network, error) {
	if cfg.Net == nil {
		return nil, fmt.Errorf("jobs share a network, and machine %s has none", cfg.Machine.Name)
	}
	n := &Network{clock: new(engine.Queue), of: make([]int32, len(cfg.Net.EndPoints))}
	for e := range n.of {
		n.of[e] = -1
	}
	traits := TraitsOf(cfg.Machine)
	var err error
	n.fabric, n.failures, err = connected(&cfg, &traits, n.clock, nil)
	return n, err
}

// markShift is where the number of a cluster stands in the kinds of its events.
const markShift = 16

// join takes a cluster in, and returns the fabric that it uses.
func (n *Network) join(c *Cluster) fabric.Fabric {
	for _, e := range c.Hosts {
		if other := n.of[e]; other >= 0 && int(other) != len(n.clusters) {
			panic(fmt.Sprintf("sim: end point %d belongs to two clusters", e))
		}
		n.of[e] = int32(len(n.clusters))
	}
	n.clusters = append(n.clusters, c)
	shared := sharedFabric{n.fabric, n.clock}
	bulker, bulks := n.fabric.(fabric.Bulker)
	combiner, combines := n.fabric.(fabric.Combiner)
	if !bulks || !combines {
		return sharedPackets{shared}
	}
	flows := sharedFlows{shared, bulker, combiner, n, make(map[int]int)}
	if signaller, signals := n.fabric.(fabric.Signaller); signals {
		return sharedSignals{flows, signaller}
	}
	return flows
}

// Run runs jobs, one for each cluster in the order in which they were built, until all have ended. The
// error of a job is a *JobError.
func (n *Network) Run(jobs []Job) error {
	defer n.drivers.stop()
	faults := false
	for i := range jobs {
		faults = faults || jobs[i].Cluster.phantom != nil
		n.clock.Mark(uint32(i) << markShift)
		jobs[i].Cluster.begin(jobs[i].Program, jobs[i].Start)
		defer jobs[i].Cluster.stop()
	}
	n.clock.Mark(0)
	var cut bool
	err := n.drivers.run(faults, func() (err error) {
		cut, err = n.loop(jobs)
		return err
	})
	if err != nil {
		return err
	}
	for i := range jobs {
		c := jobs[i].Cluster
		if c.finished < len(c.Ranks) && !(cut && jobs[i].Background) {
			return &JobError{i, c.starved()}
		}
		if !cut {
			if err := c.conserved(); err != nil {
				return &JobError{i, err}
			}
		}
	}
	return nil
}

// loop handles events until none is left, or only jobs in the background go on, which cuts the run.
func (n *Network) loop(jobs []Job) (cut bool, err error) {
	const between = 1 << 14 // as in Cluster.loop
	n.clock.Mark(0)         // another driver may have left it set
	for {
		ev, ok := n.fabric.Run(units.Never)
		if !ok {
			return false, nil
		}
		i := n.jobOf(&ev)
		j := &jobs[i]
		n.clock.Mark(uint32(i) << markShift)
		j.Cluster.handle(ev)
		n.clock.Mark(0)
		if j.Cluster.failure != nil {
			return false, &JobError{i, j.Cluster.failure}
		}
		if !j.Ended && j.Cluster.finished == len(j.Cluster.Ranks) {
			j.Took, j.Ended = n.clock.Now()-j.Start, true
			if onlyBackground(jobs) {
				return true, nil
			}
		}
		if n.handled++; n.handled%between == 0 {
			if err := j.Cluster.lookOutside(); err != nil {
				return false, err
			}
		}
	}
}

// onlyBackground tells whether a job in the background goes on and no other one does.
func onlyBackground(jobs []Job) bool {
	left := false
	for _, j := range jobs {
		if !j.Ended {
			if !j.Background {
				return false
			}
			left = true
		}
	}
	return left
}

// jobOf returns whose event it is, and takes the mark off it.
func (n *Network) jobOf(ev *engine.Event) int {
	switch ev.Kind {
	case fabric.Delivered, fabric.Header:
		return int(n.of[n.fabric.Delivery(ev.A).Dst])
	case fabric.Sent:
		return int(n.of[n.fabric.Delivery(ev.A).Src])
	}
	i := ev.Kind >> markShift
	ev.Kind &= 1<<markShift - 1
	return int(i)
}

// sharedFabric is a fabric whose own events have no mark, whoever calls it.
type sharedFabric struct {
	fabric.Fabric
	clock *engine.Queue
}

// Send implements fabric.Fabric.
func (s sharedFabric) Send(p fabric.Packet) uint32 {
	defer s.clock.Mark(s.clock.Mark(0))
	return s.Fabric.Send(p)
}

// Release implements fabric.Fabric.
func (s sharedFabric) Release(packet uint32) {
	defer s.clock.Mark(s.clock.Mark(0))
	s.Fabric.Release(packet)
}

// sharedPackets is shared by models whose packets go along trees, too.
type sharedPackets struct{ sharedFabric }

var _ fabric.Multicaster = sharedPackets{}

func (s sharedPackets) trees() fabric.Multicaster { return s.Fabric.(fabric.Multicaster) }

func (s sharedPackets) Multicast(p fabric.Packet, to []fabric.Target) fabric.Tree {
	defer s.clock.Mark(s.clock.Mark(0))
	return s.trees().Multicast(p, to)
}

func (s sharedPackets) MulticastAgain(t fabric.Tree, p fabric.Packet) {
	defer s.clock.Mark(s.clock.Mark(0))
	s.trees().MulticastAgain(t, p)
}

func (s sharedPackets) Combine(branch fabric.Tree, p fabric.Packet) bool {
	defer s.clock.Mark(s.clock.Mark(0))
	return s.trees().Combine(branch, p)
}

func (s sharedPackets) Forget(t fabric.Tree) { s.trees().Forget(t) }

// sharedFlows is shared by models that hand on long messages.
type sharedFlows struct {
	sharedFabric
	bulker   fabric.Bulker
	combiner fabric.Combiner
	network  *Network
	parts    map[int]int // of devices of this cluster: their numbers among those of all
}

var (
	_ fabric.Bulker   = sharedFlows{}
	_ fabric.Combiner = sharedFlows{}
)

func (s sharedFlows) SendBulk(b fabric.Bulk) uint32 {
	defer s.clock.Mark(s.clock.Mark(0))
	for i := range b.Stages {
		b.Stages[i].Unit = s.part(b.Stages[i].Unit)
	}
	return s.bulker.SendBulk(b)
}

// part numbers a part of a device among those of all clusters.
func (s sharedFlows) part(own int) int {
	number, known := s.parts[own]
	if !known {
		number = s.network.parts
		s.network.parts++
		s.parts[own] = number
	}
	return number
}

func (s sharedFlows) SendCombined(c fabric.Combined) uint32 {
	defer s.clock.Mark(s.clock.Mark(0))
	return s.combiner.SendCombined(c)
}

// sharedSignals is sharedFlows of a fabric that carries signals as well.
type sharedSignals struct {
	sharedFlows
	signaller fabric.Signaller
}

var _ fabric.Signaller = sharedSignals{}

func (s sharedSignals) Signal(p fabric.Packet) (fabric.Delivery, bool) { return s.signaller.Signal(p) }
