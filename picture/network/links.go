package network

import (
	"fmt"
	"image/color"
	"math"

	"musubi/picture"
	"musubi/picture/sheet"
	"musubi/topology/layout"
)

func rgb(r, g, b uint8) color.RGBA { return color.RGBA{R: r, G: g, B: b, A: 0xff} }

// links draws all links: as one line each, or if they have loads as one for each direction, to the
// right of its way.
func (c *canvas) links() {
	parallel := map[[2]int]int{} // links drawn between two switches
	for i, l := range c.Net.Links {
		if l.A.Switch == l.B.Switch {
			continue
		}
		key := [2]int{l.A.Switch, l.B.Switch}
		side := 0.22 * c.radius * float64((parallel[key]+1)/2)
		if parallel[key]%2 == 1 {
			side = -side
		}
		parallel[key]++
		if c.Load == nil {
			c.Draw(c.curve(2*i, side), sheet.Style{Stroke: sheet.Grey, Width: math.Min(1, c.radius/5)})
			continue
		}
		for channel := 2 * i; channel <= 2*i+1; channel++ {
			c.loaded(channel, side)
		}
	}
}

// loaded draws a channel in the colour of what it carries, and the thicker the more.
func (c *canvas) loaded(channel int, side float64) {
	part := c.Load[channel] / c.most()
	thick := math.Min(4.2, 0.5*c.radius)
	style := sheet.Style{Stroke: sheet.Light, Width: 0.2 * thick}
	if part > 0 {
		style = sheet.Style{Stroke: picture.Heat(part), Width: thick * (0.3 + 0.7*part)}
	}
	if channel%2 == 1 {
		side = -side
	}
	c.Draw(c.curve(channel, side-0.55*thick), style)
}

// curve is the way of a channel from the middle of a switch to that of the next, moved to the left
// by so many points. Links bend around switches between.
func (c *canvas) curve(channel int, left float64) *sheet.Path {
	from, to := c.at[c.Net.From(channel).Switch], c.at[c.Net.To(channel).Switch]
	along, across := directions(from, to)
	bend := c.bend(channel)
	start := plus(from, scaled(across, left))
	end := plus(to, scaled(across, left))
	if bend == 0 {
		return sheet.Lines(start, end)
	}
	length := math.Hypot(to.X-from.X, to.Y-from.Y)
	p := sheet.From(start)
	p.Curve(plus(start, plus(scaled(along, 0.2*length), scaled(across, bend))), plus(end, plus(scaled(along, -0.2*length), scaled(across, bend))), end)
	return p
}

// directions returns unit vectors from one point to another, and to the left of that.
func directions(from, to sheet.Point) (along, left sheet.Point) {
	dx, dy := to.X-from.X, to.Y-from.Y
	length := math.Max(math.Hypot(dx, dy), 1e-9)
	return sheet.Point{X: dx / length, Y: dy / length}, sheet.Point{X: dy / length, Y: -dx / length}
}

func plus(a, b sheet.Point) sheet.Point            { return sheet.Point{X: a.X + b.X, Y: a.Y + b.Y} }
func scaled(a sheet.Point, by float64) sheet.Point { return sheet.Point{X: a.X * by, Y: a.Y * by} }

// bend returns how far a channel bends to the left, in points.
func (c *canvas) bend(channel int) float64 { return layout.Bend(c.Net, channel) * c.step }

// cycle draws the channels of a cycle as arrows.
func (c *canvas) cycle() {
	width := c.arrowWidth()
	for _, h := range c.Cycle {
		path := c.curve(h.Channel, -1.2*width)
		c.Draw(path, sheet.Style{Stroke: red, Width: width})
		tip, along := c.arrow(h.Channel, -1.2*width)
		_, left := directions(sheet.Point{}, along)
		size := 2.1 * width
		back := plus(tip, scaled(along, -2*size))
		c.Draw(sheet.Polygon(tip, plus(back, scaled(left, size)), plus(back, scaled(left, -size))), sheet.Style{Fill: red})
	}
}

// arrowWidth is the width of the lines of a cycle.
func (c *canvas) arrowWidth() float64 { return math.Min(2.6, math.Max(1, c.radius/4)) }

// numbers writes the numbers of the channels of a cycle beside their arrows, on white.
func (c *canvas) numbers() {
	if c.radius < labelled {
		return
	}
	for i, h := range c.Cycle {
		tip, along := c.arrow(h.Channel, -1.2*c.arrowWidth())
		_, left := directions(sheet.Point{}, along)
		at := plus(tip, plus(scaled(left, -10), scaled(along, -4)))
		c.Draw(sheet.Circle(at, 6), sheet.Style{Fill: sheet.White, Stroke: red, Width: 0.8})
		c.Write(sheet.Text{At: sheet.Point{X: at.X, Y: at.Y + 3}, Words: fmt.Sprint(i + 1), Size: 8.5, Anchor: 0.5, Bold: true, Colour: red})
	}
}

// arrowAt is the part of a channel at which its arrow is: not in the middle, where a switch may lie.
const arrowAt = 0.38

// arrow returns the place of the arrow of a channel, and its direction there.
func (c *canvas) arrow(channel int, left float64) (sheet.Point, sheet.Point) {
	from, to := c.at[c.Net.From(channel).Switch], c.at[c.Net.To(channel).Switch]
	along, across := directions(from, to)
	at := plus(from, scaled(plus(to, scaled(from, -1)), arrowAt))
	at = plus(at, scaled(across, left+0.75*c.bend(channel)))
	return plus(at, scaled(along, 4)), along
}

func flowStyle(i int) sheet.Style {
	return sheet.Style{Stroke: picture.Colour(i), Width: 1.3, Dash: picture.Dashes(1 + i)}
}

// flows draws the ways of the flows that hold the channels of the cycle, beside the links.
func (c *canvas) flows() {
	for i, h := range c.Cycle[:min(len(c.Cycle), manyFlows)] {
		for _, channel := range h.Way {
			c.Draw(c.curve(channel, 2.6+1.7*float64(i)*math.Min(1, c.radius/9)), flowStyle(i))
		}
	}
}
