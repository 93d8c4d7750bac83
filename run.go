package musubi

import (
	"context"
	"errors"
	"time"

	"musubi/internal/memory"
	"musubi/rma"
	"musubi/sim/host"
	"musubi/units"
	"musubi/workload"
	"musubi/workload/programs"
)

// Progress tells how far a run has come.
type Progress struct {
	Done   float64    // part of the work, from 0 to 1; 0 while it is not known
	Now    units.Time // simulated
	Events int64
}

// Run runs a program on every rank. A System is good for any number of runs;
// each begins anew.
func (s *System) Run(ctx context.Context, program func(rma.Process) error) (*Result, error) {
	s.chooseEngine(nil)
	return s.run(ctx, func(r *Result) error {
		if s.IsLive() {
			return s.runLive(ctx, r, program)
		}
		if err := s.refusePayloadNone(true); err != nil {
			return err
		}
		r.Simulation.WithoutBytes = s.Scenario.Payload == payloadNone
		return s.runProgram(ctx, r, program, func(host.Progress) float64 { return 0 })
	})
}

// RunWorkload runs the workload that the scenario names.
func (s *System) RunWorkload(ctx context.Context) (*Result, error) {
	if s.jobs != nil {
		return s.runJobs(ctx)
	}
	plan, err := s.prepare()
	if err != nil {
		return nil, err
	}
	s.chooseEngine(plan)
	without, err := s.omitsPayload(plan)
	if err != nil {
		return nil, err
	}
	if err := s.fits(plan, without); err != nil {
		return nil, err
	}
	return s.run(ctx, func(r *Result) error {
		if s.IsLive() {
			return s.runLivePlan(ctx, r, plan)
		}
		if plan.Program != nil {
			ranks := len(s.Hosts)
			defer memory.ExpectHeap(s.memoryOf(plan, ranks, without), s.keptBy(plan, ranks), ownData(plan, without))()
		}
		r.Simulation.WithoutBytes = without
		if plan.Program != nil {
			if err := s.runPlan(ctx, r, plan); err != nil {
				return err
			}
		}
		if plan.Traffic != nil {
			return s.runTraffic(ctx, r, plan.Traffic)
		}
		if plan.Formula != nil {
			return r.addFormula(ctx, plan.Formula)
		}
		return nil
	})
}

// run makes a result and fills it. It adds the stages and writes the record, if the scenario asks
// for them.
func (s *System) run(ctx context.Context, fill func(*Result) error) (*Result, error) {
	if err := s.checkFiles(); err != nil {
		return nil, err
	}
	var stages []workload.Row
	if s.Scenario.Breakdown {
		var err error
		if stages, err = s.breakdown(ctx); err != nil {
			return nil, err
		}
	}
	r := s.newResult()
	if err := s.traced(func() error { return fill(r) }); err != nil {
		return nil, err
	}
	r.Rows = append(r.Rows, stages...)
	return r, s.writeRecord(r)
}

// runPlan runs the programs of a workload. Their rows come before those about the
// network.
func (s *System) runPlan(ctx context.Context, r *Result, plan *workload.Plan) error {
	var rows workload.Rows
	for _, run := range append([]func(rma.Process, *workload.Rows) error{plan.Program}, plan.More...) {
		program := func(p rma.Process) error { return run(p, &rows) }
		if err := s.runProgram(ctx, r, program, func(host.Progress) float64 { return rows.Done() }); err != nil {
			return err
		}
	}
	r.Rows = append(rows.All(), r.Rows...)
	return s.countLinks(ctx, r, plan.Counted)
}

// prepare makes the workload of the scenario ready.
func (s *System) prepare() (*workload.Plan, error) {
	if plan := s.prepared; plan != nil {
		s.prepared = nil
		return plan, nil
	}
	return s.planFor(s.env())
}

// prepareEarly makes the workload ready while there are no routes, as those of a large network take long: what is wrong with the
// workload, or does not fit into memory, is told at once. Workloads that ask for paths are left for later.
func (s *System) prepareEarly() error {
	if s.Scenario.Workload == "" {
		return nil
	}
	plan, err := s.planFor(s.env())
	if s.pathsAsked {
		return nil
	}
	if err != nil {
		return err
	}
	without, err := s.omitsPayload(plan)
	if err != nil {
		return err
	}
	s.prepared = plan
	return s.fits(plan, without)
}

// planFor makes the workload ready to run in an environment.
func (s *System) planFor(env workload.Env) (*workload.Plan, error) {
	w, err := programs.Lookup(s.Scenario.Workload)
	if err != nil {
		return nil, wrong("workload", err)
	}
	plan, err := w.Prepare(s.Scenario.settings(false), env)
	var param *workload.ParamError
	switch {
	case errors.As(err, &param):
		return nil, wrong("set."+param.Param, err)
	case err != nil:
		return nil, wrong("workload", err)
	}
	return plan, nil
}

// env tells a workload about the machine.
func (s *System) env() workload.Env {
	if s.IsLive() {
		return s.liveEnv()
	}
	t := host.TraitsOf(s.Machine)
	env := workload.Env{Ranks: len(s.Hosts), Seed: s.Scenario.Seed, RingPacket: t.RingPacket}
	if m, ok := s.Machine.Section().(interface {
		LogGP() (l, o, g units.Time, perByte units.Rate)
	}); ok {
		env.LogGP = &workload.LogGP{}
		env.LogGP.L, env.LogGP.O, env.LogGP.G, env.LogGP.PerByte = m.LogGP()
	}
	if s.Net == nil {
		return env
	}
	env.Payload, env.BOTF, env.InFlight = s.Machine.Packet.Payload, t.BOTF, t.InFlight
	if soft := &s.Machine.Software; soft.HasLibrary() {
		env.Library = &workload.Library{Send: soft.Send, Receive: soft.Receive, Eager: int(soft.Eager), PIO: int(soft.PIO)}
	}
	env.Operations = 1e6 * float64(s.Machine.Software.Mflops)
	env.Queues, env.Offload, env.Atomics, env.Sequence, env.Guarded, env.Lossy, env.Cache = t.Queues, t.Barriers, t.Atomics, t.Sequence, t.Guarded, t.Errors > 0, t.Cache
	env.Windows = t.Windows / s.sharing()
	if t.Multicasts != nil {
		env.Multicasts = func(by rma.MulticastMethod) bool { return t.Multicasts(s.Net, by) }
	}
	env.SwitchOf = func(rank int) int { return s.Net.EndPoints[s.Hosts[rank]].At.Switch }
	if s.Net.Shape != nil {
		env.Dims = s.Net.Shape.Dims
	}
	env.Groups = s.Net.Groups
	env.NetworkRate = s.Machine.Link.Rate.PerSecond()
	domains, _ := t.DomainsOf(s.Net) // a mistake was told when the ranks were placed
	together := func(a, b int) bool { return domains != nil && domains[a] >= 0 && domains[a] == domains[b] }
	if n := t.Node; n != nil {
		env.SwitchesCombine = n.Tree && s.simulated().Switch.Engine == "flow"
		if n.Domain > 0 {
			env.Domain = &workload.Domain{Of: func(rank int) int { return int(domains[s.Hosts[rank]]) }, Rate: n.Rate.PerSecond(), Combined: n.Combined.PerSecond()}
		}
	}
	env.PathSwitches = func(from, to int) int {
		from, to = s.Hosts[from], s.Hosts[to]
		if t.LoopsBack && from == to || together(from, to) {
			return 0
		}
		if s.Routes == nil {
			s.pathsAsked = true
			return 1
		}
		path, _ := s.Routes.Path(from, to)
		return len(path) + 1
	}
	return env
}

// sharing returns how many ranks one host has at most.
func (s *System) sharing() int {
	most := 0
	ranks := map[int]int{}
	for _, h := range s.Hosts {
		ranks[h]++
		most = max(most, ranks[h])
	}
	return most
}

// runProgram runs a program on a new cluster and enters what the cluster says
// into the result.
func (s *System) runProgram(ctx context.Context, r *Result, program func(rma.Process) error, done func(host.Progress) float64) error {
	program, recorder := s.recorded(program)
	program, messages := s.recordedMessages(program)
	report, err := s.simulate(ctx, r, s.observer(), program, done)
	if err != nil {
		return err
	}
	if recorder != nil {
		if r.Record, err = s.record(recorder); err != nil {
			return err
		}
	}
	if messages != nil {
		r.Messages = messages
	}
	r.addRings(report.Rings)
	r.addCounts(report.Counts)
	r.addPacketLatency(report.Latency)
	r.addLinks(s, report.Links)
	return nil
}

// simulate runs a program on a new cluster. observer may be nil.
func (s *System) simulate(ctx context.Context, r *Result, observer host.Observer, program func(rma.Process) error, done func(host.Progress) float64) (host.Report, error) {
	start := time.Now()
	cfg := s.config(ctx, done)
	cfg.Rings, cfg.Phantom, cfg.Observer = s.Scenario.Rings, r.Simulation.WithoutBytes, observer
	c, err := host.New(cfg)
	if err != nil {
		return host.Report{}, err
	}
	if err := c.Run(s.tuned(program)); err != nil {
		return host.Report{}, interrupted(ctx, err)
	}
	report := c.Report()
	r.addRun(report, time.Since(start))
	return report, nil
}

// runTraffic offers one load after the other, each to a new cluster.
func (s *System) runTraffic(ctx context.Context, r *Result, t *workload.Traffic) error {
	if err := s.refuseRings(); err != nil {
		return err
	}
	flits := t.Flits
	if flits == 0 {
		flits = s.Machine.PacketFlits(units.Bytes(t.Bytes))
	}
	for i, load := range t.Loads {
		start := time.Now()
		warmup, measure := t.Times(load, len(s.Hosts), s.Machine.Link.Rate.Transfer(units.Bytes(flits)*s.Machine.Link.Flit))
		cfg := s.config(ctx, func(p host.Progress) float64 {
			this := min(1, p.Now.Seconds()/(warmup+measure).Seconds())
			return (float64(i) + this) / float64(len(t.Loads))
		})
		cfg.Unordered, cfg.Observer = true, s.observer()
		if len(s.Alternates) > 0 {
			cfg.Routes, cfg.Alternates, cfg.Failures = s.Alternates[0], s.Alternates[1:], s.failures(s.Alternates[0])
		}
		c, err := host.New(cfg)
		if err != nil {
			return err
		}
		got, err := c.RunTraffic(host.Traffic{
			Destination: t.Destinations(), Flits: flits, Load: load, Warmup: warmup, Measure: measure,
		})
		if err != nil {
			return interrupted(ctx, err)
		}
		report := c.Report()
		r.addRun(report, time.Since(start))
		r.addTraffic(t, load, got)
		if s.fails {
			r.addCounts(report.Counts, workload.Label{Name: "offered", Value: load})
		}
		r.addLinks(s, report.Links, workload.Label{Name: "offered", Value: load})
	}
	return nil
}

// config describes a new cluster.
func (s *System) config(ctx context.Context, done func(host.Progress) float64) host.Config {
	cfg := host.Config{
		Machine: s.simulated(), Net: s.Net, Routes: s.Routes, Choice: s.scheme(), Hosts: s.Hosts,
		Seed: s.Scenario.Seed, Stop: ctx.Done(), Failures: s.failures(s.Routes),
	}
	if s.Progress != nil {
		cfg.Progress = func(p host.Progress) { s.Progress(Progress{done(p), p.Now, p.Events}) }
	}
	return cfg
}

// interrupted returns why ctx has ended, for a run that stopped because of it.
func interrupted(ctx context.Context, err error) error {
	if errors.Is(err, host.ErrInterrupted) {
		return ctx.Err()
	}
	return err
}
