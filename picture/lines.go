package picture

import (
	"fmt"
	"math"

	"musubi/picture/sheet"
)

// Lines is a panel of curves.
type Lines struct {
	title  string
	x, y   axis
	curves []curve
	left   int // curves that are not drawn
}

// curve is points in order of x.
type curve struct {
	name   string
	points []point
	smooth bool // the points are as many as one likes, and have no markers
}

type point struct {
	x, y   float64
	hollow bool
}

// Sizes within a panel, in points.
const (
	panelWidth  = 350
	panelHeight = 250
	leftMargin  = 58
	rightMargin = 16
	topMargin   = 26
	bottomRoom  = 38
	legendLine  = 14
	textSize    = 9.5
	titleSize   = 11
	titleLine   = 13
)

// Title implements Panel.
func (l *Lines) Title() string { return l.title }

// Draw implements Panel.
func (l *Lines) Draw() *sheet.Sheet {
	names := l.legend()
	legend := layLegend(names, panelWidth-leftMargin-rightMargin)
	s, down := newPanel(l.title, leftMargin, max(panelWidth, leftMargin+legend.width()+rightMargin), panelHeight+legend.height)
	f := frame{leftMargin, topMargin + down, panelWidth - rightMargin, panelHeight - bottomRoom + down}
	f.axes(s, &l.x, &l.y)
	for i := range l.curves {
		l.curves[i].draw(s, f, i, &l.x, &l.y)
	}
	legend.draw(s, sheet.Point{X: leftMargin, Y: panelHeight + down + 4}, func(i int, at sheet.Point) {
		s.Draw(sheet.Lines(sheet.Point{X: at.X, Y: at.Y}, sheet.Point{X: at.X + sampleWidth, Y: at.Y}), lineStyle(i))
		if !l.curves[i].smooth {
			drawMarker(s, i, sheet.Point{X: at.X + sampleWidth/2, Y: at.Y}, false)
		}
	})
	return s
}

// newPanel begins a panel with its title, which is broken into lines. It returns how far the lines
// beyond the first one move down what is below; the sheet is so much higher.
func newPanel(title string, left, width, height float64) (s *sheet.Sheet, down float64) {
	lines := sheet.Wrap(title, titleSize, width-left-8, true)
	down = titleLine * float64(max(0, len(lines)-1))
	s = sheet.New(width, height+down)
	s.Title = title
	for i, words := range lines {
		s.Write(sheet.Text{At: sheet.Point{X: left, Y: 14 + titleLine*float64(i)}, Words: words, Size: titleSize, Bold: true})
	}
	return s, down
}

// legend names the curves if there are several, and what hollow markers mean.
func (l *Lines) legend() []string {
	var names []string
	hollow := false
	for _, c := range l.curves {
		if len(l.curves) > 1 {
			names = append(names, c.name)
		}
		for _, p := range c.points {
			hollow = hollow || p.hollow
		}
	}
	if hollow {
		names = append(names, "(hollow: saturated)")
	}
	if l.left > 0 {
		names = append(names, fmt.Sprintf("(%d more are not drawn)", l.left))
	}
	return names
}

func lineStyle(i int) sheet.Style {
	return sheet.Style{Stroke: Colour(i), Width: 1.4, Dash: Dashes(i)}
}

func (c *curve) draw(s *sheet.Sheet, f frame, i int, x, y *axis) {
	places := make([]sheet.Point, len(c.points))
	for i, p := range c.points {
		places[i] = f.place(x.at(p.x), y.at(p.y))
	}
	s.Draw(sheet.Lines(places...), lineStyle(i))
	for k, p := range c.points {
		if !c.smooth {
			drawMarker(s, i, places[k], p.hollow)
		}
	}
}

// frame is the area of a panel within its axes.
type frame struct{ left, top, right, bottom float64 }

func (f frame) place(x, y float64) sheet.Point {
	return sheet.Point{X: f.left + x*(f.right-f.left), Y: f.bottom - y*(f.bottom-f.top)}
}

var (
	gridStyle = sheet.Style{Stroke: sheet.Light, Width: 0.6}
	axisStyle = sheet.Style{Stroke: sheet.Black, Width: 0.8}
)

// axes draws grid, axes, labels and names.
func (f frame) axes(s *sheet.Sheet, x, y *axis) {
	f.vertical(s, y)
	for _, t := range x.ticks {
		at := f.place(x.at(t.value), 0)
		s.Draw(sheet.Lines(at, sheet.Point{X: at.X, Y: f.top}), gridStyle)
		s.Draw(sheet.Lines(at, sheet.Point{X: at.X, Y: f.bottom + 3}), axisStyle)
		s.Write(sheet.Text{At: sheet.Point{X: at.X, Y: f.bottom + 13}, Words: t.label, Size: textSize, Anchor: 0.5})
	}
	f.corner(s)
	s.Write(sheet.Text{At: sheet.Point{X: (f.left + f.right) / 2, Y: f.bottom + 28}, Words: x.headingIn(f.right - f.left), Size: textSize, Anchor: 0.5})
}

// vertical draws the grid and the labels of the axis of values.
func (f frame) vertical(s *sheet.Sheet, y *axis) {
	widest := 0.0
	for _, t := range y.ticks {
		at := f.place(0, y.at(t.value))
		s.Draw(sheet.Lines(at, sheet.Point{X: f.right, Y: at.Y}), gridStyle)
		s.Draw(sheet.Lines(at, sheet.Point{X: f.left - 3, Y: at.Y}), axisStyle)
		s.Write(sheet.Text{At: sheet.Point{X: f.left - 5, Y: at.Y + 3.3}, Words: t.label, Size: textSize, Anchor: 1})
		widest = max(widest, sheet.LengthOf(t.label, textSize))
	}
	s.Write(sheet.Text{At: sheet.Point{X: max(9, f.left-12-widest), Y: (f.top + f.bottom) / 2}, Words: y.headingIn(f.bottom - f.top), Size: textSize, Anchor: 0.5, Up: true})
}

// corner draws the axes themselves.
func (f frame) corner(s *sheet.Sheet) {
	s.Draw(sheet.Lines(sheet.Point{X: f.left, Y: f.top}, sheet.Point{X: f.left, Y: f.bottom}, sheet.Point{X: f.right, Y: f.bottom}), axisStyle)
}

// legend is where names stand: in rows and columns of equal width.
type legend struct {
	names   []string
	columns int
	column  float64 // width
	height  float64
}

// sampleWidth is the width of the sample before a name.
const sampleWidth = 26

func layLegend(names []string, width float64) legend {
	l := legend{names: names, columns: 1}
	if len(names) == 0 {
		return l
	}
	l.column = width / 4
	for _, name := range names {
		if name[0] != '(' {
			l.column = max(l.column, sampleWidth+18+sheet.LengthOf(name, textSize))
		}
	}
	l.columns = min(max(1, int(width/l.column)), len(names))
	l.height = legendLine*math.Ceil(float64(len(names))/float64(l.columns)) + 4
	return l
}

// width is that of all columns.
func (l *legend) width() float64 { return float64(l.columns) * l.column }

// draw writes the names, with a sample before each that is drawn at the place it is given.
func (l *legend) draw(s *sheet.Sheet, at sheet.Point, sample func(i int, at sheet.Point)) {
	for i, name := range l.names {
		p := sheet.Point{X: at.X + float64(i%l.columns)*l.column, Y: at.Y + legendLine*float64(i/l.columns) + 4}
		x := p.X
		if name[0] != '(' { // a remark
			sample(i, p)
			x += sampleWidth + 5
		}
		s.Write(sheet.Text{At: sheet.Point{X: x, Y: p.Y + 3.3}, Words: name, Size: textSize})
	}
}
