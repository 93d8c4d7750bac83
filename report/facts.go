package report

import "io"

// Facts is a list of named values, one per line.
type Facts struct{ table *Table }

// NewFacts starts a list.
func NewFacts() *Facts {
	return &Facts{NewTable(Column{Left: true}, Column{Left: true})}
}

// Add appends a fact. An empty name continues the previous fact.
func (f *Facts) Add(name string, value Cell) { f.table.Add(Text(name).Faint(), value) }

// Lines returns the names and values, each continued fact with an empty name.
func (f *Facts) Lines() [][2]string {
	var lines [][2]string
	for _, row := range f.table.rows {
		lines = append(lines, [2]string{row[0].Text, row[1].Text})
	}
	return lines
}

// Print writes the list with the values aligned.
func (f *Facts) Print(w io.Writer) error {
	if f.table.Empty() {
		return nil
	}
	return render(w, f.table.grid())
}
