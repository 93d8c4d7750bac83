package report

import (
	"io"
	"strings"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"
)

// Column heads one column of a Table.
type Column struct {
	Name string
	Unit string // after the name, in brackets; empty if the values have none
	Left bool   // for words; numbers stand to the right
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

// Print writes the table, headings first. Words are never wrapped, so that the
// output can be cut and searched line by line.
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
	g := table.New().
		Border(lipgloss.NormalBorder()).
		BorderTop(false).BorderBottom(false).BorderLeft(false).BorderRight(false).
		BorderColumn(false).BorderHeader(false).
		BorderStyle(lipgloss.NewStyle().Faint(true)).
		Wrap(false).
		StyleFunc(t.style)
	for _, row := range t.rows {
		texts := make([]string, len(t.columns))
		for i, c := range row {
			texts[i] = c.Text
		}
		g.Row(texts...)
	}
	return g
}

func (t *Table) style(row, col int) lipgloss.Style {
	s := lipgloss.NewStyle()
	if row == table.HeaderRow {
		s = s.Bold(true)
	} else if col < len(t.rows[row]) {
		s = t.rows[row][col].tone.style()
	}
	if col < len(t.columns)-1 {
		s = s.PaddingRight(2)
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
