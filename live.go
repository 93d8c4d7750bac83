package musubi

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"time"

	"musubi/live"
	"musubi/rma"
	"musubi/workload"
)

// Live is the name of a machine that is not simulated: this host, with a process for
// each rank. See package live.
const Live = "live"

// IsLive reports whether the ranks are real processes.
func (s *System) IsLive() bool { return s.Scenario.Machine == Live }

// buildLive is Build for ranks that are processes.
func buildLive(s Scenario) (*System, error) {
	if err := refuseForLive(s); err != nil {
		return nil, err
	}
	size, err := live.Size()
	if err != nil {
		return nil, wrong("ranks", err)
	}
	n := s.Ranks
	switch {
	case n == 0 && size > 0:
		n = size
	case n == 0:
		n = min(max(2, runtime.NumCPU()), live.MaxRanks)
	case size > 0 && n != size:
		return nil, wrong("ranks", fmt.Errorf("%d ranks, but whoever has started this process has started %d; expected as many, or no number", n, size))
	}
	if n < 1 || n > live.MaxRanks {
		return nil, wrong("ranks", fmt.Errorf("%d ranks; expected 1 to %d processes", n, live.MaxRanks))
	}
	system := &System{Scenario: s, Hosts: make([]int, n)}
	return system, system.checkTuning()
}

// refuseForLive fails if a scenario asks for what only simulated machines have.
func refuseForLive(s Scenario) error {
	if s.Record || s.RecordFile != "" && !s.recordsMessages() {
		return wrong("record", fmt.Errorf("a record of receive rings is asked for, but %s, or a file whose name ends in .goal, .bin or .et", livesHere))
	}
	if s.recordsMessages() && s.TraceFile != "" {
		return wrong("trace", errRecordAndTrace)
	}
	if err := s.refuse(livesHere, forSimulated, forNetwork); err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(s.settings(true))) {
		return wrong("set."+key, fmt.Errorf("parameter %q is one of simulated machines; %s has none, expected parameters of the workload only", key, Live))
	}
	return nil
}

const livesHere = Live + " means processes on this host; expected a simulated machine"

// liveEnv tells a workload about the world of processes.
func (s *System) liveEnv() workload.Env {
	return workload.Env{Ranks: len(s.Hosts), Seed: s.Scenario.Seed, Payload: live.Packet, BOTF: live.MaxBOTF, RealTime: true, Queues: true, Atomics: true}
}

// runLive runs a program in processes of its own.
func (s *System) runLive(ctx context.Context, r *Result, program func(rma.Process) error) error {
	_, err := s.mainLive(ctx, r, func(p rma.Process) ([]workload.Row, error) { return nil, program(p) })
	return err
}

// runLivePlan runs the program of a workload in processes of its own. Rank 0 has the
// rows.
func (s *System) runLivePlan(ctx context.Context, r *Result, plan *workload.Plan) error {
	if plan.Traffic != nil {
		return wrong("set.loop", errors.New("open-loop traffic is for simulated networks; expected loop=closed with machine "+Live))
	}
	if len(plan.More) > 0 {
		return wrong("set.rings", errors.New("several kinds of rings need simulated machines; expected one with machine "+Live))
	}
	var err error
	r.Rows, err = s.mainLive(ctx, r, func(p rma.Process) ([]workload.Row, error) {
		var rows workload.Rows
		err := plan.Program(p, &rows)
		return rows.All(), err
	})
	return err
}

// mainLive runs a program in processes of its own and returns the rows of rank 0. What comes after it is
// done once.
func (s *System) mainLive(ctx context.Context, r *Result, program func(rma.Process) ([]workload.Row, error)) (rows []workload.Row, err error) {
	cfg := s.liveConfig()
	seen := s.Scenario.observe(&cfg)
	encoded, err := live.Main(ctx, cfg, func(p rma.Process) ([]byte, error) {
		var b bytes.Buffer
		rows, err := program(p)
		if err != nil {
			return nil, err
		}
		err = gob.NewEncoder(&b).Encode(rows)
		return b.Bytes(), err
	})
	if err != nil {
		return nil, err
	}
	switch {
	case s.Scenario.TraceFile != "":
		err = s.Scenario.writeCalls(*seen)
	case s.Scenario.recordsMessages():
		r.Messages, err = seen.messages()
	}
	if err != nil {
		return nil, err
	}
	err = gob.NewDecoder(bytes.NewReader(encoded)).Decode(&rows)
	return rows, err
}

func (s *System) liveConfig() live.Config {
	cfg := s.Scenario.LiveConfig()
	cfg.Ranks = len(s.Hosts)
	return cfg
}

// LiveConfig returns a job of processes as the scenario says.
func (s *Scenario) LiveConfig() live.Config {
	return live.Config{Ranks: s.Ranks, Transport: s.Transport, Wait: s.Wait, Encrypt: s.Encrypt, Tuning: s.Tuning, Bound: time.Duration(s.Timeout)}
}
