package picture

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
)

// The values of panels as tables, for pages and for those who do not see the drawings.

// Table implements Panel: a line for each place on the axis, and a column for each curve.
func (l *Lines) Table() (heads []string, lines [][]string) {
	if len(l.curves) > 0 && l.curves[0].smooth {
		return l.flipped()
	}
	heads = []string{l.x.heading()}
	places := map[float64]map[int]float64{}
	for i, c := range l.curves {
		name := cmp.Or(c.name, l.y.heading())
		if c.name != "" && len(l.curves) == 1 {
			name = l.y.heading()
		}
		heads = append(heads, name)
		for _, p := range c.points {
			if places[p.x] == nil {
				places[p.x] = map[int]float64{}
			}
			places[p.x][i] = p.y
		}
	}
	for _, x := range slices.Sorted(maps.Keys(places)) {
		line := []string{number(x)}
		for i := range l.curves {
			line = append(line, cellOf(places[x], i))
		}
		lines = append(lines, line)
	}
	return heads, lines
}

// flipped is a table of distributions: a line for each part, and the value that it does not exceed.
func (l *Lines) flipped() (heads []string, lines [][]string) {
	flipped := Lines{x: axis{name: "part"}, y: l.x}
	for _, c := range l.curves {
		f := curve{name: c.name}
		for _, p := range c.points {
			f.points = append(f.points, point{x: p.y, y: p.x})
		}
		flipped.curves = append(flipped.curves, f)
	}
	return flipped.Table()
}

func cellOf(values map[int]float64, i int) string {
	if v, ok := values[i]; ok {
		return brief(v)
	}
	return ""
}

// Table implements Panel.
func (b *Bars) Table() (heads []string, lines [][]string) { return barTable("case", b.unit, b.bars) }

// Table implements Panel.
func (b *Steps) Table() (heads []string, lines [][]string) {
	total := 0.0
	for _, s := range b.steps {
		total += s.value
	}
	return barTable("step", b.unit, append(slices.Clone(b.steps), bar{"total", total}))
}

func barTable(head, unit string, bars []bar) (heads []string, lines [][]string) {
	for _, b := range bars {
		lines = append(lines, []string{b.name, brief(b.value)})
	}
	return []string{head, "[" + unit + "]"}, lines
}

// Table implements Panel.
func (m *Matrix) Table() (heads []string, lines [][]string) {
	order := slices.SortedFunc(maps.Keys(m.cells), func(a, b [2]int) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	for _, at := range order {
		lines = append(lines, []string{strconv.Itoa(at[0]), strconv.Itoa(at[1]), brief(m.cells[at])})
	}
	return []string{"sender", "receiver", "[" + m.unit + "]"}, lines
}
