package musubi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"musubi/report/files"
	"musubi/rings"
	"musubi/rma"
	"musubi/sim/host"
	"musubi/topology/networks"
)

// readRings reads the file that holds the receive rings of a scenario, if it names one.
func (s *Scenario) readRings() error {
	if s.RingsFile == "" {
		return nil
	}
	if err := files.NotOverwritten("--rings", s.RingsFile, "--record", s.RecordFile); err != nil {
		return err
	}
	file, err := networks.OpenFile(s.RingsFile)
	if err != nil {
		return err
	}
	defer file.Close()
	s.Rings, err = rings.Read(file, s.RingsFile)
	return err
}

// wrongRings is a mistake in the receive rings of a scenario.
func (s *System) wrongRings(err error) error {
	if s.Scenario.RingsFile != "" {
		err = fmt.Errorf("%s: %w", s.Scenario.RingsFile, err)
	}
	return wrong("rings", err)
}

// checkRings fails if the receive rings of the scenario do not fit its ranks and its
// machine.
func (s *System) checkRings() error {
	all := s.Scenario.Rings
	if all == nil {
		return nil
	}
	if len(all) != len(s.Hosts) {
		return s.wrongRings(fmt.Errorf("receive rings for %d ranks, but there are %d", len(all), len(s.Hosts)))
	}
	for rank := range all {
		if err := all[rank].Check(len(all), host.TraitsOf(s.Machine).RingPacket); err != nil {
			return s.wrongRings(fmt.Errorf("receive rings of rank %d on machine %s: %w", rank, s.Machine.Name, err))
		}
	}
	return nil
}

// refuseRings fails if the scenario asks for something about receive rings, for
// traffic without processes that have any.
func (s *System) refuseRings() error {
	const why = "open-loop traffic has no processes with receive rings; expected a workload that runs a program, or loop=closed"
	switch {
	case s.Scenario.records():
		return wrong("record", errors.New("nothing to record: "+why))
	case s.Scenario.Rings != nil:
		return s.wrongRings(errors.New("no use for rings: " + why))
	}
	return nil
}

// recorded returns a program that is watched by a recorder if the scenario asks for
// a record; else the program itself and nil.
func (s *System) recorded(program func(rma.Process) error) (func(rma.Process) error, *rings.Recorder) {
	if !s.Scenario.records() || s.Scenario.recordsMessages() {
		return program, nil
	}
	recorder := rings.NewRecorder(len(s.Hosts), host.TraitsOf(s.Machine).RingPacket)
	return func(p rma.Process) error { return program(recorder.Watch(p)) }, recorder
}

// records reports whether the scenario asks for a record.
func (s *Scenario) records() bool { return s.Record || s.RecordFile != "" }

// record returns what a recorder has noted, with the scenario.
func (s *System) record(recorder *rings.Recorder) (*rings.Record, error) {
	record := recorder.Record()
	var err error
	record.Scenario, err = json.Marshal(s.Scenario)
	return record, err
}

// Recorded returns the scenario that a record is of. It fails if that is not one.
func Recorded(record *rings.Record) (Scenario, error) {
	var s Scenario
	d := json.NewDecoder(bytes.NewReader(record.Scenario))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return s, fmt.Errorf("recorded scenario: %s; expected one that \"musubi run --record\" has written", strings.TrimPrefix(err.Error(), "json: "))
	}
	return s, nil
}

// BuildRecorded builds the system that a record is of, to run its workload again. It
// fails if the record is of a program without a name, or the system is not what it
// was: the scenario may name files that have changed.
func BuildRecorded(record *rings.Record) (*System, error) {
	s, err := Recorded(record)
	if err != nil {
		return nil, err
	}
	if s.Workload == "" {
		return nil, errors.New("recorded scenario: no workload that could be run again")
	}
	system, err := Build(s)
	if err != nil {
		return nil, fmt.Errorf("recorded scenario: %w", err)
	}
	if ranks, packet := len(system.Hosts), host.TraitsOf(system.Machine).RingPacket; ranks != len(record.Processes) || packet != record.Packet {
		return nil, fmt.Errorf("recorded scenario: it was of %d ranks with packets of %d bytes, and is now of %d with %d; record it again",
			len(record.Processes), record.Packet, ranks, packet)
	}
	return system, nil
}

// UseRings makes further runs use these receive rings, one element for each rank.
// It fails if they do not fit.
func (s *System) UseRings(all []rma.Rings) error {
	before := s.Scenario.Rings
	s.Scenario.Rings = all
	if err := s.checkRings(); err != nil {
		s.Scenario.Rings = before
		return err
	}
	return nil
}
