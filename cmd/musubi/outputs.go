package main

import (
	"cmp"
	"context"
	"io"
	"strings"

	"musubi/page"
	"musubi/picture"
	"musubi/picture/sheet"
	"musubi/report/files"
	"musubi/report/rows"
	"musubi/report/table"
)

// outputs are the options for files of results, beside what a command prints.
type outputs struct {
	Plot string `name:"plot" value:"file" help:"draw the results: a .svg, .png or .pdf file"`
	Rows string `name:"output" value:"file" help:"write all results as rows: a .csv or .parquet file"`
	PageFile
}

// PageFile is the option for a page; exported, as structs of options embed it.
type PageFile struct {
	Report string `name:"report" value:"file" help:"write a page with the question, the machine, pictures, tables and how to run it again: one .html file"`
}

// check refuses names of files that cannot be written, before any work is done.
func (o *outputs) check() error {
	var plot, list error
	if o.Plot != "" {
		plot = sheet.CheckName(o.Plot)
	}
	if o.Rows != "" {
		list = table.CheckName(o.Rows)
	}
	return cmp.Or(plot, list)
}

// write writes the files that are asked for. The page has no more than the results.
func (o *outputs) write(s shared, list []rows.Row) error {
	return o.writeWith(s, list, func() *page.Page {
		head, under := picture.Heading(list)
		return &page.Page{Title: head, Question: under, Sections: page.Figures(list)}
	})
}

// writeWith is write with a page of the command's own.
func (o *outputs) writeWith(s shared, list []rows.Row, about func() *page.Page) error {
	if o.Plot != "" {
		figure, err := picture.Figure(list)
		if err != nil {
			return err
		}
		if err := writeSheet(s, o.Plot, figure); err != nil {
			return err
		}
	}
	if o.Rows != "" {
		if err := s.writeFile(o.Rows, func(w io.Writer) error { return table.Write(w, o.Rows, list) }); err != nil {
			return err
		}
	}
	return o.PageFile.write(s, about)
}

// write writes a page, if that is asked for.
func (f *PageFile) write(s shared, about func() *page.Page) error {
	if f.Report == "" {
		return nil
	}
	p := about()
	p.Command, p.Version = s.command, buildVersion().String()
	return s.writeFile(f.Report, p.Write)
}

// writeSheet writes a drawing in the format that the name of the file says.
func writeSheet(s shared, path string, drawing *sheet.Sheet) error {
	return s.writeFile(path, func(w io.Writer) error { return drawing.Encode(w, path) })
}

// writeFile writes a file and says so.
func (s shared) writeFile(path string, write func(io.Writer) error) error {
	err := files.Write(path, write)
	if err == nil {
		s.note("wrote %s", path)
	}
	return err
}

// argumentsKey is where the context of a command has its command line.
type argumentsKey struct{}

// withArguments remembers a command line.
func withArguments(ctx context.Context, args []string) context.Context {
	return context.WithValue(ctx, argumentsKey{}, args)
}

// typedCommand is the command line of a context, as it is typed in a shell.
func typedCommand(ctx context.Context) string {
	words := []string{"musubi"}
	args, _ := ctx.Value(argumentsKey{}).([]string)
	for _, word := range args {
		if strings.ContainsAny(word, " \t\n\"'\\$&|;<>()*?[]#~`{}!") || word == "" {
			word = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}
