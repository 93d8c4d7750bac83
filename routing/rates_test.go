package routing

import (
	"testing"

	"musubi/internal/check"
	"musubi/topology"
)

// square has two ways from switch 0 to 3: over 1 at full rate, over 2 at a quarter of it. Hosts are at 0 and 3.
func square(t *testing.T, slow string) *topology.Network {
	t.Helper()
	speed := func(text string) topology.Speed {
		s, ok := topology.ParseSpeed(text)
		if !ok && text != "" {
			t.Fatal(text)
		}
		return s
	}
	n := topology.Network{Switches: []topology.Switch{{ID: "a", Ports: 2}, {ID: "b", Ports: 2}, {ID: "c", Ports: 2}, {ID: "d", Ports: 2}}}
	for _, l := range [][4]int{{0, 1, 1, 1}, {1, 2, 3, 1}, {0, 2, 2, 1}, {2, 2, 3, 2}} {
		s := speed("4xNDR")
		if l[0] == 2 || l[2] == 2 {
			s = speed(slow)
		}
		n.Links = append(n.Links, topology.Link{A: topology.Port{Switch: l[0], Number: l[1]}, B: topology.Port{Switch: l[2], Number: l[3]}, Speed: s})
	}
	n.AddHosts("h", 0, 10)
	n.AddHosts("g", 3, 10)
	net, err := topology.New(n)
	check.Must(t, err)
	return net
}

// Links of a quarter of the rate carry a fifth of the pairs, so that all take as long; links of equal or
// unknown rate carry one half.
func TestRatesCountInBalancing(t *testing.T) {
	for _, name := range []string{"updown", "layered", "minimal"} {
		for slow, want := range map[string]float64{"4xHDR": 1. / 3, "1xNDR": 1. / 5, "4xNDR": 1. / 2, "": 1. / 2} {
			net := square(t, slow)
			r := build(t, name, net, Options{DestinationOnly: name == "layered"})
			load := r.Loads()
			var all, over int64
			for _, c := range net.Out(0) {
				all += load[c]
				if net.To(int(c)).Switch == 2 {
					over += load[c]
				}
			}
			share := float64(over) / float64(all)
			if share < want-0.11 || share > want+0.11 {
				t.Errorf("%s: %.2f of the pairs go over links of %q; want about %.2f", name, share, slow, want)
			}
		}
	}
}
