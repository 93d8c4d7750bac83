package report

import (
	"io"
	"strings"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"
)

// tableWidth is the length of lines in a table whose last column is running text. That column is
// never narrower than minText, though.
const (
	tableWidth = 110
	minText    = 40
)

// gap is the distance between columns.
const gap = 2

// Column heads one column of a Table.
type Column struct {
	Name string
	Unit string // after the name, in brackets; empty if the values have none
	Left bool   // for words; numbers stand to the right
	Text bool   // running text, broken into lines; of the last column only
}

// Table is a list of rows with a heading for each column.
type Table struct {
	columns []Column
	rows    [][]Cell
}

// NewTable starts a table.
func NewTable(columns ...Column) *Table { return &Table{columns: columns} }

// Add appends a row. Cells that are missing at its end stay empty.
func (t *Table) Add(cells ...Cell) { t.rows = append(t.rows, cells) }

// Empty reports whether the table has no rows.
func (t *Table) Empty() bool { return len(t.rows) == 0 }

// Print writes the table, headings first. But for running text nothing is broken into
// lines, so that the output can be cut and searched line by line.
func (t *Table) Print(w io.Writer) error {
	head := make([]string, len(t.columns))
	for i, c := range t.columns {
		head[i] = c.heading()
	}
	return render(w, t.grid().Headers(head...).BorderHeader(true))
}

func (c Column) heading() string {
	if c.Unit == "" {
		return c.Name
	}
	return c.Name + " [" + c.Unit + "]"
}

// grid lays the rows out, without headings.
func (t *Table) grid() *table.Table {
	lines := t.lines()
	g := table.New().
		Border(lipgloss.NormalBorder()).
		BorderTop(false).BorderBottom(false).BorderLeft(false).BorderRight(false).
		BorderColumn(false).BorderHeader(false).
		BorderStyle(lipgloss.NewStyle().Faint(true)).
		Wrap(false).
		StyleFunc(func(row, col int) lipgloss.Style { return t.style(lines, row, col) })
	for _, row := range lines {
		texts := make([]string, len(t.columns))
		for i, c := range row {
			texts[i] = c.Text
		}
		g.Row(texts...)
	}
	return g
}

// lines returns the rows, those with running text as several.
func (t *Table) lines() [][]Cell {
	last := len(t.columns) - 1
	if !t.columns[last].Text {
		return t.rows
	}
	var lines [][]Cell
	room := max(minText, tableWidth-t.width(last))
	for _, row := range t.rows {
		if len(row) <= last {
			lines = append(lines, row)
			continue
		}
		for i, part := range strings.Split(lipgloss.Wrap(row[last].Text, room, ""), "\n") {
			line := make([]Cell, last+1)
			if i == 0 {
				copy(line, row)
			}
			line[last] = Cell{part, row[last].tone}
			lines = append(lines, line)
		}
	}
	return lines
}

// width returns the width of the first n columns, with the gaps after them.
func (t *Table) width(n int) int {
	sum := 0
	for col, c := range t.columns[:n] {
		widest := lipgloss.Width(c.heading())
		for _, row := range t.rows {
			if col < len(row) {
				widest = max(widest, lipgloss.Width(row[col].Text))
			}
		}
		sum += widest + gap
	}
	return sum
}

func (t *Table) style(lines [][]Cell, row, col int) lipgloss.Style {
	s := lipgloss.NewStyle()
	if row == table.HeaderRow {
		s = s.Bold(true)
	} else if col < len(lines[row]) {
		s = lines[row][col].tone.style()
	}
	if col < len(t.columns)-1 {
		s = s.PaddingRight(gap)
	}
	if !t.columns[col].Left {
		s = s.Align(lipgloss.Right)
	}
	return s
}

func (t tone) style() lipgloss.Style {
	s := lipgloss.NewStyle()
	switch t {
	case good:
		return s.Foreground(lipgloss.Green)
	case bad:
		return s.Foreground(lipgloss.Red).Bold(true)
	case faint:
		return s.Faint(true)
	}
	return s
}

// render writes a grid without the blanks at the ends of lines.
func render(w io.Writer, g *table.Table) error {
	var b strings.Builder
	for line := range strings.Lines(g.Render()) {
		b.WriteString(strings.TrimRight(line, " \n"))
		b.WriteByte('\n')
	}
	_, err := lipgloss.Fprint(w, b.String())
	return err
}
