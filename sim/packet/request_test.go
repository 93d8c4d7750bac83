package packet

import (
	"math/bits"
	"testing"

	"musubi/routing"
	"musubi/sim/engine"
	"musubi/sim/fabric/fabrictest"
	"musubi/units"
)

// Links of switches with many buffers count their requests, as they have several words of them.
func TestWideRequestsAreCounted(t *testing.T) {
	const hosts = 40
	net, routes := fabrictest.Build(t, "mesh:2x1", hosts, "minimal", routing.Options{})
	cfg := fabrictest.DefaultConfig(net, routes)
	cfg.VCs = 4
	q := new(engine.Queue)
	f, err := New(cfg, q)
	if err != nil {
		t.Fatal(err)
	}
	l := fabrictest.NewUniform(f, q, cfg, 16, 0.02, units.Never)
	most := 0
	for now := units.Time(0); now < 20*units.Microsecond; now += 50 * units.Nanosecond {
		l.Run(now)
		for i := range f.links {
			link := &f.links[i]
			if !link.isWide {
				continue
			}
			waiting := 0
			for _, word := range f.wideRequests(link) {
				waiting += bits.OnesCount64(word)
			}
			if counted := int(link.requests >> countShift); counted != waiting || link.isWanted() != (waiting > 0) {
				t.Fatalf("at %v: link %d counts %d requests and has %d (wanted: %v)", now, i, counted, waiting, link.isWanted())
			}
			most = max(most, waiting)
		}
	}
	if most < 2 {
		t.Errorf("at most %d packets have waited for a link at a time; expected more, or nothing is tested", most)
	}
}
