package flow_test

import (
	"slices"
	"testing"

	"musubi/internal/nettest"
	"musubi/sim/fabric"
	"musubi/units"
)

// TestSignalsArriveAsPackets sends packets one after the other, and in another world as signals, all at once: these keep
// each other waiting at their sources only, and take as long from there.
func TestSignalsArriveAsPackets(t *testing.T) {
	for seed := range uint64(40) {
		rng, net := random(t, seed)
		if len(net.EndPoints) < 2 {
			continue
		}
		cfg := config(t, net)
		cfg.Switch = 100 * units.Microsecond // beside which all packets are short
		if seed%2 == 1 {
			cfg.LinkRates = true
			lanes(net, func() int { return []int{1, 2, 4}[rng.IntN(3)] })
		}
		signals, packets := newFlow(t, cfg), newFlow(t, cfg)
		for _, m := range randomMessages(rng, &cfg, 30, 1, 0) {
			p := fabric.Packet{Src: m.src, Dst: m.dst, Flits: m.flits, Tag: 7}
			signal := signalled(t, signals, p)
			id := packets.Send(p)
			packets.Run(units.Never)
			packet := packets.Delivery(id)
			packets.Release(id)
			if signal.Hops != packet.Hops || signal.Src != packet.Src || signal.Dst != packet.Dst || signal.Flits != packet.Flits || signal.Tag != 7 ||
				signal.Tail-signal.Entered != packet.Tail-packet.Entered || signal.Header-signal.Entered != packet.Header-packet.Entered {
				t.Errorf("seed %d: signal %+v; the packet %+v", seed, signal, packet)
			}
		}
		if got, want := signals.Traffic(), packets.Traffic(); got != want {
			t.Errorf("seed %d: signals count %+v, packets %+v", seed, got, want)
		}
		if !slices.Equal(signals.Busy(), packets.Busy()) || !slices.Equal(signals.Carried(), packets.Carried()) {
			t.Errorf("seed %d: links carry other signals than packets", seed)
		}
		if err := signals.Conserved(); err != nil {
			t.Error(err)
		}
	}
}

// signalled returns the delivery of a signal.
func signalled(t *testing.T, w world, p fabric.Packet) fabric.Delivery {
	t.Helper()
	d, sent := w.Fabric.(fabric.Signaller).Signal(p)
	if !sent {
		t.Fatalf("packet %+v goes as no signal", p)
	}
	return d
}

// TestSignalsWait sends a signal behind a packet of 10 us, from the same host and from one beside it. It waits where
// the packet has come before it.
func TestSignalsWait(t *testing.T) {
	cfg := config(t, nettest.Generate(t, "mesh:2x1", 2))
	cfg.Switch, cfg.MaxPacket = 2*units.Microsecond, 1000
	before, signal := fabric.Packet{Src: 0, Dst: 2, Flits: 1000}, fabric.Packet{Dst: 2, Flits: 2}
	alone := signalled(t, newFlow(t, cfg), signal).Tail
	for src, wait := range []units.Time{10 * units.Microsecond, 7995 * units.Nanosecond} {
		w := newFlow(t, cfg)
		w.Send(before)
		if src > 0 {
			w.Run(3 * units.Microsecond) // the header came to the link between the switches at 2.005 us; that of the signal does at 4.01
		}
		signal.Src = src
		sent := w.q.Now()
		if took := signalled(t, w, signal).Tail - sent; took != alone+wait {
			t.Errorf("the signal of host %d takes %v; want %v alone and a wait of %v", src, took, alone, wait)
		}
	}
}

// TestLongSignalsAreRefused: what occupies a link for more than a hundredth of a switch's latency is no signal.
func TestLongSignalsAreRefused(t *testing.T) {
	cfg := config(t, nettest.Generate(t, "mesh:2x1", 2))
	cfg.Switch = 2 * units.Microsecond
	for flits := 1; flits < 5; flits++ {
		w := newFlow(t, cfg)
		_, sent := w.Fabric.(fabric.Signaller).Signal(fabric.Packet{Src: 0, Dst: 2, Flits: flits})
		if short := units.Time(flits)*10*units.Nanosecond <= cfg.Switch/100; sent != short || (w.Traffic().Sent == 1) != short {
			t.Errorf("%d flits go as a signal: %v, and count %d packets; expected %v", flits, sent, w.Traffic().Sent, short)
		}
	}
}
