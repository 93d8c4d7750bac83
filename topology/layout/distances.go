package layout

import (
	"math"
	"math/rand/v2"

	"musubi/topology"
)

// Rounds of the two steps of byDistances.
const (
	scalingRounds = 40
	stressRounds  = 80
)

// byDistances places switches so that their distances on the plane are about their numbers of links
// apart: first by classical scaling, then by majorising the stress, which is the weighted sum of
// squares of what distances are off (Gansner, Koren, North: Graph Drawing by Stress Majorization,
// 2004).
func byDistances(net *topology.Network) []Point {
	d := distances(net)
	at := scaled(d)
	for range stressRounds {
		at = majorised(at, d)
	}
	return at
}

// distances returns the number of links between all pairs. Parts that are not connected are a bit
// more than their extent apart.
func distances(net *topology.Network) [][]float64 {
	n := len(net.Switches)
	d := make([][]float64, n)
	longest := 0.0
	for sw := range d {
		d[sw] = make([]float64, n)
		for other, links := range net.Distances(sw) {
			d[sw][other] = float64(links)
			longest = max(longest, float64(links))
		}
	}
	for sw := range d {
		for other := range d[sw] {
			if d[sw][other] < 0 {
				d[sw][other] = longest + 2
			}
		}
	}
	return d
}

// scaled is classical scaling: the two main axes of the doubly centred squares of distances.
func scaled(d [][]float64) []Point {
	n := len(d)
	b := make([][]float64, n)
	means, all := make([]float64, n), 0.0
	for i := range d {
		for _, v := range d[i] {
			means[i] += v * v / float64(n)
		}
		all += means[i] / float64(n)
	}
	for i := range d {
		b[i] = make([]float64, n)
		for j, v := range d[i] {
			b[i][j] = -(v*v - means[i] - means[j] + all) / 2
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	first := mainAxis(b, nil, r)
	second := mainAxis(b, first, r)
	at := make([]Point, n)
	for i := range at {
		at[i] = Point{first[i], second[i]}
	}
	return at
}

// mainAxis finds the main axis of a symmetric matrix by iteration, at right angles to another.
func mainAxis(b [][]float64, other []float64, r *rand.Rand) []float64 {
	v := make([]float64, len(b))
	for i := range v {
		v[i] = r.Float64() - 0.5
	}
	length := 1.0
	for range scalingRounds {
		if other != nil {
			part := dot(v, other) / max(dot(other, other), 1e-12)
			for i := range v {
				v[i] -= part * other[i]
			}
		}
		next := make([]float64, len(v))
		for i := range b {
			next[i] = dot(b[i], v)
		}
		length = math.Sqrt(dot(next, next))
		if length < 1e-12 {
			break
		}
		for i := range next {
			next[i] /= length
		}
		v = next
	}
	for i := range v {
		v[i] *= math.Sqrt(length)
	}
	return v
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// majorised moves each switch to the weighted mean of where the others want it.
func majorised(at []Point, d [][]float64) []Point {
	next := make([]Point, len(at))
	for i := range at {
		var sum Point
		weights := 0.0
		for j := range at {
			if i == j {
				continue
			}
			w := 1 / (d[i][j] * d[i][j])
			dx, dy := at[i].X-at[j].X, at[i].Y-at[j].Y
			now := math.Sqrt(dx*dx + dy*dy)
			if now < 1e-9 { // two at one place part by their numbers
				sin, cos := math.Sincos(float64(i) + 2*float64(j))
				dx, dy, now = cos, sin, 1
			}
			sum.X += w * (at[j].X + d[i][j]*dx/now)
			sum.Y += w * (at[j].Y + d[i][j]*dy/now)
			weights += w
		}
		next[i] = at[i]
		if weights > 0 {
			next[i] = Point{sum.X / weights, sum.Y / weights}
		}
	}
	return next
}
