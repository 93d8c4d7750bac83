package main

import (
	"io"

	"musubi/picture"
	"musubi/picture/sheet"
	"musubi/report/files"
	"musubi/report/rows"
)

// outputs are the options for files of results, beside what a command prints.
type outputs struct {
	Plot string `name:"plot" value:"file" help:"draw the results: a .svg, .png or .pdf file"`
}

// check refuses names of files that cannot be written, before any work is done.
func (o *outputs) check() error {
	if o.Plot != "" {
		return sheet.CheckName(o.Plot)
	}
	return nil
}

// write writes the files that are asked for.
func (o *outputs) write(s shared, list []rows.Row) error {
	if o.Plot == "" {
		return nil
	}
	figure, err := picture.Figure(list)
	if err != nil {
		return err
	}
	return writeSheet(s, o.Plot, figure)
}

// writeSheet writes a drawing in the format that the name of the file says.
func writeSheet(s shared, path string, drawing *sheet.Sheet) error {
	err := files.Write(path, func(w io.Writer) error { return drawing.Encode(w, path) })
	if err == nil {
		s.note("wrote %s", path)
	}
	return err
}
