package main

import (
	"errors"
	"fmt"
	"io"

	"musubi"
	"musubi/rings"
	"musubi/rma"
)

// runFiles are files about the receive rings of a run; those without a name are
// not asked for.
type runFiles struct {
	rings  string // to read
	record string // to write
}

// readRings reads the receive rings of all ranks.
func (f *runFiles) readRings() (all []rma.Rings, err error) {
	if f.rings == "" {
		return nil, nil
	}
	if err := notOverwritten("--rings", f.rings, "--record", f.record); err != nil {
		return nil, err
	}
	err = withFile(f.rings, func(r io.Reader) error {
		all, err = rings.Read(r, f.rings)
		return err
	})
	return all, err
}

// locate puts the name of the file before an error about the rings that it holds.
func (f *runFiles) locate(err error) error {
	var input *musubi.InputError
	if errors.As(err, &input) && input.Key == "rings" {
		return fmt.Errorf("%s: %w", f.rings, err)
	}
	return err
}

// writeRecord writes the record of a run.
func (f *runFiles) writeRecord(s shared, result *musubi.Result) error {
	if f.record == "" {
		return nil
	}
	if err := writeFile(f.record, result.Record.Write); err != nil {
		return err
	}
	s.note("wrote %s", f.record)
	return nil
}
