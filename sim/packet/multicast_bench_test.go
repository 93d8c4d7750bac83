package packet

import (
	"testing"

	"musubi/routing"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/sim/fabric/fabrictest"
	"musubi/units"
)

// broadcasts is a load of multicasts to all, one after the other from each end point in
// turn, each answered by all.
type broadcasts struct {
	f    *Fabric
	q    *engine.Queue
	ends int
	to   []fabric.Target // all end points, twice
	next int             // end point that sends next
}

func newBroadcasts(t testing.TB, spec string) *broadcasts {
	net, routes := fabrictest.Build(t, spec, 1, "ecube", routing.Options{})
	cfg := fabrictest.DefaultConfig(net, routes)
	cfg.Classes = 2
	b := &broadcasts{q: new(engine.Queue), ends: len(net.EndPoints)}
	b.to = append(everyone(b.ends, -1), everyone(b.ends, -1)...)
	var err error
	if b.f, err = New(cfg, b.q); err != nil {
		t.Fatal(err)
	}
	return b
}

// round has a multicast go to all others and their answers come back.
func (b *broadcasts) round() {
	src := b.next
	b.next = (b.next + 1) % b.ends
	tree := b.f.Multicast(fabric.Packet{Src: src, Flits: 16}, b.to[src+1:src+b.ends])
	for ev, ok := b.f.Run(units.Never); ok; ev, ok = b.f.Run(units.Never) {
		d := b.f.Delivery(ev.A)
		b.f.Release(ev.A)
		if d.Class == forthClass {
			b.f.Combine(d.Tree, fabric.Packet{Flits: answerFlits, Class: answerClass})
		}
	}
	b.f.Forget(tree)
}

// hops returns how many times a packet has been carried by a link: each link of a tree
// carries the packet, and its opposite an answer.
func (b *broadcasts) hops() (n int64) {
	for _, load := range b.f.Carried() {
		n += load.Packets
	}
	return n
}

func TestMulticastsDoNotAllocate(t *testing.T) {
	b := newBroadcasts(t, "mesh:4x4")
	for range 2 * b.ends {
		b.round()
	}
	if allocs := testing.AllocsPerRun(100, b.round); allocs > 0 {
		t.Errorf("%v allocations per multicast and its answers, want none", allocs)
	}
}

// BenchmarkMulticast measures multicasts to all, with combined answers.
func BenchmarkMulticast(b *testing.B) {
	for _, spec := range []string{"mesh:4x4", "mesh:16x16", "torus:32x32"} {
		b.Run(spec, func(b *testing.B) {
			load := newBroadcasts(b, spec)
			load.round()
			b.ReportAllocs()
			before, events := load.hops(), load.q.Handled()
			for b.Loop() {
				load.round()
			}
			hops := load.hops() - before
			b.ReportMetric(float64(hops)/b.Elapsed().Seconds(), "packet-hops/s")
			b.ReportMetric(float64(load.q.Handled()-events)/float64(hops), "events/hop")
		})
	}
}
