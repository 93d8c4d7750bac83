package route

import (
	"errors"
	"fmt"
	"strings"

	"musubi/cmd/musubi/internal/cli"
	"musubi/cmd/musubi/internal/open"
	"musubi/report/files"
	"musubi/routing"
	"musubi/routing/tables"
)

func formNames() []string {
	var names []string
	for _, f := range tables.Forms() {
		names = append(names, f.Name)
	}
	return names
}

// aboutForms lists the forms of tables, for help.
func aboutForms() string {
	var about []string
	for _, form := range tables.Forms() {
		about = append(about, fmt.Sprintf("%s (%s)", form.Name, form.About))
	}
	return strings.Join(about, ", ")
}

// exportFlags are the options of "musubi route" for tables.
type exportFlags struct {
	Form   string `name:"export" help:"write the tables of the routing, in the form "`
	Output string `name:"output" value:"file" help:"file or directory that --export writes"`
}

// check refuses what cannot be exported before any work is done.
func (f *exportFlags) check(routings []string, all bool) error {
	switch {
	case f.Form == "" && f.Output == "":
		return nil
	case f.Form == "":
		return fmt.Errorf("--output without --export; expected --export with one of %s", strings.Join(formNames(), ", "))
	}
	if err := cli.Choose("table form", f.Form, formNames()); err != nil {
		return err
	}
	switch {
	case f.Output == "":
		return errors.New("--export without --output; expected --output with the file or directory to write")
	case all || len(routings) != 1:
		return errors.New("--export writes the tables of one routing; expected --routing with one name")
	case tables.FormNamed(f.Form).OneFile():
		return files.Check(f.Output)
	}
	return open.CheckTables(f.Output)
}

// write exports one routing.
func (f *exportFlags) write(s cli.Shared, routes *routing.Routes) error {
	progress := cli.StartProgress(s, "") // there are as many entries as switches times end points
	progress.Draw("making the tables", 0)
	exported, err := tables.FormNamed(f.Form).Files(routes)
	progress.Finish()
	if err != nil {
		return err
	}
	var staged files.Stage
	defer staged.Discard()
	if err := open.StageTables(s, &staged, exported, f.Output); err != nil {
		return err
	}
	if f.Form == "infiniband" && routes.VCs > 1 {
		s.Note("the proof holds for the forwarding tables together with the service levels and lanes; for those alone see verify --lfts")
	}
	return staged.Commit()
}
