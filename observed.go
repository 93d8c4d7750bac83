package musubi

import (
	"errors"
	"fmt"
	"io"

	"musubi/live"
	"musubi/report/files"
	"musubi/trace/calls"
	"musubi/trace/format"
	"musubi/trace/record"
)

// errRecordAndTrace refuses a timeline of ranks that are recorded: they tell what they do to one observer.
var errRecordAndTrace = errors.New("a record is asked for, too; expected only one of them for processes")

// observed is what the ranks of a job have told of what they did, by rank; none while the job runs.
type observed []*live.Observed

// Observe lets a job that is to be launched note what the scenario asks for: a record of messages, or a timeline. finish writes
// the file when the job has succeeded.
func (s *Scenario) Observe(cfg *live.Config) (finish func() error, err error) {
	switch {
	case s.RecordFile != "" && s.TraceFile != "":
		return nil, wrong("trace", errRecordAndTrace)
	case s.RecordFile != "" && !s.recordsMessages():
		return nil, wrong("record", fmt.Errorf("%s; expected a name that ends in %s", s.RecordFile, format.Extensions))
	}
	if err := files.Check(s.RecordFile, s.TraceFile); err != nil {
		return nil, err
	}
	seen := s.observe(cfg)
	return func() error {
		if s.TraceFile != "" {
			return s.writeCalls(*seen)
		}
		if s.RecordFile == "" {
			return nil
		}
		messages, err := seen.messages()
		if err != nil {
			return err
		}
		return s.writeMessages(messages)
	}, nil
}

// observe is Observe of a scenario that is right.
func (s *Scenario) observe(cfg *live.Config) *observed {
	var seen observed
	switch {
	case s.TraceFile != "":
		cfg.Observe = live.ObserveCalls
	case s.recordsMessages():
		cfg.Observe = live.ObserveMessages
	}
	cfg.Observed = func(_ int, of *live.Observed) { seen = append(seen, of) }
	return &seen
}

// told fails if some processes are no ranks of Musubi, or if another process has launched them all, which has been told instead.
func (seen observed) told(key string) error {
	if len(seen) == 0 {
		return wrong(key, fmt.Errorf("a job that somebody else has launched keeps no %s; expected \"musubi run\", \"musubi launch --%[1]s\", or the program itself with -n", key))
	}
	for rank, of := range seen {
		if of == nil {
			return wrong(key, fmt.Errorf("the program of rank %d does not run on Musubi; expected one that passes messages by package mpi or by Musubi's libmpi_abi.so", rank))
		}
	}
	return nil
}

// messages puts the records of the ranks together.
func (seen observed) messages() (*record.Job, error) {
	if err := seen.told("record"); err != nil {
		return nil, err
	}
	parts := make([]record.Part, len(seen))
	for rank, of := range seen {
		parts[rank] = of.Record
	}
	return record.Join(parts), nil
}

// writeCalls writes a timeline of the ranks.
func (s *Scenario) writeCalls(seen observed) error {
	if err := seen.told("trace"); err != nil {
		return err
	}
	parts := make([]calls.Part, len(seen))
	for rank, of := range seen {
		parts[rank] = of.Calls
	}
	return files.Write(s.TraceFile, func(w io.Writer) error { return calls.Write(w, parts) })
}
