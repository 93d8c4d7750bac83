package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"musubi/report/files"
	"musubi/routing"
	"musubi/routing/tables"

	"github.com/spf13/cobra"
)

func formNames() []string {
	var names []string
	for _, f := range tables.Forms() {
		names = append(names, f.Name)
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
	for _, form := range tables.Forms() {
		about = append(about, fmt.Sprintf("%s (%s)", form.Name, form.About))
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
	exported, err := tables.FormNamed(f.form).Files(routes)
	if err != nil {
		return err
	}
	var staged files.Stage
	defer staged.Discard()
	for _, file := range exported {
		path := f.output
		if file.Name != "" {
			if err := os.MkdirAll(f.output, 0o755); err != nil {
				return err
			}
			path = filepath.Join(f.output, file.Name)
		}
		if err := staged.Add(path, file.Write); err != nil {
			return err
		}
		s.note("writing %s", path)
	}
	if f.form == "infiniband" && routes.VCs > 1 {
		s.note("the proof holds for the forwarding tables together with the service levels and lanes; for those alone see verify --lfts")
	}
	return staged.Commit()
}
