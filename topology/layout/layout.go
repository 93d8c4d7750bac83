// Package layout gives the switches of a network places on a plane, for drawings: by their
// coordinates, in layers, in groups, or so that distances on the plane follow those in the network.
//
// Equal networks get equal places.
package layout

import (
	"fmt"
	"math"
	"slices"

	"musubi/topology"
)

// Point is a place. The least distance of neighbours is about 1; Y counts upwards.
type Point struct{ X, Y float64 }

// Way is how places are found.
type Way string

// Ways, in the order in which they are tried.
const (
	Coordinates Way = "coordinates" // the network has a shape
	Layers      Way = "layers"      // each link joins neighbouring levels above the hosts: trees and Clos networks
	Groups      Way = "groups"      // racks that the network names, or equal groups of switches that are all linked with each other: dragonflies and full meshes
	Distances   Way = "distances"   // any other network
)

// Places is where the switches of a network are.
type Places struct {
	Way Way
	At  []Point // by switch
}

// maxDistances is the number of switches up to which Distances is possible: it looks at all pairs.
const maxDistances = 1000

// Of finds places. It fails for networks of more than 1,000 switches that are neither regular nor
// layered.
func Of(net *topology.Network) (Places, error) {
	if net.Shape != nil {
		return Places{Coordinates, byCoordinates(net)}, nil
	}
	if at := inLayers(net); at != nil {
		return Places{Layers, at}, nil
	}
	if at := inGroups(net); at != nil {
		return Places{Groups, at}, nil
	}
	if n := len(net.Switches); n > maxDistances {
		return Places{}, fmt.Errorf("%s has %d switches and neither coordinates, layers nor groups; expected at most %d switches to find places for", net.Name, n, maxDistances)
	}
	return Places{Distances, byDistances(net)}, nil
}

// byCoordinates draws a ring as a circle, and up to three dimensions as a body seen from its corner. Of
// more, each three make a body of the bodies of the three before; the last three of a Tofu are inside.
func byCoordinates(net *topology.Network) []Point {
	if circular(net.Shape) {
		return onCircles(net, [][]int{orderedSwitches(net)})
	}
	order := make([]int, len(net.Shape.Dims))
	for i := range order {
		order[i] = i
		if net.Shape.Kind == "tofu" {
			order[i] = (i + 3) % 6
		}
	}
	bodies := nest(net.Shape.Dims, order)
	at := make([]Point, len(net.Switches))
	var c []int
	for sw := range at {
		c = net.Shape.Coordinates(c[:0], sw)
		for _, b := range bodies {
			p := b.place(c)
			at[sw].X += p.X
			at[sw].Y += p.Y
		}
	}
	return at
}

// circular reports whether a shape is a ring, or one line of switches that are all linked.
func circular(s *topology.Shape) bool {
	return len(s.Dims) == 1 && (s.Wrap[0] || s.Full)
}

func orderedSwitches(net *topology.Network) []int {
	order := make([]int, len(net.Switches))
	for sw := range order {
		order[sw] = sw
	}
	return order
}

// body is up to three dimensions, and how far neighbours in each are from each other.
type body struct {
	dims  []int
	steps []Point
}

func (b *body) place(coordinates []int) Point {
	var p Point
	for i, d := range b.dims {
		p.X += float64(coordinates[d]) * b.steps[i].X
		p.Y += float64(coordinates[d]) * b.steps[i].Y
	}
	return p
}

// nest makes bodies of three dimensions each, in an order, from the innermost.
func nest(sizes, order []int) []body {
	var bodies []body
	width, height := 1.0, 1.0 // of what is inside
	for i := 0; i < len(order); i += 3 {
		b := body{dims: order[i:min(i+3, len(order))]}
		size := func(k int) float64 {
			if k < len(b.dims) {
				return float64(sizes[b.dims[k]])
			}
			return 1
		}
		depth := Point{}
		if size(2) > 1 { // the third dimension fills a part of the step of the others
			depth = Point{0.55 * width, 0.4 * height}
			if i > 0 {
				depth.X = width // bodies do not cover each other
			}
		}
		across := width + (size(2)-1)*depth.X
		up := height + (size(2)-1)*depth.Y
		b.steps = []Point{{X: across}, {Y: up}, depth}[:len(b.dims)]
		bodies = append(bodies, b)
		width, height = across*size(0)*1.25, up*size(1)*1.25
	}
	return bodies
}

// inGroups puts racks or equal cliques on a circle, each a circle itself; nil if the network does not
// consist of them.
func inGroups(net *topology.Network) []Point {
	groups := cliques
	if net.Racks != nil {
		groups = racks
	}
	return onCircles(net, groups(net))
}

// racks returns the switches of each rack.
func racks(net *topology.Network) [][]int {
	groups := make([][]int, slices.Max(net.Racks)+1)
	for sw, rack := range net.Racks {
		groups[rack] = append(groups[rack], sw)
	}
	return groups
}

// onCircles puts groups on a circle, each a circle itself; nil if there are none.
func onCircles(net *topology.Network, groups [][]int) []Point {
	if groups == nil {
		return nil
	}
	at := make([]Point, len(net.Switches))
	size := 0 // of the largest
	for _, group := range groups {
		size = max(size, len(group))
	}
	inner := math.Max(0.6, float64(size)/(2*math.Pi)*1.1)
	outer := 0.0
	if len(groups) > 1 {
		outer = math.Max(float64(len(groups))*(2*inner+1.5)/(2*math.Pi), 2*inner)
	}
	for g, group := range groups {
		turn := math.Pi/2 - 2*math.Pi*float64(g)/float64(len(groups))
		center := onCircle(outer, turn)
		for i, sw := range group {
			p := onCircle(inner, turn-2*math.Pi*float64(i)/float64(len(group)))
			at[sw] = Point{center.X + p.X, center.Y + p.Y}
		}
	}
	return at
}

func onCircle(radius, angle float64) Point {
	sin, cos := math.Sincos(angle)
	return Point{radius * cos, radius * sin}
}

// cliques divides the network into cliques of one size of at least three switches, at least three
// of them unless there is one only. It returns nil if that fails.
func cliques(net *topology.Network) [][]int {
	linked := neighbours(net)
	taken := make([]bool, len(net.Switches))
	var groups [][]int
	for sw := range net.Switches {
		if taken[sw] {
			continue
		}
		group := cliqueOf(sw, linked, taken)
		if len(group) < 3 || len(groups) > 0 && len(group) != len(groups[0]) {
			return nil
		}
		for _, member := range group {
			taken[member] = true
		}
		groups = append(groups, group)
	}
	if len(groups) == 2 || len(groups) == 0 {
		return nil
	}
	return groups
}

// neighbours returns the set of switches that each switch is linked to.
func neighbours(net *topology.Network) []map[int]bool {
	linked := make([]map[int]bool, len(net.Switches))
	for sw := range linked {
		linked[sw] = map[int]bool{}
		for _, c := range net.Out(sw) {
			linked[sw][net.To(int(c)).Switch] = true
		}
	}
	return linked
}
