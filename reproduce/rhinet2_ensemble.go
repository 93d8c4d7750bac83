package reproduce

import (
	"fmt"
	"math"
	"slices"

	"musubi"
)

const rhinet2Ensemble = "largest gain of DL over Up*/Down* on 13 random networks with the mean paths of A"

// What is known of A, whose drawing is lost: the paper implies the mean numbers of links between
// switches on a path.
const (
	diameterOfA = 6
	dlOfA       = 3.18
	updownOfA   = 3.81
)

// likeA are the seeds, up to 19,489, of all networks that are like A. They are so few that
// they are not searched for again.
var likeA = []int{891, 3048, 3873, 4717, 5350, 6798, 7653, 8130, 14184, 17830, 18080, 19262, 19489}

// rhinet2Random is the interval of the largest gain over the four patterns on random networks that
// agree with A in what is known of it.
func rhinet2Random(b *bench) error {
	var gains []float64
	for _, seed := range likeA {
		g, err := b.gainLikeA(ensembleNetwork(seed))
		if err != nil {
			return err
		}
		gains = append(gains, g)
	}
	slices.Sort(gains)
	last := len(gains) - 1
	for i, name := range []string{"smallest", "first quartile", "median", "third quartile", "largest"} {
		b.predict(rhinet2Ensemble, name, "%", gains[last*i/4])
	}
	return nil
}

// ensembleNetwork names a network. With 19 links or more hardly any has paths as long as on A.
func ensembleNetwork(seed int) string {
	return fmt.Sprintf("random:switches=16,degree=4,links=%d,seed=%d", 17+seed%2, seed)
}

// gainLikeA returns the largest gain on a network, and fails if it is not like A by both routings.
func (b *bench) gainLikeA(network string) (float64, error) {
	shortest, err := b.isLikeA(network, "dl", dlOfA, 0.05)
	if err != nil {
		return 0, err
	}
	updown, err := b.isLikeA(network, "updown", updownOfA, 0.1)
	if err != nil {
		return 0, err
	}
	if !shortest || !updown {
		return 0, fmt.Errorf("%s does not have the paths of network A by dl and updown", network)
	}
	return b.largestGain(network)
}

// isLikeA reports whether the paths of a routing have a mean length, to within a tolerance. Those of
// DL with two virtual channels must be shortest ones, and the longest as long as on A.
func (b *bench) isLikeA(network, routing string, mean, tolerance float64) (bool, error) {
	s := musubi.Scenario{Machine: b.source, Topology: network, Routing: routing}
	if routing == "dl" {
		s.VCs = 2
	}
	system, err := musubi.Build(s)
	if err != nil {
		return false, err
	}
	got := system.Routes.Statistics()
	if routing == "dl" && (got.Hops.Max != diameterOfA || got.MinimalFraction < 1) {
		return false, nil
	}
	return math.Abs(got.Hops.Mean-mean) <= tolerance, nil
}

// largestGain returns the largest gain of DL over Up*/Down* over all patterns, in percent.
func (b *bench) largestGain(network string) (float64, error) {
	most := math.Inf(-1)
	for _, pattern := range rhinet2Permutations {
		g, err := gain(b.closed, musubi.Scenario{Topology: network, Routing: "dl"}, musubi.Scenario{Topology: network, Routing: "updown"}, pattern)
		if err != nil {
			return 0, err
		}
		most = max(most, g)
	}
	return most, nil
}
