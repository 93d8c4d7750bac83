package musubi

import (
	"fmt"
	"io"

	"musubi/live"
	"musubi/report/files"
	"musubi/trace/calls"
	"musubi/trace/format"
	"musubi/trace/record"
)

// Observe lets a job that is to be launched note what the scenario asks for: a record of messages, or a timeline. finish writes
// the file when the job has succeeded.
func (s *Scenario) Observe(cfg *live.Config) (finish func() error, err error) {
	switch {
	case s.RecordFile != "" && s.TraceFile != "":
		return nil, wrong("trace", errRecordAndTrace)
	case s.RecordFile != "" && !s.recordsMessages():
		return nil, wrong("record", fmt.Errorf("%s; expected a name that ends in %s", s.RecordFile, format.Extensions))
	case s.RecordFile == "" && s.TraceFile == "":
		return func() error { return nil }, nil
	}
	var seen []*live.Observed // by rank
	cfg.Observed = func(_ int, of *live.Observed) { seen = append(seen, of) }
	if s.TraceFile != "" {
		cfg.Observe = live.ObserveCalls
		return func() error { return s.writeCalls(seen) }, nil
	}
	cfg.Observe = live.ObserveMessages
	return func() error { return s.writeMessages(seen) }, nil
}

// strangers fails if some processes are no ranks of Musubi.
func strangers(seen []*live.Observed) error {
	for rank, of := range seen {
		if of == nil {
			return fmt.Errorf("the program of rank %d does not run on Musubi; expected one that passes messages by package mpi or by Musubi's libmpi_abi.so", rank)
		}
	}
	return nil
}

func (s *Scenario) writeMessages(seen []*live.Observed) error {
	if err := strangers(seen); err != nil {
		return wrong("record", err)
	}
	parts := make([]record.Part, len(seen))
	for rank, of := range seen {
		parts[rank] = of.Record
	}
	schedule, err := record.Join(parts).Schedule()
	if err != nil {
		return wrong("record", fmt.Errorf("%s: %w", s.RecordFile, err))
	}
	return format.Write(s.RecordFile, schedule)
}

func (s *Scenario) writeCalls(seen []*live.Observed) error {
	if err := strangers(seen); err != nil {
		return wrong("trace", err)
	}
	parts := make([]calls.Part, len(seen))
	for rank, of := range seen {
		parts[rank] = of.Calls
	}
	return files.Write(s.TraceFile, func(w io.Writer) error { return calls.Write(w, parts) })
}
