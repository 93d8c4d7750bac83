package musubi

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"musubi/rma"
	"musubi/sim/host"
	"musubi/units"
	"musubi/workload"
)

// Round trips of a breakdown. Steps that depend on chance, such as what a polling
// loop sees when, are means over them.
const breakdownRounds = 500

// breakdownPaths are the paths of a breakdown in the order in which they are told.
var breakdownPaths = []string{"botf-send", "receive-window", "push-receive", "ipush-receive", "pingpong"}

// breakdown measures the steps of messages between the first two ranks: those of
// the whole way for the mechanism that the scenario names, and those inside the
// card for all mechanisms.
func (s *System) breakdown(ctx context.Context) ([]workload.Row, error) {
	chosen, err := s.breakdownMessage()
	if err != nil {
		return nil, err
	}
	stages := map[string][]workload.Row{}
	for _, mechanism := range []string{"botf", "push", "ipush"} {
		m := chosen
		m.mechanism = mechanism
		isChosen := mechanism == chosen.mechanism
		if !isChosen {
			m.copy = "none"
		}
		b := newStageBook()
		if err := s.measureStages(ctx, m, b); err != nil {
			return nil, err
		}
		for path, rows := range b.rows(m.bytes) {
			if stages[path] == nil && (path != "pingpong" || isChosen) {
				stages[path] = rows
			}
		}
	}
	var rows []workload.Row
	for _, path := range breakdownPaths {
		rows = append(rows, stages[path]...)
	}
	return rows, nil
}

// probe is a message whose way is broken down.
type probe struct {
	mechanism, copy string
	bytes           int
}

// breakdownMessage finds the message in the settings of the scenario: the first
// mechanism, way of copying and size if several are asked for.
func (s *System) breakdownMessage() (probe, error) {
	if err := s.hasStages(); err != nil {
		return probe{}, err
	}
	if len(s.Hosts) < 2 {
		return probe{}, wrong("breakdown", fmt.Errorf("%d rank; a message needs two", len(s.Hosts)))
	}
	first := func(name, otherwise string) string {
		value, _, _ := strings.Cut(cmp.Or(s.Scenario.Set[name], otherwise), ",")
		value, _, _ = strings.Cut(value, "..")
		return strings.TrimSpace(value)
	}
	m := probe{mechanism: first("mechanism", "push"), copy: first("copy", "none")}
	if m.mechanism == "pio" {
		m.mechanism = "botf"
	}
	size, err := units.ParseBytes(strings.Replace(first("bytes", "8"), "packet", s.Machine.Packet.Payload.String(), 1))
	if most := s.Machine.Packet.Payload; err == nil && (size < 1 || size > most) {
		err = fmt.Errorf("breakdown of a message of %v; expected bytes of one packet, 1B to %v", size, most)
	}
	if err != nil {
		return m, wrong("set.bytes", err)
	}
	m.bytes = int(size)
	return m, nil
}

// hasStages refuses machines that have no named stages.
func (s *System) hasStages() error {
	if host.TraitsOf(s.Machine).Stages {
		return nil
	}
	return wrong("breakdown", fmt.Errorf("machine %s has no named stages; expected one with interface.model = \"windows\", such as dimmnet2", s.Machine.Name))
}

// measureStages sends messages back and forth and enters their stages into b.
func (s *System) measureStages(ctx context.Context, m probe, b *stageBook) error {
	cfg := s.config(ctx, func(host.Progress) float64 { return 0 })
	cfg.Hosts = cfg.Hosts[:2]
	cfg.Stages = b.enter
	c, err := host.New(cfg)
	if err != nil {
		return err
	}
	return interrupted(ctx, c.Run(func(p rma.Process) error { return m.run(p) }))
}

// run is the program of a rank: workload pingpong without the messages that carry its figures,
// as their stages would be counted.
func (m probe) run(p rma.Process) error {
	end, err := m.newEnd(p)
	if err != nil {
		return err
	}
	for round := range breakdownRounds {
		mark := byte(1 + round%250)
		if p.Rank() == 0 {
			err = end.send(mark)
		}
		if err == nil {
			err = end.receive(mark)
		}
		if err == nil && p.Rank() == 1 {
			err = end.send(mark)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// probeEnd is one end of the exchange.
type probeEnd struct {
	probe
	p                    rma.Process
	partner, segment     int
	inbox, message, into []byte
	unread               bool // an IPUSH message has come and is in its ring
}

func (m probe) newEnd(p rma.Process) (*probeEnd, error) {
	e := &probeEnd{probe: m, p: p, partner: 1 - p.Rank(), message: make([]byte, m.bytes), into: make([]byte, m.bytes)}
	p.Expose(e.message)
	if m.mechanism == "botf" {
		var err error
		e.segment, e.inbox, err = p.ExposeWindow(m.bytes)
		return e, err
	}
	e.inbox = make([]byte, m.bytes)
	e.segment = p.Expose(e.inbox)
	return e, nil
}

func (e *probeEnd) send(mark byte) error {
	e.message[len(e.message)-1] = mark
	var err error
	switch to := (rma.Address{Rank: e.partner, Segment: e.segment}); e.mechanism {
	case "ipush":
		if _, err = e.p.IPush(e.partner, e.message, rma.DMA); err == nil {
			err = e.giveBack()
		}
	case "botf":
		_, err = e.p.Push(to, e.message, rma.BOTF)
	default:
		_, err = e.p.Push(to, e.message, rma.DMA)
	}
	return err
}

func (e *probeEnd) receive(mark byte) error {
	as := rma.Cached
	if e.copy == "uncached" {
		as = rma.Uncached
	}
	if e.mechanism != "ipush" {
		if err := e.p.WaitUntil(func() bool { return e.inbox[len(e.inbox)-1] == mark }); err != nil || e.copy == "none" {
			return err
		}
		return e.p.Load(e.segment, 0, rma.Layout{}, e.into, as)
	}
	err := e.p.Await()
	e.unread = err == nil
	if err != nil || e.copy == "none" {
		return err
	}
	a, err := e.next()
	if err != nil {
		return err
	}
	return e.p.Take(a, e.into, as)
}

// next takes the arrival of the message that has been received last.
func (e *probeEnd) next() (rma.Arrival, error) {
	e.unread = false
	return e.p.Next()
}

// giveBack frees the room of a message that is not copied, while the answer to it is
// under way.
func (e *probeEnd) giveBack() error {
	if !e.unread {
		return nil
	}
	a, err := e.next()
	if err != nil {
		return err
	}
	return e.p.Take(a, nil, rma.Cached)
}

// stageBook adds up stages by path and step.
type stageBook struct {
	paths []string
	steps map[string][]stageSum
}

type stageSum struct {
	step   string
	clocks int
	differ bool // in clocks
	count  int
	sum    units.Time
}

func newStageBook() *stageBook { return &stageBook{steps: map[string][]stageSum{}} }

func (b *stageBook) enter(s host.Stage) {
	if !slices.Contains(b.paths, s.Path) {
		b.paths = append(b.paths, s.Path)
	}
	steps := b.steps[s.Path]
	i := slices.IndexFunc(steps, func(sum stageSum) bool { return sum.step == s.Step })
	if i < 0 {
		i = len(steps)
		steps = append(steps, stageSum{step: s.Step, clocks: s.Clocks})
	}
	steps[i].differ = steps[i].differ || steps[i].clocks != s.Clocks
	steps[i].count++
	steps[i].sum += s.Time
	b.steps[s.Path] = steps
}

// rows gives the mean of each step per message.
func (b *stageBook) rows(bytes int) map[string][]workload.Row {
	all := map[string][]workload.Row{}
	for path, steps := range b.steps {
		for _, s := range steps {
			var clocks any
			if s.clocks >= 0 {
				clocks = s.clocks
			}
			all[path] = append(all[path], workload.Row{
				Metric: "stage", Unit: "us", Bytes: bytes, Value: s.sum.Microseconds() / (2 * breakdownRounds),
				Labels: []workload.Label{{Name: "path", Value: path}, {Name: "step", Value: s.step}, {Name: "clocks", Value: clocks}},
			})
		}
	}
	return all
}

// jobPath is what the path of whole messages is called in breakdowns of jobs.
const jobPath = "message"

// jobRows gives the mean of each step over all times that it happened in a run, and how often that was.
func (b *stageBook) jobRows(job string) (all []workload.Row) {
	for _, path := range breakdownPaths {
		shown := path
		if path == host.OneWay {
			shown = jobPath
		}
		for _, s := range b.steps[path] {
			var clocks any
			if s.clocks >= 0 && !s.differ {
				clocks = s.clocks
			}
			all = append(all, workload.Row{Metric: "stage", Unit: "us", Value: s.sum.Microseconds() / float64(s.count), Labels: []workload.Label{
				{Name: "job", Value: job}, {Name: "path", Value: shown}, {Name: "step", Value: s.step}, {Name: "times", Value: s.count}, {Name: "clocks", Value: clocks},
			}})
		}
	}
	return all
}
