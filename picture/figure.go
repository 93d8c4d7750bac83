package picture

import (
	"fmt"
	"strings"

	"musubi/picture/sheet"
	"musubi/report/rows"
)

// Panel is one drawing with a title of its own.
type Panel interface {
	Title() string
	Draw() *sheet.Sheet
	// Table returns the values that are drawn, under headings.
	Table() (heads []string, lines [][]string)
}

// headHeight is the room for the title of a figure.
const headHeight = 40

// Figure draws all panels of rows on one sheet, two beside each other, below what all runs have in
// common. It fails if there is nothing to draw.
func Figure(list []rows.Row) (*sheet.Sheet, error) {
	panels := Panels(list)
	if len(panels) == 0 {
		return nil, fmt.Errorf("nothing to draw: no metric has several values, or parts; expected several sizes, loads or runs")
	}
	all := make([]*sheet.Sheet, len(panels))
	widths := [2]float64{}
	for i, p := range panels {
		all[i] = p.Draw()
		widths[i%2] = max(widths[i%2], all[i].Width)
	}
	head, under := Heading(list)
	headline := sheet.Text{At: sheet.Point{X: 12, Y: 18}, Words: head, Size: 13, Bold: true}
	s := sheet.New(max(widths[0]+widths[1], sheet.LengthOf(under, textSize)+24, headline.Length()+24), headHeight)
	s.Title = head + ": " + under
	s.Write(headline)
	s.Write(sheet.Text{At: sheet.Point{X: 12, Y: 33}, Words: under, Size: textSize, Colour: sheet.Grey})
	for i := 0; i < len(all); i += 2 {
		height := all[i].Height
		s.Put(all[i], sheet.Point{Y: s.Height})
		if i+1 < len(all) {
			s.Put(all[i+1], sheet.Point{X: widths[0], Y: s.Height})
			height = max(height, all[i+1].Height)
		}
		s.Height += height + 6
	}
	return s, nil
}

// Heading says what all runs have in common: the workload and the machine, and the rest.
func Heading(list []rows.Row) (head, under string) {
	common := rows.Common(list)
	head = "results"
	if workload, _ := rows.Find(common, "workload").(string); workload != "" {
		head = workload
	}
	if machine, _ := rows.Find(common, "machine").(string); machine != "" {
		head += " on " + machine
	}
	var parts []string
	for _, l := range common {
		switch v := l.Value.(type) {
		case int:
			parts = append(parts, counted(l.Name, v))
		default:
			if l.Name != "workload" && l.Name != "machine" {
				parts = append(parts, fmt.Sprintf("%s %v", title(l.Name), v))
			}
		}
	}
	return head, strings.Join(parts, ", ")
}
