package flit

import (
	"testing"

	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/units"
)

// TestFasterSwitchesMissNoCycle sends packets to switches that are 1.7 times as fast as their links, at the
// beginning of each of ten cycles of the links: each goes in that cycle, and its flits in the ones after it.
func TestFasterSwitchesMissNoCycle(t *testing.T) {
	var took [2]units.Time // by a packet of one flit, and of seven
	for i, flits := range []int{1, 7} {
		cfg := bookSim(t, "mesh", 2, 2, 64)
		cfg.Router.Speedup = 1.7
		cycle := cfg.Rate.Transfer(cfg.Flit)
		f, q := newFlit(t, cfg)
		for n := range units.Time(10) {
			q.Push(engine.Event{At: 1001 * n * cycle, Kind: fabric.FirstDevice})
		}
		for ev, ok := f.Run(units.Never); ok; ev, ok = f.Run(units.Never) {
			if ev.Kind == fabric.FirstDevice {
				f.Send(fabric.Packet{Src: 0, Dst: 1, Flits: flits})
				continue
			}
			d := f.Delivery(ev.A)
			if q := d.Queued; f.lineOf(f.clock.cycle(d.Entered)) != f.line.cycle(q) {
				t.Errorf("a packet of %v enters at %v; expected the same cycle of %v", q, d.Entered, cycle)
			}
			took[i] += (d.Tail - d.Entered) / 10
			f.Release(ev.A)
		}
		if more := took[1] - took[0]; i == 1 && (more < 5*cycle || more > 7*cycle) {
			t.Errorf("six flits more take %v; expected a cycle of %v each", more, cycle)
		}
	}
}
