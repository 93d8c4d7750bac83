package layout

import (
	"cmp"
	"slices"

	"musubi/topology"
)

// sweeps is how often another order of layers is tried. One that saves less than a tenth of the
// lengths is not worth numbers out of order.
const sweeps = 8

// inLayers puts switches in layers by their distance from hosts, the nearest below; nil if a link
// does not join neighbouring layers, or there is one layer only.
func inLayers(net *topology.Network) []Point {
	level := net.SwitchLevels()
	if len(level) == 0 || slices.Max(level) == 0 {
		return nil
	}
	for _, l := range net.Links {
		if d := level[l.A.Switch] - level[l.B.Switch]; d != 1 && d != -1 {
			return nil
		}
	}
	layers := make([][]int, slices.Max(level)+1)
	for sw, at := range level {
		layers[at] = append(layers[at], sw)
	}
	x := make([]float64, len(net.Switches))
	spread(layers, x)
	best, length := slices.Clone(x), total(net, x)
	for i := range sweeps {
		order(net, layers, x, i%2 == 0)
		if now := total(net, x); now < 0.9*length {
			best, length = slices.Clone(x), now
		}
	}
	at := make([]Point, len(net.Switches))
	height := max(2, float64(widest(layers))/6)
	for sw := range at {
		at[sw] = Point{best[sw], height * float64(level[sw])}
	}
	return at
}

func widest(layers [][]int) int {
	most := 0
	for _, layer := range layers {
		most = max(most, len(layer))
	}
	return most
}

// spread gives the switches of each layer equal distances across the widest layer.
func spread(layers [][]int, x []float64) {
	width := float64(widest(layers))
	for _, layer := range layers {
		for i, sw := range layer {
			x[sw] = (float64(i) + 0.5) * width / float64(len(layer))
		}
	}
}

// order sorts each layer by the mean place of its neighbours in the layer before, upwards or
// downwards.
func order(net *topology.Network, layers [][]int, x []float64, upwards bool) {
	level := net.SwitchLevels()
	for i := range layers {
		at, step := i, -1
		if !upwards {
			at, step = len(layers)-1-i, 1
		}
		mean := make(map[int]float64, len(layers[at]))
		for _, sw := range layers[at] {
			sum, n := 0.0, 0
			for _, c := range net.Out(sw) {
				if other := net.To(int(c)).Switch; level[other] == at+step {
					sum, n = sum+x[other], n+1
				}
			}
			mean[sw] = x[sw]
			if n > 0 {
				mean[sw] = sum / float64(n)
			}
		}
		slices.SortStableFunc(layers[at], func(a, b int) int { return cmp.Compare(mean[a], mean[b]) })
		spread(layers, x)
	}
}

// total is the length of all links across the layers.
func total(net *topology.Network, x []float64) float64 {
	sum := 0.0
	for _, l := range net.Links {
		d := x[l.A.Switch] - x[l.B.Switch]
		sum += max(d, -d)
	}
	return sum
}
