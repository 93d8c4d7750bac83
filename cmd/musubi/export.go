package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"musubi/routing"

	"github.com/spf13/cobra"
)

// tableForm is a form of routing tables that can be exported.
type tableForm struct {
	name  string
	about string
	// byDestination forms know only paths that fork by destination, see
	// routing.Options.
	byDestination bool
	// stage writes the tables of routes to path, which is a directory for a form of
	// several files.
	stage func(s *stage, routes *routing.Routes, path string) error
}

var tableForms = []tableForm{
	{"general", "one file: output port and VC by input port, VC and destination", false, stageGeneral},
	{"rhinet2", "one file: output port by destination, VC change by pair of ports", true, stageRHiNET2},
	{"infiniband", "a directory: forwarding tables, service levels and lanes, as OpenSM has them", true, stageInfiniBand},
}

func formNames() []string {
	var names []string
	for _, f := range tableForms {
		names = append(names, f.name)
	}
	return names
}

// forwardsByDestination reports whether a form of tables, or of the tables of a
// machine, knows only paths that fork by destination.
func forwardsByDestination(form string) bool {
	i := slices.IndexFunc(tableForms, func(f tableForm) bool { return f.name == form })
	return i >= 0 && tableForms[i].byDestination
}

type exportFlags struct {
	form   string
	output string
	unsafe bool
}

func (f *exportFlags) define(cmd *cobra.Command) {
	var about []string
	for _, form := range tableForms {
		about = append(about, fmt.Sprintf("%s (%s)", form.name, form.about))
	}
	cmd.Flags().StringVar(&f.form, "export", "", "write the tables of the routing, in the form "+strings.Join(about, ", "))
	cmd.Flags().StringVar(&f.output, "output", "", "file or directory that --export writes")
	cmd.Flags().BoolVar(&f.unsafe, "unsafe", false, "accept and export a routing that can deadlock")
	completeWith(cmd, "export", formNames()...)
}

// check refuses what cannot be exported before any work is done.
func (f *exportFlags) check(routings []string, all bool) error {
	switch {
	case f.form == "" && f.output == "":
		return nil
	case f.form == "":
		return fmt.Errorf("--output without --export; expected --export with one of %s", strings.Join(formNames(), ", "))
	}
	if err := choose("table form", f.form, formNames()); err != nil {
		return err
	}
	switch {
	case f.output == "":
		return errors.New("--export without --output; expected --output with the file or directory to write")
	case all || len(routings) != 1:
		return errors.New("--export writes the tables of one routing; expected --routing with one name")
	}
	return nil
}

// write exports one routing.
func (f *exportFlags) write(s shared, routes *routing.Routes) error {
	var staged stage
	defer staged.discard()
	for _, form := range tableForms {
		if form.name != f.form {
			continue
		}
		if err := form.stage(&staged, routes, f.output); err != nil {
			return err
		}
	}
	for _, file := range staged.files {
		s.note("writing %s", file.path)
	}
	return staged.commit()
}

func stageGeneral(s *stage, routes *routing.Routes, path string) error {
	t, err := routing.NewGeneralTable(routes)
	if err != nil {
		return err
	}
	return s.add(path, t.WriteCSV)
}

func stageRHiNET2(s *stage, routes *routing.Routes, path string) error {
	t, err := routing.NewRHiNET2Table(routes)
	if err != nil {
		return err
	}
	return s.add(path, t.WriteCSV)
}

// stageInfiniBand writes the files that the verify command reads.
func stageInfiniBand(s *stage, routes *routing.Routes, path string) error {
	t, err := routing.NewInfiniBandTables(routes)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(path, 0o755); err != nil {
		return err
	}
	files := []struct {
		name  string
		write func(io.Writer) error
	}{
		{"opensm-lfts.dump", t.WriteForwarding},
		{"path-sl.txt", t.WriteLevels},
		{"opensm-sl2vl.dump", t.WriteLanes},
		{"ibdm-sl2vl.txt", t.WriteLanesIBDM},
	}
	for _, f := range files {
		if err := s.add(filepath.Join(path, f.name), f.write); err != nil {
			return err
		}
	}
	return nil
}
