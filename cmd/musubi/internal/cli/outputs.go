package cli

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"

	"musubi/page"
	"musubi/picture"
	"musubi/picture/sheet"
	"musubi/report/files"
	"musubi/report/rows"
	"musubi/report/table"
)

// Outputs are the options for files of results, beside what a command prints.
type Outputs struct {
	Plot string `name:"plot" value:"file" help:"draw the results: a .svg, .png or .pdf file"`
	Rows string `name:"output" value:"file" help:"write all results as rows: a .csv or .parquet file"`
	PageFile
}

// PageFile is the option for a page; exported, as structs of options embed it.
type PageFile struct {
	Report string `name:"report" value:"file" help:"write a page with the question, the machine, pictures, tables and how to run it again: one .html file"`
}

// Check refuses names of files that cannot be written, before any work is done.
func (o *Outputs) Check() error {
	var plot, list error
	if o.Plot != "" {
		plot = sheet.CheckName(o.Plot)
	}
	if o.Rows != "" {
		list = table.CheckName(o.Rows)
	}
	return cmp.Or(plot, list, o.PageFile.Check(), files.Check(o.Plot, o.Rows))
}

// Check refuses the name of a page that cannot be written.
func (f *PageFile) Check() error {
	if f.Report != "" && filepath.Ext(f.Report) != ".html" {
		return fmt.Errorf("%s: expected a name that ends in .html for a page", f.Report)
	}
	return files.Check(f.Report)
}

// Write writes the files that are asked for. The page has no more than the results.
func (o *Outputs) Write(s Shared, list []rows.Row) error {
	return o.WriteWith(s, list, func() *page.Page {
		head, under := picture.Heading(list)
		return &page.Page{Title: head, Question: under, Sections: page.Figures(list)}
	})
}

// WriteWith is write with a page of the command's own.
func (o *Outputs) WriteWith(s Shared, list []rows.Row, about func() *page.Page) error {
	if o.Plot != "" {
		figure, err := picture.Figure(list)
		if err != nil {
			return err
		}
		if err := WriteSheet(s, o.Plot, figure); err != nil {
			return err
		}
	}
	if o.Rows != "" {
		if err := s.writeFile(o.Rows, func(w io.Writer) error { return table.Write(w, o.Rows, list) }); err != nil {
			return err
		}
	}
	return o.PageFile.Write(s, about)
}

// Write writes a page, if that is asked for.
func (f *PageFile) Write(s Shared, about func() *page.Page) error {
	if f.Report == "" {
		return nil
	}
	p := about()
	p.Command, p.Version = s.command, BuildVersion().String()
	return s.writeFile(f.Report, p.Write)
}

// WriteSheet writes a drawing in the format that the name of the file says.
func WriteSheet(s Shared, path string, drawing *sheet.Sheet) error {
	return s.writeFile(path, func(w io.Writer) error { return drawing.Encode(w, path) })
}
