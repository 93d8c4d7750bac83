// Package sheet is paper to draw on: lines, areas and text with places in points, which it writes
// as SVG, PNG or PDF. Equal drawings give equal bytes.
//
// Text is set in Liberation Sans, whose widths are those of Arial and Helvetica. PNG and PDF have
// the font inside. SVG names it and its likes, so that files are small and text can be searched.
package sheet

import (
	"fmt"
	"image/color"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// Point is a place: points (1/72 inch) to the right and down from the upper left corner.
type Point struct{ X, Y float64 }

// Colours without a name elsewhere.
var (
	Black = color.RGBA{A: 0xff}
	White = color.RGBA{0xff, 0xff, 0xff, 0xff}
	Grey  = color.RGBA{0x66, 0x66, 0x66, 0xff}
	Light = color.RGBA{0xdd, 0xdd, 0xdd, 0xff}
)

// Style says how a path looks. A colour whose A is 0 is not drawn.
type Style struct {
	Stroke, Fill color.RGBA
	Width        float64   // of the stroke, in points
	Dash         []float64 // lengths of dashes and gaps; nil for a line without gaps
}

// Path is a row of straight lines and cubic Bézier curves.
type Path struct {
	start  Point
	parts  []part
	closed bool
}

// part leads to the last of its points; a curve has two control points before.
type part [3]Point

func line(to Point) part             { return part{to, to, to} }
func (p part) isLine() bool          { return p[0] == p[2] && p[1] == p[2] }
func (p *Path) add(q part)           { p.parts = append(p.parts, q) }
func (p *Path) LineTo(to Point)      { p.add(line(to)) }
func (p *Path) Curve(a, b, to Point) { p.add(part{a, b, to}) }

// From starts a path.
func From(start Point) *Path { return &Path{start: start} }

// Lines is a path of straight lines.
func Lines(points ...Point) *Path {
	p := From(points[0])
	for _, to := range points[1:] {
		p.LineTo(to)
	}
	return p
}

// Polygon is a closed path of straight lines.
func Polygon(points ...Point) *Path {
	p := Lines(points...)
	p.closed = true
	return p
}

// Box is a rectangle.
func Box(left, top, right, bottom float64) *Path {
	return Polygon(Point{left, top}, Point{right, top}, Point{right, bottom}, Point{left, bottom})
}

// round is where the control points of a quarter of a circle are.
const round = 0.5522847498

// Circle is a circle.
func Circle(at Point, r float64) *Path {
	k := r * round
	p := From(Point{at.X + r, at.Y})
	p.Curve(Point{at.X + r, at.Y + k}, Point{at.X + k, at.Y + r}, Point{at.X, at.Y + r})
	p.Curve(Point{at.X - k, at.Y + r}, Point{at.X - r, at.Y + k}, Point{at.X - r, at.Y})
	p.Curve(Point{at.X - r, at.Y - k}, Point{at.X - k, at.Y - r}, Point{at.X, at.Y - r})
	p.Curve(Point{at.X + k, at.Y - r}, Point{at.X + r, at.Y - k}, Point{at.X + r, at.Y})
	p.closed = true
	return p
}

// Text is words at a place.
type Text struct {
	At     Point // on the base line
	Words  string
	Size   float64 // of the font, in points
	Anchor float64 // part of the words that is left of At: 0, 0.5 or 1
	Up     bool    // reads from below to above
	Bold   bool
	Colour color.RGBA // black if it has no A
}

// Sheet is what has been drawn.
type Sheet struct {
	Width, Height float64
	Title         string // what it shows, for those who do not see it
	marks         []mark
}

// mark is a path with its style, or a text.
type mark struct {
	path  *Path
	style Style
	text  Text
}

// New returns an empty sheet.
func New(width, height float64) *Sheet { return &Sheet{Width: width, Height: height} }

// Draw draws a path.
func (s *Sheet) Draw(p *Path, style Style) { s.marks = append(s.marks, mark{path: p, style: style}) }

// Write writes words.
func (s *Sheet) Write(t Text) {
	if t.Colour.A == 0 {
		t.Colour = Black
	}
	s.marks = append(s.marks, mark{text: t})
}

// Put copies another sheet to a place.
func (s *Sheet) Put(other *Sheet, at Point) {
	for _, m := range other.marks {
		m.text.At = at.plus(m.text.At)
		if m.path != nil {
			m.path = m.path.moved(at)
		}
		s.marks = append(s.marks, m)
	}
}

func (p Point) plus(q Point) Point { return Point{p.X + q.X, p.Y + q.Y} }

func (p *Path) moved(by Point) *Path {
	q := &Path{start: p.start.plus(by), closed: p.closed}
	for _, at := range p.parts {
		q.add(part{at[0].plus(by), at[1].plus(by), at[2].plus(by)})
	}
	return q
}

// Formats of files, by their extensions.
var formats = []struct {
	extension string
	encode    func(s *Sheet, w io.Writer) error
}{{".svg", (*Sheet).WriteSVG}, {".png", (*Sheet).writePNG}, {".pdf", (*Sheet).writePDF}}

// Extensions lists the extensions of files that Encode knows.
func Extensions() []string {
	var all []string
	for _, f := range formats {
		all = append(all, f.extension)
	}
	return all
}

// CheckName refuses names of files whose extension is none of Extensions.
func CheckName(path string) error {
	if !slices.Contains(Extensions(), extension(path)) {
		return fmt.Errorf("%s: its extension names no format of pictures; expected one of %s", path, strings.Join(Extensions(), ", "))
	}
	return nil
}

func extension(path string) string { return strings.ToLower(filepath.Ext(path)) }

// Encode writes the sheet in the format that the extension of a path names.
func (s *Sheet) Encode(w io.Writer, path string) error {
	if err := CheckName(path); err != nil {
		return err
	}
	for _, f := range formats {
		if f.extension == extension(path) {
			return f.encode(s, w)
		}
	}
	panic("CheckName knows more formats")
}
