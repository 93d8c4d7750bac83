package cli

import (
	"bytes"
	"io"
	"strings"

	"musubi/page"
	"musubi/picture/sheet"
)

// Drawn is a section with a drawing, or why there is none.
func Drawn(heading string, drawing *sheet.Sheet, err error) page.Section {
	if err != nil {
		return page.Section{Heading: heading, Text: []string{"Not drawn: " + err.Error() + "."}}
	}
	return page.Section{Heading: heading, Figure: drawing}
}

// TextOf is what a function prints.
func TextOf(print func(io.Writer) error) string {
	var b bytes.Buffer
	if err := print(&b); err != nil {
		return err.Error()
	}
	return strings.Trim(b.String(), "\n")
}

// FactsOf continues the name of a fact where lines have none.
func FactsOf(lines [][2]string) []page.Fact {
	var facts []page.Fact
	for _, l := range lines {
		facts = append(facts, page.Fact{Name: l[0], Value: l[1]})
	}
	return facts
}

// ManyDrawings is how many routings a page draws.
const ManyDrawings = 12
