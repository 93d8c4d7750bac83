package adaptive

import (
	"math"
	"testing"

	"musubi/topology/generate"
)

// The shares of all schemes are what packets do that choose by chance, one after the other.
func TestSharesAreWhatPacketsDo(t *testing.T) {
	for network, names := range map[string][]string{
		"torus:4x3": {"spray", "adaptive", "valiant", "ugal"}, "fattree:k=4": {"spray", "valiant"}, "ring:5": {"valiant", "ugal-g"},
		"dragonfly:a=4,h=2,p=2": {"adaptive", "valiant", "ugal"}, "dragonfly:a=4,h=2,p=2,absolute=1": {"booksim-min", "booksim-ugal"}, "hyperx:3x3": {"spray", "valiant"},
	} {
		net, err := generate.Network(network, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			s, err := Build(name, net, Options{Seed: 7, Bias: 1000})
			if err != nil {
				t.Fatal(err)
			}
			from, to := net.EndPoints[0].At.Switch, net.EndPoints[net.Hosts()-1].At.Switch
			shares, err := SharesBetween(s, from, to)
			if err != nil {
				t.Fatal(err)
			}
			const packets = 20_000
			seen := make([]float64, net.Channels())
			for range packets {
				p := Packet{Src: 0, Dst: net.Hosts() - 1, To: to}
				for sw := from; sw != to; {
					m := s.Choose(idle{}, p, sw)
					seen[m.Channel]++
					sw, p.State = net.To(int(m.Channel)).Switch, m.State
				}
			}
			for c, n := range seen {
				if want := shares.Load[c]; math.Abs(n/packets-want) > 0.02 {
					t.Errorf("%s on %s: %.3f of the packets take channel %d; expected %.3f", name, network, n/packets, c, want)
				}
			}
		}
	}
}

// All pairs together: what a channel carries adds up to the hops, and on a symmetric network all channels carry the same.
func TestSharesOfAllPairs(t *testing.T) {
	net, err := generate.Network("torus:4x4", 1)
	if err != nil {
		t.Fatal(err)
	}
	for name, load := range map[string]float64{"ecmp": 8, "valiant": 0} {
		s, err := Build(name, net, Options{})
		if err != nil {
			t.Fatal(err)
		}
		shares, err := SharesOf(s)
		if err != nil {
			t.Fatal(err)
		}
		low, high := math.Inf(1), 0.0
		for _, l := range shares.Load {
			low, high = min(low, l), max(high, l)
		}
		if shares.Pairs != 240 || name == "ecmp" && (math.Abs(low-load) > 1e-9 || math.Abs(high-load) > 1e-9 || math.Abs(shares.Hops-32.0/15) > 1e-9) {
			t.Errorf("%s: %g to %g pairs on a channel, %g hops of %g pairs", name, low, high, shares.Hops, shares.Pairs)
		}
		if name == "valiant" && shares.Hops <= 32.0/15 {
			t.Errorf("valiant: %g hops; expected more than the shortest ways have", shares.Hops)
		}
	}
}
