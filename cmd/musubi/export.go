package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"musubi/report/files"
	"musubi/routing"
	"musubi/routing/tables"

	"github.com/spf13/cobra"
)

// tableForm is a form of routing tables that can be exported.
type tableForm struct {
	name  string
	about string
	// byDestination forms know only paths that fork by destination, see
	// routing.Options.
	byDestination bool
	// tables puts routes into this form. It fails if they need more than the form
	// can say.
	tables func(*routing.Routes) ([]exportFile, error)
}

// exportFile is a file of tables.
type exportFile struct {
	name  string // in the directory that is exported to; empty for the only file of a form
	write func(io.Writer) error
}

var tableForms = []tableForm{
	{"general", "one file: output port and VC by input port, VC and destination", false, generalTables},
	{"rhinet2", "one file: output port by destination, VC change by pair of ports", true, rhinet2Tables},
	{"infiniband", "a directory: forwarding tables, service levels and lanes, as OpenSM has them", true, infiniBandTables},
}

func generalTables(routes *routing.Routes) ([]exportFile, error) {
	t, err := tables.NewGeneral(routes)
	if err != nil {
		return nil, err
	}
	return []exportFile{{"", t.WriteCSV}}, nil
}

func rhinet2Tables(routes *routing.Routes) ([]exportFile, error) {
	t, err := tables.NewRHiNET2(routes)
	if err != nil {
		return nil, err
	}
	return []exportFile{{"", t.WriteCSV}}, nil
}

// infiniBandTables are the files that the verify command reads.
func infiniBandTables(routes *routing.Routes) ([]exportFile, error) {
	t, err := tables.NewInfiniBand(routes)
	if err != nil {
		return nil, err
	}
	return []exportFile{
		{"opensm-lfts.dump", t.WriteForwarding},
		{"path-sl.txt", t.WriteLevels},
		{"opensm-sl2vl.dump", t.WriteLanes},
		{"ibdm-sl2vl.txt", t.WriteLanesIBDM},
	}, nil
}

// findForm returns the form of that name, nil if there is none.
func findForm(name string) *tableForm {
	i := slices.IndexFunc(tableForms, func(f tableForm) bool { return f.name == name })
	if i < 0 {
		return nil
	}
	return &tableForms[i]
}

func formNames() []string {
	var names []string
	for _, f := range tableForms {
		names = append(names, f.name)
	}
	return names
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
	tables, err := findForm(f.form).tables(routes)
	if err != nil {
		return err
	}
	var staged files.Stage
	defer staged.Discard()
	for _, file := range tables {
		path := f.output
		if file.name != "" {
			if err := os.MkdirAll(f.output, 0o755); err != nil {
				return err
			}
			path = filepath.Join(f.output, file.name)
		}
		if err := staged.Add(path, file.write); err != nil {
			return err
		}
		s.note("writing %s", path)
	}
	if f.form == "infiniband" && routes.VCs > 1 {
		s.note("the proof holds for the forwarding tables together with the service levels and lanes; for those alone see verify --lfts")
	}
	return staged.Commit()
}
