package musubi

import (
	"errors"
	"fmt"
	"slices"

	"musubi/live"
	"musubi/report/files"
	"musubi/rma"
	"musubi/trace/format"
	"musubi/trace/record"
)

// recordsMessages reports whether the record that the scenario asks for is a schedule of the messages.
func (s *Scenario) recordsMessages() bool { return format.Writes(s.RecordFile) }

// Files lists the files that a run writes because the scenario asks for them: records and timelines.
func (s *System) Files() (list []string) {
	list = []string{s.Scenario.RecordFile, s.Scenario.TraceFile}
	if s.jobs != nil {
		list = nil
		for i := range s.jobs {
			list = append(list, s.jobs[i].scenario.RecordFile, s.jobs[i].scenario.TraceFile)
		}
	}
	return slices.DeleteFunc(list, func(file string) bool { return file == "" })
}

// recordedMessages returns a program whose messages are recorded if the scenario asks for them; else
// the program itself and nil.
func (s *System) recordedMessages(program func(rma.Process) error) (func(rma.Process) error, *record.Job) {
	if !s.Scenario.recordsMessages() {
		return program, nil
	}
	job := record.New(len(s.Hosts))
	return func(p rma.Process) error {
		r := job.Rank(p.Rank())
		r.Begin(p.Now())
		p.(rma.Recorded).Record(r)
		if err := program(p); err != nil {
			return err
		}
		r.End(p.Now())
		return nil
	}, job
}

// writeRecord writes the file of the record, if the scenario asks for one.
func (s *System) writeRecord(r *Result) error {
	file := s.Scenario.RecordFile
	switch {
	case file == "":
		return nil
	case s.Scenario.recordsMessages() && r.Messages != nil:
		return s.Scenario.writeMessages(r.Messages)
	case r.Record != nil:
		return files.Write(file, r.Record.Write)
	}
	return wrong("record", errors.New("nothing to record: no program runs"))
}

// writeMessages writes a record as a schedule.
func (s *Scenario) writeMessages(job *record.Job) error {
	schedule, err := job.Schedule()
	if err != nil {
		return wrong("record", fmt.Errorf("%s: %w", s.RecordFile, err))
	}
	return format.Write(s.RecordFile, schedule)
}

// checkFiles refuses, before a run, files that cannot be written when it is over.
func (s *System) checkFiles() error {
	if s.IsLive() && live.Inside() {
		return nil // the parent writes them
	}
	return files.Check(s.Files()...)
}
