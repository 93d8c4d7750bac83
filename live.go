package musubi

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"
	"time"

	"musubi/live"
	"musubi/report/files"
	"musubi/rma"
	"musubi/trace/calls"
	"musubi/trace/record"
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
	return system, system.openTuning()
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

// errRecordAndTrace refuses a timeline of ranks that are recorded: they tell what they do to one observer.
var errRecordAndTrace = errors.New("a record is asked for, too; expected only one of them for processes")

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

// liveReport is what a rank hands to whoever has started it.
type liveReport struct {
	Rows   []workload.Row
	Record record.Part // if the scenario asks for one, as for the next
	Calls  calls.Part
}

// mainLive runs a program in processes of its own and returns the rows of rank 0. What comes after it is
// done once.
func (s *System) mainLive(ctx context.Context, r *Result, program func(rma.Process) ([]workload.Row, error)) ([]workload.Row, error) {
	cfg := s.liveConfig()
	var reports []liveReport // of all ranks, if they are told
	if s.Scenario.observesRanks() {
		cfg.Results = func(_ int, encoded []byte) error {
			report, err := decodeReport(encoded)
			reports = append(reports, report)
			return err
		}
	}
	encoded, err := live.Main(ctx, cfg, func(p rma.Process) (encoded []byte, err error) {
		err = s.tuned(func(p rma.Process) error {
			encoded, err = s.reported(p, program)
			return err
		})(p)
		return encoded, err
	})
	if err != nil {
		return nil, err
	}
	if s.Scenario.observesRanks() {
		if err := s.joinReports(r, reports); err != nil {
			return nil, err
		}
	}
	report, err := decodeReport(encoded)
	return report.Rows, err
}

// observesRanks reports whether the scenario asks for what each rank does.
func (s *Scenario) observesRanks() bool { return s.recordsMessages() || s.TraceFile != "" }

// joinReports puts together what the ranks of a live run have told of what they did.
func (s *System) joinReports(r *Result, reports []liveReport) error {
	key := "record"
	if s.Scenario.TraceFile != "" {
		key = "trace"
	}
	if len(reports) == 0 {
		return wrong(key, fmt.Errorf("a job that somebody else has launched keeps no %s; expected \"musubi run\", or the program itself with -n", key))
	}
	if key == "trace" {
		return files.Write(s.Scenario.TraceFile, func(w io.Writer) error {
			parts := make([]calls.Part, len(reports))
			for rank := range parts {
				parts[rank] = reports[rank].Calls
			}
			return calls.Write(w, parts)
		})
	}
	parts := make([]record.Part, len(reports))
	for rank := range parts {
		parts[rank] = reports[rank].Record
	}
	r.Messages = record.Join(parts)
	return nil
}

// reported runs the program of a rank and encodes its report.
func (s *System) reported(p rma.Process, program func(rma.Process) ([]workload.Row, error)) ([]byte, error) {
	var recorder *record.Rank
	var timeline *calls.Rank
	switch {
	case s.Scenario.recordsMessages():
		recorder = record.Alone(p.Now())
		p.(rma.Recorded).Record(recorder)
	case s.Scenario.TraceFile != "":
		host, err := os.Hostname()
		if err != nil {
			return nil, err
		}
		timeline = calls.New(host)
		p.(rma.Recorded).Record(timeline)
	}
	var report liveReport
	var err error
	if report.Rows, err = program(p); err != nil {
		return nil, err
	}
	if recorder != nil {
		recorder.End(p.Now())
		report.Record = recorder.Part()
	}
	if timeline != nil {
		report.Calls = timeline.Part()
	}
	var b bytes.Buffer
	err = gob.NewEncoder(&b).Encode(&report)
	return b.Bytes(), err
}

func decodeReport(encoded []byte) (report liveReport, err error) {
	err = gob.NewDecoder(bytes.NewReader(encoded)).Decode(&report)
	return report, err
}

func (s *System) liveConfig() live.Config {
	cfg := s.Scenario.LiveConfig()
	cfg.Ranks = len(s.Hosts)
	return cfg
}

// LiveConfig returns a job of processes as the scenario says.
func (s *Scenario) LiveConfig() live.Config {
	return live.Config{Ranks: s.Ranks, Transport: s.Transport, Wait: s.Wait, Plain: s.Encrypt == "off", Bound: time.Duration(s.Timeout)}
}
