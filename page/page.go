// Package page writes a report as one HTML file that needs nothing else: the question, what was
// looked at, figures with a table under each, and how to get the same again.
package page

import (
	"bytes"
	_ "embed"
	"html/template"
	"io"

	"musubi/picture"
	"musubi/picture/sheet"
	"musubi/report/rows"
)

// Page is a report.
type Page struct {
	Title    string
	Question string // in words, and what was found if that can be said in a sentence
	Sections []Section
	// Command gives the same page again, and Version is what it was made with.
	Command, Version string
}

// Section is a part of a page: what it has of text, facts, figure and table, in this order.
type Section struct {
	Heading string
	Text    []string // paragraphs
	Facts   []Fact
	Figure  *sheet.Sheet
	Table   *Table
	Output  string // of a terminal
}

// Fact is a named value.
type Fact struct{ Name, Value, Source string }

// Table is lines below headings.
type Table struct {
	Heads []string
	Lines [][]string
	// Fold hides the table until somebody opens it.
	Fold bool
}

//go:embed page.html
var layout string

var form = template.Must(template.New("page").Funcs(template.FuncMap{"svg": svg}).Parse(layout))

// svg is a drawing as part of HTML.
func svg(s *sheet.Sheet) (template.HTML, error) {
	var b bytes.Buffer
	err := s.WriteSVG(&b)
	return template.HTML(b.String()), err // the sheet escapes its words
}

// Write writes the page.
func (p *Page) Write(w io.Writer) error { return form.Execute(w, p) }

// Figures makes a section of each panel that package picture chooses for rows, with its values in a
// table under it.
func Figures(list []rows.Row) []Section {
	var sections []Section
	for _, panel := range picture.Panels(list) {
		heads, lines := panel.Table()
		sections = append(sections, Section{Heading: panel.Title(), Figure: panel.Draw(), Table: &Table{Heads: heads, Lines: lines, Fold: len(lines) > foldFrom}})
	}
	return sections
}

// foldFrom is the number of lines from which a table under a figure is folded.
const foldFrom = 24
