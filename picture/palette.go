package picture

import (
	"image/color"
	"math"

	"musubi/picture/sheet"
)

// Colours of Okabe and Ito, but yellow, which is too light for lines on white. Those that differ
// most come first.
var colours = []color.RGBA{
	{0x00, 0x72, 0xb2, 0xff}, // blue
	{0xd5, 0x5e, 0x00, 0xff}, // vermilion
	{0x00, 0x9e, 0x73, 0xff}, // bluish green
	{0xcc, 0x79, 0xa7, 0xff}, // reddish purple
	{0xe6, 0x9f, 0x00, 0xff}, // orange
	{0x56, 0xb4, 0xe9, 0xff}, // sky blue
	{0x00, 0x00, 0x00, 0xff}, // black
}

// dashes are the patterns of lines. Their number shares no factor with that of colours or markers,
// so that many curves differ in something.
var dashes = [][]float64{nil, {6, 2.5}, {1.5, 2}, {7, 2, 1.5, 2}, {10, 3}, {4, 2, 1.5, 2, 1.5, 2}}

// Colour returns the colour of the curve of a number.
func Colour(i int) color.RGBA { return colours[i%len(colours)] }

// Dashes returns the pattern of the line of a number.
func Dashes(i int) []float64 { return dashes[i%len(dashes)] }

// markerSize is the radius of markers, in points.
const markerSize = 2.8

// markers draw the marker of a curve at a place.
var markers = []func(at sheet.Point) *sheet.Path{
	func(at sheet.Point) *sheet.Path { return sheet.Circle(at, markerSize) },
	func(at sheet.Point) *sheet.Path { return regularPolygon(at, 4, math.Pi/4, 1.25) },
	func(at sheet.Point) *sheet.Path { return regularPolygon(at, 3, -math.Pi/2, 1.35) },
	func(at sheet.Point) *sheet.Path { return regularPolygon(at, 4, 0, 1.35) },
	func(at sheet.Point) *sheet.Path { return regularPolygon(at, 3, math.Pi/2, 1.35) },
}

func regularPolygon(at sheet.Point, corners int, turn, size float64) *sheet.Path {
	points := make([]sheet.Point, corners)
	for i := range points {
		sin, cos := math.Sincos(turn + 2*math.Pi*float64(i)/float64(corners))
		points[i] = sheet.Point{X: at.X + size*markerSize*cos, Y: at.Y + size*markerSize*sin}
	}
	return sheet.Polygon(points...)
}

// drawMarker draws the marker of the curve of a number, hollow or filled.
func drawMarker(s *sheet.Sheet, i int, at sheet.Point, hollow bool) {
	style := sheet.Style{Stroke: Colour(i), Fill: Colour(i), Width: 1}
	if hollow {
		style.Fill = sheet.White
	}
	s.Draw(markers[i%len(markers)](at), style)
}

// heat are the colours of a scale from little to much: ever darker, so that the order is seen in
// grey as well.
var heat = []color.RGBA{{0xd9, 0xe5, 0xee, 0xff}, {0xa6, 0xd4, 0xee, 0xff}, {0x56, 0xb4, 0xe9, 0xff}, {0x00, 0x72, 0xb2, 0xff}, {0x05, 0x20, 0x38, 0xff}}

// Heat returns the colour of a part from 0 to 1.
func Heat(part float64) color.RGBA {
	at := min(max(part, 0), 1) * float64(len(heat)-1)
	i := min(int(at), len(heat)-2)
	mix := func(a, b uint8) uint8 { return uint8(float64(a) + (at-float64(i))*(float64(b)-float64(a)) + 0.5) }
	a, b := heat[i], heat[i+1]
	return color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 0xff}
}

// shade returns the colour of a part of a stacked bar. Neighbours differ in lightness.
func shade(i int) color.RGBA { return colours[[]int{0, 4, 2, 5, 1, 3}[i%6]] }
