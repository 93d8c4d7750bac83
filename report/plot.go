package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// Size of the drawing area of a Plot in characters, and the number of parts into which labels
// divide its height.
const (
	plotWidth  = 65
	plotHeight = 17
	plotParts  = 4
)

// Plot is a chart of curves, drawn with characters. Its vertical axis contains 0.
type Plot struct {
	x, y   Column
	curves []curve
}

// curve is a name, the character that it is drawn with, and points with ascending x.
type curve struct {
	name   string
	mark   rune
	xs, ys []float64
}

// NewPlot starts a chart with these axes.
func NewPlot(x, y Column) *Plot { return &Plot{x: x, y: y} }

// Add adds a curve: straight lines between points, with ascending x. It is drawn with the
// first character of its name, or another if that is taken. Where curves meet, the one
// that was added first is seen.
func (p *Plot) Add(name string, xs, ys []float64) {
	taken := func(mark rune) bool {
		return slices.ContainsFunc(p.curves, func(c curve) bool { return c.mark == mark })
	}
	mark := '*'
	for _, r := range name + "abcdefghijklmnopqrstuvwxyz" {
		if r != ' ' && !taken(r) {
			mark = r
			break
		}
	}
	p.curves = append(p.curves, curve{name, mark, xs, ys})
}

// Print writes the chart: the vertical axis with its name, curves, the horizontal axis,
// and which curve is drawn with what.
func (p *Plot) Print(w io.Writer) error {
	left, right, bottom, top := p.bounds()
	var area [plotHeight][plotWidth]rune
	for _, c := range slices.Backward(p.curves) {
		for column := range plotWidth {
			y := c.at(left + (right-left)*float64(column)/(plotWidth-1))
			if row := math.Round((top - y) / (top - bottom) * (plotHeight - 1)); row >= 0 && row < plotHeight {
				area[int(row)][column] = c.mark
			}
		}
	}
	var b strings.Builder
	fmt.Fprintln(&b, p.y.heading())
	for row, line := range area {
		label, axis := "", "│"
		if row%(plotHeight/plotParts) == 0 {
			label, axis = tick(top-(top-bottom)*float64(row)/(plotHeight-1)), "┤"
		}
		text := strings.ReplaceAll(string(line[:]), "\x00", " ")
		fmt.Fprintln(&b, strings.TrimRight(fmt.Sprintf("%8s %s%s", label, axis, text), " "))
	}
	fmt.Fprintf(&b, "%8s └%s\n", "", strings.Repeat("─", plotWidth))
	fmt.Fprintf(&b, "%8s  %-*s%s\n", "", plotWidth-len(tick(right)), tick(left), tick(right))
	legend := p.x.heading() + "; "
	for i, c := range p.curves {
		if i > 0 {
			legend += ", "
		}
		legend += fmt.Sprintf("%c: %s", c.mark, c.name)
	}
	fmt.Fprintf(&b, "%8s  %s\n", "", legend)
	_, err := io.WriteString(w, b.String())
	return err
}

// bounds returns the bounds of the axes; those of the vertical axis are round numbers.
func (p *Plot) bounds() (left, right, bottom, top float64) {
	left, right = math.Inf(1), math.Inf(-1)
	for _, c := range p.curves {
		for i, x := range c.xs {
			left, right = min(left, x), max(right, x)
			bottom, top = min(bottom, c.ys[i]), max(top, c.ys[i])
		}
	}
	step := roundUp((top - bottom) / plotParts)
	bottom = math.Floor(bottom/step) * step
	for top > bottom+plotParts*step { // because bottom was lowered
		step = roundUp(1.01 * step)
		bottom = math.Floor(bottom/step) * step
	}
	return left, right, bottom, bottom + plotParts*step
}

// roundUp returns the least of 1, 2, 2.5, 5, 10 and so on that is not below v.
func roundUp(v float64) float64 {
	if !(v > 0) || math.IsInf(v, 0) {
		return 1
	}
	unit := math.Pow(10, math.Floor(math.Log10(v)))
	for _, digit := range []float64{1, 2, 2.5, 5} {
		if v <= digit*unit {
			return digit * unit
		}
	}
	return 10 * unit
}

// at returns the height of a curve at x, NaN beside it.
func (c *curve) at(x float64) float64 {
	i, found := slices.BinarySearch(c.xs, x)
	switch {
	case found:
		return c.ys[i]
	case i == 0 || i == len(c.xs):
		return math.NaN()
	}
	part := (x - c.xs[i-1]) / (c.xs[i] - c.xs[i-1])
	return c.ys[i-1] + part*(c.ys[i]-c.ys[i-1])
}

// tick is a number beside an axis.
func tick(v float64) string { return group(fmt.Sprintf("%.6g", v)) }
