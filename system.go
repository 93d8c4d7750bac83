package musubi

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"musubi/routing"
	"musubi/routing/adaptive"
	"musubi/routing/nexthop"
	"musubi/routing/tables"
	"musubi/sim/failure"
	"musubi/sim/host"
	"musubi/sim/machine"
	_ "musubi/sim/nic/models" // that machine files can name
	"musubi/topology"
	"musubi/trace"
	"musubi/tuning"
	"musubi/workload"
	"musubi/workload/programs"
)

// System is the machine of a scenario, ready to run.
type System struct {
	Scenario Scenario
	Machine  *machine.Machine // nil with Live
	Hosts    []int            // host that each rank runs on

	// Nil on machines without a network, and with Live.
	Net    *topology.Network
	Routes *routing.Routes
	// Alternates are the routes that open-loop traffic uses instead, if any.
	Alternates []*routing.Routes
	Proof      *routing.Proof
	// Choice is the routing if packets choose as they go, and ChoiceProof its proof; Routes then are
	// shortest paths, which no packet is bound to, and Proof is nil. They are nil else.
	Choice      adaptive.Scheme
	ChoiceProof *nexthop.Proof
	// Unsuited says why the routing of the machine is not for the network, so that Up*/Down* is used,
	// which is for all; nil: it is, or the scenario names one.
	Unsuited error

	jobs []job // of the scenario; nil: there is one workload

	prepared   *workload.Plan // for the first run, made before there were routes; nil: there is none, or that run has it
	pathsAsked bool           // a workload has asked for paths before there were routes

	fails   bool // something fails during runs
	failing []failure.Event

	engine *Engine // of the present run; nil if the scenario leaves it to the machine

	tuning      *tuning.Table // measurements of collective operations; nil: none
	tuningNamed bool          // by the user, and not only what comes along

	recorder *trace.Recorder // of the timeline of this run; nil: none is asked for

	// Progress is called now and then during a simulation, if it is set.
	Progress func(Progress)
}

// withoutNetwork is the number of ranks on machines that have no hosts to count.
const withoutNetwork = 64

// maxRanks keeps a typing error from exhausting memory.
const maxRanks = 1 << 20

// UnsafeError is the refusal to run routes that are not proved to be free of
// deadlock, or that leave hosts without a path.
type UnsafeError struct {
	Routes     *routing.Routes
	Alternates int // paths for each pair that are proved together with Routes
	Proof      *routing.Proof
	Choice     *nexthop.Proof // in place of Proof, if packets choose as they go
	Name       string         // of the routing then
}

// CanDeadlock reports whether traffic among hosts can.
func (e *UnsafeError) CanDeadlock() bool {
	if e.Choice != nil {
		return !e.Choice.DeadlockFree()
	}
	return !e.Proof.HostsDeadlockFree()
}

func (e *UnsafeError) Error() string {
	if p := e.Choice; p != nil {
		net := p.Rules.Network().Name
		if p.Unreachable > 0 {
			return fmt.Sprintf("routing %s on %s: packets of %d pairs need not arrive", e.Name, net, p.Unreachable)
		}
		return fmt.Sprintf("routing %s on %s (virtual channels: %d) can deadlock: %d channels may wait for each other in a cycle", e.Name, net, p.Rules.Lanes(), len(p.Cycle))
	}
	p := e.Proof
	switch {
	case p.Malformed > 0:
		return fmt.Sprintf("routing %s on %s: %v", e.Routes.Algorithm, p.Net.Name, p.FirstMalformed)
	case p.Unreachable > 0:
		q := p.FirstUnreachable
		return fmt.Sprintf("routing %s on %s: no path from %s to %s", e.Routes.Algorithm, p.Net.Name, p.Net.EndPointName(q.Src), p.Net.EndPointName(q.Dst))
	}
	text := fmt.Sprintf("routing %s on %s (virtual channels: %d) can deadlock: %d channels may wait for each other in a cycle",
		e.Routes.Algorithm, p.Net.Name, e.Routes.VCs, len(p.Cycle))
	if e.Alternates > 0 {
		text += fmt.Sprintf("; packets take one of %d paths, and network.alternates = 0 leaves each pair one", e.Alternates)
	}
	return text
}

// Build makes the network of a scenario, routes it and proves the routes. On
// machines with a network it makes the workload that the scenario names ready before, so that
// its mistakes are told at once. The error is an *InputError or an *UnsafeError.
func Build(s Scenario) (*System, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	if s.Ranks == 0 {
		s.Ranks = s.ranksOfWorkload()
	}
	if s.Machine == Live {
		return buildLive(s)
	}
	if err := s.refuse(fmt.Sprintf("machine %s is simulated; expected it with %s only", s.Machine, Live), forLive); err != nil {
		return nil, err
	}
	if err := s.readRings(); err != nil {
		return nil, wrong("rings", err)
	}
	m, err := loadMachine(s)
	if err != nil {
		return nil, err
	}
	system := &System{Scenario: s, Machine: m}
	if err := system.openTuning(); err != nil {
		return nil, err
	}
	if err := system.assemble(); err != nil {
		return nil, err
	}
	if err := system.checkRings(); err != nil {
		return nil, err
	}
	return system, nil
}

// ranksOfWorkload returns how many ranks the workload is for; 0: any number.
func (s *Scenario) ranksOfWorkload() int {
	w, err := programs.Lookup(s.Workload)
	if err != nil {
		return 0 // Run has none, and RunWorkload tells of others
	}
	return w.Ranks(s.settings(false))
}

// assemble makes the network of the machine, if it has one, gives each rank a host, and
// routes the network at last, as that may take long.
func (s *System) assemble() (err error) {
	if !s.Machine.HasNetwork() {
		return s.placeAnywhere()
	}
	if s.Net, err = s.Scenario.OpenNetwork(s.Machine); err != nil {
		return err
	}
	if s.Net.Hosts() == 0 {
		return wrong("topology", fmt.Errorf("%s has no hosts to run ranks on", s.Net.Name))
	}
	if err := s.readFailures(); err != nil {
		return err
	}
	if err := s.employ(); err != nil {
		return err
	}
	return s.route()
}

// employ gives the ranks hosts, and makes what they run ready.
func (s *System) employ() (err error) {
	if s.Scenario.Jobs != "" {
		if err := s.readJobs(); err != nil {
			return err
		}
		if err := s.placeJobs(); err != nil {
			return err
		}
		return s.prepareJobs()
	}
	if s.Hosts, err = place(s.Scenario, s.Net, host.TraitsOf(s.Machine)); err != nil {
		return err
	}
	return s.prepareEarly()
}

// loadMachine finds the machine and sets the parameters of the scenario.
func loadMachine(s Scenario) (*machine.Machine, error) {
	m, err := machine.Load(s.Machine)
	if err != nil {
		return nil, wrong("on", err)
	}
	last := ""
	for _, key := range slices.Sorted(maps.Keys(s.settings(true))) {
		if err := m.Set(key, s.Set[key]); err != nil {
			return nil, wrong("set."+key, err)
		}
		last = "set." + key
	}
	if err := s.setEngine(m); err != nil {
		return nil, err
	}
	if s.Engine != "" {
		last = "engine"
	}
	if _, given := s.Set["network.vcs"]; !given && s.choosesVCs(m) {
		m.Network.VCs = 0
	}
	if err := m.Validate(); err != nil {
		return nil, wrong(cmp.Or(last, "on"), err)
	}
	return m, nil
}

// choosesVCs reports whether a scenario makes the machine's number of virtual
// channels for its own routing pointless: it gives one, or another routing, which
// may need another number.
func (s Scenario) choosesVCs(m *machine.Machine) bool {
	return s.VCs != 0 || s.Routing != "" && s.Routing != m.Network.Routing
}

// placeAnywhere numbers the ranks of a machine without a network, and refuses
// what needs one.
func (s *System) placeAnywhere() error {
	sc := s.Scenario
	if err := sc.refuse(fmt.Sprintf("machine %s has no network", s.Machine.Name), forNetwork); err != nil {
		return err
	}
	n := sc.Ranks
	if n == 0 {
		n = withoutNetwork
	}
	if n < 1 || n > maxRanks {
		return wrong("ranks", fmt.Errorf("%d ranks; expected 1 to %d", n, maxRanks))
	}
	s.Hosts = make([]int, n)
	for r := range s.Hosts {
		s.Hosts[r] = r
	}
	return nil
}

// anyNetwork is the routing of networks that the machine's own is not for.
const anyNetwork = "updown"

// route computes the routes, proves them, and checks that the machine's switches
// can hold them.
func (s *System) route() error {
	sc, defaults := s.Scenario, s.Machine.Network
	name := cmp.Or(sc.Routing, defaults.Routing)
	if adaptive.Has(name) {
		return s.routeByChoice(name)
	}
	algorithm, err := routing.Lookup(name)
	if err != nil {
		err = fmt.Errorf("unknown routing %q; known: %s", name, strings.Join(RoutingNames(), ", "))
		return wrong("routing", sc.machines("routing", sc.Routing, s.Machine, err))
	}
	if sc.Routing == "" {
		if s.Unsuited = algorithm.Suits(s.Net); s.Unsuited != nil {
			algorithm, _ = routing.Lookup(anyNetwork)
		}
	}
	opt, err := sc.RoutingOptions(s.Net, s.Machine)
	if err != nil {
		return err
	}
	s.Routes, err = algorithm.Build(s.Net, opt)
	if err == nil && defaults.Alternates > 1 && sc.Selection == "" {
		s.Alternates, err = algorithm.Alternates(s.Net, opt, defaults.Alternates)
	}
	if err != nil {
		return wrong("routing", err)
	}
	s.Proof = routing.Verify(s.Routes, s.Alternates...)
	if s.Proof.Unreachable > 0 || s.Proof.Malformed > 0 || !s.Proof.HostsDeadlockFree() && !sc.Unsafe {
		return &UnsafeError{Routes: s.Routes, Alternates: len(s.Alternates), Proof: s.Proof}
	}
	if s.Routes.VCs > s.Machine.Switch.VCs {
		return wrong("routing", fmt.Errorf("routing %s uses %d virtual channels, but the switches of machine %s have %d for data",
			s.Routes.Algorithm, s.Routes.VCs, s.Machine.Name, s.Machine.Switch.VCs))
	}
	if err := tables.FormNamed(defaults.Form).Fit(s.Routes); err != nil {
		return wrong("routing", fmt.Errorf("the switches of machine %s cannot do this routing: %w", s.Machine.Name, err))
	}
	return nil
}
