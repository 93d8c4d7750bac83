package view

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"

	"musubi"
	"musubi/report/rows"
	"musubi/sim/fabric"
)

// Limits of runs.
const (
	mostRuns    = 50 // that are kept
	mostAtATime = 2
)

// order is what a page asks to run. Fields are those of musubi.Scenario.
type order struct {
	On       string            `json:"on"`
	Workload string            `json:"workload"`
	Set      map[string]string `json:"set"`
	Topology string            `json:"topology"`
	Hosts    int               `json:"hosts"`
	Routing  string            `json:"routing"`
	VCs      int               `json:"vcs"`
	Ranks    int               `json:"ranks"`
	Unsafe   bool              `json:"unsafe"`
}

// scenario is the order as a scenario.
func (o *order) scenario() (musubi.Scenario, error) {
	s := musubi.Usual()
	if o.On == musubi.Live {
		return s, errors.New("this page runs simulations only; use musubi run --on live")
	}
	s.Machine, s.Workload, s.Set = o.On, o.Workload, o.Set
	s.Topology, s.Hosts, s.Routing, s.VCs, s.Ranks, s.Unsafe = o.Topology, o.Hosts, o.Routing, o.VCs, o.Ranks, o.Unsafe
	return s, nil
}

// States of a run.
const (
	running = "running"
	done    = "done"
	failed  = "failed"
	stopped = "stopped"
)

// run is a workload that runs, or has run.
type run struct {
	stop context.CancelFunc

	sync.Mutex
	state    string
	err      string
	progress musubi.Progress
	facts    [][2]string
	table    []rows.Row
	use      []float64 // of channels of the network: part of the time
}

// runs are those that have been asked for, by number.
type runs struct {
	sync.Mutex
	all     map[int]*run
	last    int
	present int // run at the moment
}

func (r *runs) stopAll() {
	r.Lock()
	defer r.Unlock()
	for _, one := range r.all {
		one.stop()
	}
}

// add numbers a run, and forgets the oldest of too many.
func (r *runs) add(one *run) (int, error) {
	r.Lock()
	defer r.Unlock()
	if r.present == mostAtATime {
		return 0, fmt.Errorf("%d runs are under way; stop one, or wait", mostAtATime)
	}
	if r.all == nil {
		r.all = map[int]*run{}
	}
	r.present++
	r.last++
	r.all[r.last] = one
	delete(r.all, r.last-mostRuns)
	return r.last, nil
}

func (r *runs) ended() {
	r.Lock()
	defer r.Unlock()
	r.present--
}

// find returns the run of a number.
func (r *runs) find(text string) (*run, error) {
	id, err := strconv.Atoi(text)
	r.Lock()
	defer r.Unlock()
	if one := r.all[id]; err == nil && one != nil {
		return one, nil
	}
	return nil, fmt.Errorf("run %q is not known; expected one of the last %d", text, mostRuns)
}

// startedJSON is the number of a run that has begun.
type startedJSON struct {
	ID int `json:"id"`
}

// start begins a run.
func (s *Server) start(r *http.Request) (startedJSON, error) {
	var o order
	if err := read(r, &o); err != nil {
		return startedJSON{}, fmt.Errorf("what to run: %w", err)
	}
	scenario, err := o.scenario()
	if err != nil {
		return startedJSON{}, err
	}
	ctx, stop := context.WithCancel(context.Background())
	one := &run{stop: stop, state: running}
	id, err := s.runs.add(one)
	if err != nil {
		stop()
		return startedJSON{}, err
	}
	go func() {
		defer stop()
		defer s.runs.ended()
		one.end(one.perform(ctx, scenario))
	}()
	return startedJSON{id}, nil
}

// perform builds the system and runs the workload.
func (one *run) perform(ctx context.Context, scenario musubi.Scenario) error {
	system, err := musubi.Build(scenario)
	if err != nil {
		return err
	}
	system.Progress = func(p musubi.Progress) {
		one.Lock()
		defer one.Unlock()
		one.progress = p
	}
	result, err := system.RunWorkload(ctx)
	if err != nil {
		return err
	}
	one.Lock()
	defer one.Unlock()
	one.facts, one.table = factsOf(system, result), result.Table()
	if system.Net != nil {
		one.use = make([]float64, system.Net.Channels())
		for _, l := range result.Links {
			if l.Channel >= 0 {
				one.use[l.Channel] = l.Utilisation // of several offered loads, the last
			}
		}
	}
	return nil
}

// end notes how a run has ended.
func (one *run) end(err error) {
	one.Lock()
	defer one.Unlock()
	var deadlock *fabric.Deadlock
	var unsafe *musubi.UnsafeError
	switch {
	case err == nil:
		one.state = done
	case errors.Is(err, context.Canceled):
		one.state = stopped
	case errors.As(err, &deadlock):
		one.state, one.err = failed, "The run came to a "+oneLine(err)
	case errors.As(err, &unsafe):
		one.state, one.err = failed, oneLine(err)+"; allow it to see what happens"
	default:
		one.state, one.err = failed, oneLine(err)
	}
}

// factsOf says what was run.
func factsOf(system *musubi.System, result *musubi.Result) [][2]string {
	facts := [][2]string{
		{"workload", result.Workload},
		{"machine", system.Machine.Name + ": " + system.Machine.Title},
		{"ranks", strconv.Itoa(result.Ranks)},
	}
	if system.Net != nil {
		facts = append(facts, [2]string{"network", cmp.Or(result.Topology, system.Net.Name)}, [2]string{"routing", fmt.Sprintf("%s, virtual channels: %d", result.Routing, system.Routes.VCs)})
	}
	if system.Unsuited != nil {
		facts = append(facts, [2]string{"note", "Up*/Down*, as the machine's routing is not for this network: " + oneLine(system.Unsuited)})
	}
	return append(facts, [2]string{"simulated", fmt.Sprintf("%v, %d events", result.Simulation.Time, result.Simulation.Events)})
}

// stop ends a run before its time.
func (s *Server) stop(r *http.Request) (struct{}, error) {
	one, err := s.runs.find(r.PathValue("id"))
	if err == nil {
		one.stop()
	}
	return struct{}{}, err
}
