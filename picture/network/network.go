// Package network draws networks: switches where package layout places them, hosts around them,
// links coloured by what they carry, and a cycle of channels that wait for each other, in red, with
// the flows that hold them.
package network

import (
	"fmt"
	"math"

	"musubi/picture"
	"musubi/picture/sheet"
	"musubi/topology"
	"musubi/topology/layout"
)

// Drawing is what to draw of a network.
type Drawing struct {
	Net          *topology.Network
	Title, Under string
	// Load is what each channel of the network carries, and Unit its unit; nil if links have no
	// colours. Most is what the darkest colour stands for; 0: the largest load.
	Load []float64
	Unit string
	Most float64
	// Cycle lists channels, each held while waiting for the next, and the last for the first.
	Cycle []Hold
}

// Hold is a channel of a cycle, and the flow that holds it.
type Hold struct {
	Channel, VC int
	Flow        string // from where to where
	Way         []int  // channels of the flow
}

// Sizes in points.
const (
	wanted     = 640 // extent of a drawing, if its switches find room
	margin     = 34
	head       = 44
	mostStep   = 64 // distance of neighbours
	leastStep  = 5
	nodePart   = 0.24 // radius of a switch, as a part of that distance
	mostNode   = 11
	labelled   = 6.5 // radius of switches from which they have a label
	scaleRoom  = 70
	listLine   = 14
	textSize   = 9.5
	manyFlows  = 7 // of a cycle that are drawn
	manyHosts  = 4 // of a switch that are drawn
	hostRadius = 1.8
)

// red is for cycles alone.
var red = rgb(0xc4, 0x00, 0x00)

// canvas is a drawing under way.
type canvas struct {
	Drawing
	*sheet.Sheet
	at     []sheet.Point // of switches
	step   float64       // distance of neighbours
	radius float64       // of a switch
	way    layout.Way
}

// Draw draws a network. It fails for those that package layout finds no places for.
func Draw(d Drawing) (*sheet.Sheet, error) {
	c, err := newCanvas(d)
	if err != nil {
		return nil, err
	}
	c.Sheet.Title = d.Title
	title := sheet.Text{At: sheet.Point{X: 12, Y: 18}, Words: d.Title, Size: 13, Bold: true}
	under := sheet.Text{At: sheet.Point{X: 12, Y: 33}, Words: d.Under, Size: textSize, Colour: sheet.Grey}
	c.Write(title)
	c.Write(under)
	c.links()
	c.flows()
	c.cycle()
	c.switches()
	c.numbers()
	c.explain()
	c.Width = max(c.Width, 24+title.Length(), 24+under.Length())
	return c.Sheet, nil
}

// newCanvas finds out how large everything is.
func newCanvas(d Drawing) (*canvas, error) {
	places, err := layout.Of(d.Net)
	if err != nil {
		return nil, err
	}
	low, high := bounds(places.At)
	c := &canvas{Drawing: d, way: places.Way}
	extent := math.Max(math.Max(high.X-low.X, high.Y-low.Y), 1)
	c.step = math.Min(math.Max(wanted/extent, leastStep), mostStep)
	c.radius = math.Min(nodePart*c.step, mostNode)
	if places.Way == layout.Distances { // some lie close together
		room := math.Sqrt((high.X - low.X + 1) * (high.Y - low.Y + 1) / float64(len(places.At)))
		c.radius = math.Min(c.radius, 0.27*c.step*room)
	}
	bottom := head + margin + c.step*(high.Y-low.Y)
	for _, p := range places.At {
		c.at = append(c.at, sheet.Point{X: margin + c.step*(p.X-low.X), Y: bottom - c.step*(p.Y-low.Y)})
	}
	width := 2*margin + c.step*(high.X-low.X)
	if d.Load != nil {
		width += scaleRoom
	}
	width = math.Max(width, 24+math.Max(sheet.LengthOf(d.Under, textSize), 1.1*sheet.LengthOf(d.Title, 13)))
	c.Sheet = sheet.New(width, bottom+margin)
	return c, nil
}

func bounds(at []layout.Point) (low, high layout.Point) {
	if len(at) == 0 {
		return low, high
	}
	low, high = at[0], at[0]
	for _, p := range at {
		low = layout.Point{X: math.Min(low.X, p.X), Y: math.Min(low.Y, p.Y)}
		high = layout.Point{X: math.Max(high.X, p.X), Y: math.Max(high.Y, p.Y)}
	}
	return low, high
}

// most returns what the darkest colour stands for.
func (c *canvas) most() float64 {
	if c.Most > 0 {
		return c.Most
	}
	most := 0.0
	for _, load := range c.Load {
		most = math.Max(most, load)
	}
	if most == 0 {
		return 1
	}
	return most
}

// switches draws the switches, with numbers where there is room, and their hosts.
func (c *canvas) switches() {
	for sw, at := range c.at {
		c.hosts(sw)
		c.Draw(sheet.Circle(at, c.radius), sheet.Style{Fill: sheet.White, Stroke: sheet.Black, Width: math.Min(1, c.radius/6)})
		if c.radius >= labelled {
			c.label(sw, at)
		}
	}
}

// label writes the name of a switch into its circle, or its number if that is too long.
func (c *canvas) label(sw int, at sheet.Point) {
	name, size := c.Net.SwitchName(sw), c.radius*0.8
	if sheet.LengthOf(name, size) > 1.8*c.radius {
		name = fmt.Sprint(sw)
	}
	c.Write(sheet.Text{At: sheet.Point{X: at.X, Y: at.Y + 0.36*size}, Words: name, Size: size, Anchor: 0.5})
}

// hosts draws the end points of a switch as dots: below it in layers, and else to the lower right.
func (c *canvas) hosts(sw int) {
	if c.radius < labelled {
		return
	}
	n := min(len(c.Net.EndPointsAt(sw)), manyHosts)
	for i := range n {
		middle := math.Pi / 4
		if c.way == layout.Layers {
			middle = math.Pi / 2
		}
		sin, cos := math.Sincos(middle + 0.34*(float64(i)-float64(n-1)/2))
		at := c.at[sw]
		reach := c.radius + 5
		end := sheet.Point{X: at.X + reach*cos, Y: at.Y + reach*sin}
		c.Draw(sheet.Lines(at, end), sheet.Style{Stroke: sheet.Grey, Width: 0.6})
		c.Draw(sheet.Circle(end, hostRadius), sheet.Style{Fill: sheet.Grey})
	}
}

// explain draws what colours mean, and lists the channels and the flows of the cycle.
func (c *canvas) explain() {
	if c.Load != nil {
		height := math.Min(math.Max(c.Height-head-2*margin, 60), 220)
		picture.HeatScale(c.Sheet, sheet.Point{X: c.Width - scaleRoom + 8, Y: head + margin/2}, height, c.most(), c.Unit)
	}
	if len(c.Cycle) == 0 {
		return
	}
	words := fmt.Sprintf("red: %d channels, each held while waiting for the next", len(c.Cycle))
	c.line(words, nil, true)
	for i, h := range c.Cycle[:min(len(c.Cycle), 2*manyFlows)] {
		from, to := c.Net.From(h.Channel), c.Net.To(h.Channel)
		words := fmt.Sprintf("%d  %s[%d] → %s[%d] VC %d, held by %s", i+1, c.Net.SwitchName(from.Switch), from.Number, c.Net.SwitchName(to.Switch), to.Number, h.VC, h.Flow)
		var style *sheet.Style
		if i < manyFlows && len(h.Way) > 0 {
			flow := flowStyle(i)
			style = &flow
		}
		c.line(words, style, false)
	}
	if more := len(c.Cycle) - 2*manyFlows; more > 0 {
		c.line(fmt.Sprintf("and %d more", more), nil, false)
	}
}

// line adds a line of text below the drawing, with a sample of a line before it.
func (c *canvas) line(words string, sample *sheet.Style, bold bool) {
	at := sheet.Point{X: 12, Y: c.Height}
	if !bold {
		at.X += 32
	}
	if sample != nil {
		c.Draw(sheet.Lines(sheet.Point{X: 12, Y: at.Y - 3}, sheet.Point{X: 38, Y: at.Y - 3}), *sample)
	}
	c.Write(sheet.Text{At: at, Words: words, Size: textSize, Bold: bold})
	c.Width = math.Max(c.Width, at.X+sheet.LengthOf(words, textSize)*1.06+12)
	c.Height += listLine
}
