package comparison_test

import (
	"testing"

	"musubi/comparison"
	"musubi/internal/check"
	"musubi/routing"
	"musubi/routing/adaptive"
	"musubi/topology/generate"
)

// The network of a size has so many hosts, and a smaller one of its family has not.
func TestSizes(t *testing.T) {
	for hosts, want := range map[int][]string{
		1024: {"fattree:k=16", "dragonfly:a=8,h=4,p=4", "torus:8x8x16", "mesh:8x8x16", "hypercube:10", "hyperx:11x11,t=9", "slimfly:q=9", "polarfly:q=13", "xgft:m=12x12x12,w=1x6x6"},
		64:   {"fattree:k=8", "dragonfly:a=4,h=2,p=2", "torus:4x4x4", "mesh:4x4x4", "hypercube:6", "hyperx:4x4,t=4", "slimfly:q=4", "polarfly:q=5", "xgft:m=4x4x4,w=1x2x2"},
		2:    {"fattree:k=2", "dragonfly:a=2,h=1,p=1", "torus:2x2x2", "mesh:2x2x2", "hypercube:1", "hyperx:2x2,t=1", "slimfly:q=3", "polarfly:q=2", "xgft:m=2x2x2,w=1x1x1"},
		1000: {"fattree:k=16", "dragonfly:a=8,h=4,p=4", "torus:10x10x10", "mesh:10x10x10", "hypercube:10", "hyperx:10x10,t=10", "slimfly:q=9", "polarfly:q=13", "xgft:m=10x10x10,w=1x5x5"},
	} {
		for i, family := range comparison.Families() {
			got, err := comparison.Sized(family, hosts)
			check.Must(t, err)
			if got != want[i] {
				t.Errorf("%d hosts: %s; expected %s", hosts, got, want[i])
			}
			net, err := generate.Network(got, 0)
			check.Must(t, err)
			if net.Hosts() < hosts {
				t.Errorf("%s has %d hosts; expected %d", got, net.Hosts(), hosts)
			}
		}
	}
	got, err := comparison.Sized("ring:5", 64)
	if got != "ring:5" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	_, err = comparison.Sized("ring", 64)
	check.Error(t, err, `no network "ring" of a given size; expected fattree`)
}

// Each switch of a torus of two hosts each has six cables to others and two to hosts.
func TestPartsAndPrices(t *testing.T) {
	net, err := generate.Network("torus:3x3x3", 2)
	check.Must(t, err)
	parts := comparison.PartsOf(net)
	if want := (comparison.Parts{Hosts: 54, Switches: 27, Cables: 27*3 + 54, ToHosts: 54, Ports: 27 * 8, Largest: 8}); parts != want {
		t.Errorf("%+v; expected %+v", parts, want)
	}
	p, err := comparison.ReadPrices([]byte("source = \"a\"\ncurrency = \"USD\"\n[switch]\nprice = 1000\nwatts = 1\n[port]\nprice = 10\n[cable]\nwatts = 2\n[host]\nprice = 1\n"))
	check.Must(t, err)
	if price, watts := p.Of(parts); price != 27000+2160+54 || watts != 27+2*135 {
		t.Errorf("%g and %g W", price, watts)
	}
	p.HostCable = &comparison.Price{Price: 3, Watts: 1}
	if price, watts := p.Of(parts); price != 27000+2160+54+3*54 || watts != 27+2*81+54 {
		t.Errorf("%g and %g W, with cables to hosts of their own", price, watts)
	}
	for text, want := range map[string]string{
		"currency = \"USD\"":                                   "no source or no currency",
		"source = \"a\"\ncurrency = \"b\"\n[switches]":         `unknown key "switches"`,
		"source = \"a\"\ncurrency = \"b\"\n[port]\nprice = -1": "negative",
		"source = \"a\"\ncurrency = b":                         "line 2: ",
	} {
		_, err := comparison.ReadPrices([]byte(text))
		check.Error(t, err, want)
	}
}

// A ring without one link is a line: all traffic between its halves goes one way.
func TestFailures(t *testing.T) {
	net, err := generate.Network("ring:4", 1)
	check.Must(t, err)
	algorithm, err := routing.Lookup("updown")
	check.Must(t, err)
	r, err := comparison.RoutesOf(net, algorithm, routing.Options{})
	check.Must(t, err)
	link, sw := r.Failures[0], r.Failures[1]
	whole := float64(r.Statistics.ChannelLoad.Max)
	if link.Refused != 0 || link.HostsLost != 0 || link.Load != 4/whole {
		t.Errorf("without a link %+v; expected a load of 4 pairs, of %v", link, whole)
	}
	if sw.Refused != 0 || sw.HostsLost != 1 || sw.Load != 2/whole {
		t.Errorf("without a switch %+v; expected a load of 2 pairs, of %v", sw, whole)
	}
	chosen, err := comparison.ChoicesOf(net, "ugal", adaptive.Options{})
	check.Must(t, err)
	// Dimension order goes half way round in one direction: a link carries 3 pairs there. One of a line of four carries the 4
	// between its halves, and one of three carries 2.
	if chosen.Expected == nil || chosen.Expected.Hops != 4.0/3 || chosen.Failures[0].Load != 4.0/3 || chosen.Failures[1].Load != 2.0/3 {
		t.Errorf("ugal: expected %+v, failures %+v", chosen.Expected, chosen.Failures)
	}
	if link, sw := chosen.Failures[0], chosen.Failures[1]; !chosen.Chooses || chosen.VCs != 4 || link.Refused != 0 || link.HostsLost != 0 || sw.Refused != 0 || sw.HostsLost != 1 {
		t.Errorf("ugal: %+v", chosen)
	}
	dragonfly, err := generate.Network("dragonfly:a=4,h=2,p=2,absolute=1", 0)
	check.Must(t, err)
	_, err = comparison.ChoicesOf(dragonfly, "booksim-ugal", adaptive.Options{})
	check.Error(t, err, "can deadlock")
	minimal, err := routing.Lookup("minimal")
	check.Must(t, err)
	net, err = generate.Network("ring:6", 1)
	check.Must(t, err)
	_, err = comparison.RoutesOf(net, minimal, routing.Options{})
	check.Error(t, err, "can deadlock")
}
