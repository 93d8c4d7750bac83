package picture

import (
	"fmt"
	"math"

	"musubi/picture/sheet"
)

// Bars is a panel of values of cases that no axis orders, a bar for each.
type Bars struct {
	title, unit string
	bars        []bar
}

type bar struct {
	name  string
	value float64
}

// Steps is a panel of a time and its parts, which follow each other: a stacked bar of them, and
// below it each part on a line of its own where it lies in the whole.
type Steps struct {
	title, unit string
	steps       []bar
}

// barLine is the height of a line with a bar, and barHeight that of the bar.
const (
	barLine   = 16
	barHeight = 10
)

// Title implements Panel.
func (b *Bars) Title() string { return b.title }

// Title implements Panel.
func (b *Steps) Title() string { return b.title }

// barArea is a panel of lines with names on the left.
func barArea(heading string, lines []bar, highest float64, unit string) (*sheet.Sheet, frame, axis) {
	widest := 0.0
	for _, b := range lines {
		widest = max(widest, sheet.LengthOf(b.name, textSize))
	}
	f := frame{left: 14 + widest, right: max(panelWidth, widest+160) - 46}
	height := barLine*float64(len(lines)) + 4
	s, down := newPanel(heading, 8, f.right+46, topMargin+height+bottomRoom)
	f.top = topMargin + down
	f.bottom = f.top + height
	if highest <= 0 {
		highest = 1 // bars without length begin where others do
	}
	x := axis{unit: unit, high: highest}
	x.tickEvenly(true)
	for _, t := range x.ticks {
		at := f.place(x.at(t.value), 0)
		s.Draw(sheet.Lines(at, sheet.Point{X: at.X, Y: f.top}), gridStyle)
		s.Write(sheet.Text{At: sheet.Point{X: at.X, Y: f.bottom + 13}, Words: t.label, Size: textSize, Anchor: 0.5})
	}
	s.Write(sheet.Text{At: sheet.Point{X: (f.left + f.right) / 2, Y: f.bottom + 28}, Words: "[" + unit + "]", Size: textSize, Anchor: 0.5})
	for i, b := range lines {
		s.Write(sheet.Text{At: sheet.Point{X: f.left - 5, Y: f.middle(i) + 3.3}, Words: b.name, Size: textSize, Anchor: 1})
	}
	return s, f, x
}

// middle returns where line i of a barArea is.
func (f frame) middle(i int) float64 { return f.top + 2 + barLine*(float64(i)+0.5) }

// bar draws a bar on a line, from one part of the axis to another.
func (f frame) bar(s *sheet.Sheet, line int, from, to float64, style sheet.Style) {
	y := f.middle(line)
	s.Draw(sheet.Box(f.place(from, 0).X, y-barHeight/2, f.place(to, 0).X, y+barHeight/2), style)
}

// value writes a number beside a bar.
func (f frame) value(s *sheet.Sheet, line int, at, v float64) {
	s.Write(sheet.Text{At: sheet.Point{X: f.place(at, 0).X + 4, Y: f.middle(line) + 3.3}, Words: brief(v), Size: textSize})
}

// brief is a number in four digits; those of whole parts are not rounded.
func brief(v float64) string {
	if math.Abs(v) >= 1000 {
		return number(math.Round(v))
	}
	return fmt.Sprintf("%.4g", v)
}

// Draw implements Panel.
func (b *Bars) Draw() *sheet.Sheet {
	highest := 0.0
	for _, bar := range b.bars {
		highest = max(highest, bar.value)
	}
	s, f, x := barArea(b.title, b.bars, highest, b.unit)
	for i, bar := range b.bars {
		f.bar(s, i, 0, x.at(bar.value), sheet.Style{Fill: Colour(0)})
		f.value(s, i, max(0, x.at(bar.value)), bar.value)
	}
	f.corner(s)
	return s
}

// Draw implements Panel.
func (b *Steps) Draw() *sheet.Sheet {
	total := 0.0
	for _, step := range b.steps {
		total += step.value
	}
	s, f, x := barArea(b.title, append([]bar{{"total", total}}, b.steps...), total, b.unit)
	before := 0.0
	for i, step := range b.steps {
		from, to := x.at(before), x.at(before+step.value)
		style := sheet.Style{Fill: shade(i), Stroke: sheet.White, Width: 0.6}
		f.bar(s, 0, from, to, style)
		f.bar(s, i+1, from, to, style)
		if (f.right-f.left)*(1-to) < 26 && from > 0.5 {
			s.Write(sheet.Text{At: sheet.Point{X: f.place(from, 0).X - 4, Y: f.middle(i+1) + 3.3}, Words: brief(step.value), Size: textSize, Anchor: 1})
		} else {
			f.value(s, i+1, to, step.value)
		}
		before += step.value
	}
	f.value(s, 0, x.at(total), total)
	f.corner(s)
	return s
}
