package flow_test

import (
	"math/rand/v2"
	"testing"

	"musubi/internal/nettest"
	"musubi/routing"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/sim/flow"
	"musubi/sim/packet"
	"musubi/topology"
	"musubi/units"
)

// minimal returns minimal routes of a network.
func minimal(t testing.TB, net *topology.Network) *routing.Routes {
	t.Helper()
	alg, err := routing.Lookup("minimal")
	if err != nil {
		t.Fatal(err)
	}
	routes, err := alg.Build(net, routing.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return routes
}

// config describes a fabric with a clock of 10 ns per flit of 8 bytes and buffers that are never full.
func config(t testing.TB, net *topology.Network) fabric.Config {
	t.Helper()
	routes := minimal(t, net)
	return fabric.Config{
		Net: net, Routes: routes,
		Flit: 8, Rate: 6400 * units.MbitPerSecond,
		Classes: 1, VCs: routes.VCs, Buffer: 8 << 20,
		Flow: fabric.Credit, MaxPacket: 32,
		Switch: 30 * units.Nanosecond, Cable: 10 * units.Nanosecond, HostCable: 5 * units.Nanosecond,
	}
}

// world is a fabric with its clock.
type world struct {
	fabric.Fabric
	q *engine.Queue
}

func newFlow(t testing.TB, cfg fabric.Config) world {
	t.Helper()
	q := &engine.Queue{}
	f, err := flow.New(cfg, q)
	if err != nil {
		t.Fatal(err)
	}
	return world{f, q}
}

func newPacket(t testing.TB, cfg fabric.Config) world {
	t.Helper()
	q := &engine.Queue{}
	f, err := packet.New(cfg, q)
	if err != nil {
		t.Fatal(err)
	}
	return world{f, q}
}

// message is a bulk that is sent at some time, in either engine.
type message struct {
	at       units.Time
	src, dst int
	packets  int
	flits    int // of each
}

func (m *message) bulk() fabric.Bulk {
	return fabric.Bulk{
		Packet:  fabric.Packet{Src: m.src, Dst: m.dst, Flits: m.flits, Tag: uint64(m.packets)},
		Packets: m.packets, Last: m.flits,
	}
}

const begin = fabric.FirstDevice

// carry sends messages, as a whole or as packets, and returns when the last tail of each has arrived.
// A source sends the packets of its messages in turn, one after the other.
func (w world) carry(t testing.TB, messages []message) []units.Time {
	t.Helper()
	for i := range messages {
		w.q.Push(engine.Event{At: messages[i].at, Kind: begin, A: uint32(i)})
	}
	arrived := make([]units.Time, len(messages))
	left := make([]int, len(messages))
	bulks, whole := w.Fabric.(fabric.Bulker)
	send := func(i int) {
		m := &messages[i]
		if left[i]--; left[i] >= 0 {
			w.Send(fabric.Packet{Src: m.src, Dst: m.dst, Flits: m.flits, Tag: uint64(i), NotifySent: true})
		}
	}
	for ev, ok := w.Run(units.Never); ok; ev, ok = w.Run(units.Never) {
		switch ev.Kind {
		case begin:
			i := int(ev.A)
			if whole && messages[i].packets > 1 {
				b := messages[i].bulk()
				b.Tag = uint64(i)
				bulks.SendBulk(b)
				continue
			}
			left[i] = messages[i].packets
			send(i)
			send(i)
		case fabric.Sent:
			send(int(w.Delivery(ev.A).Tag))
		case fabric.Delivered:
			d := w.Delivery(ev.A)
			arrived[d.Tag] = d.Tail
			w.Release(ev.A)
		}
	}
	if err := w.Conserved(); err != nil {
		t.Error(err)
	}
	return arrived
}

// randomMessages draws messages between different end points.
func randomMessages(rng *rand.Rand, cfg *fabric.Config, n, packets int, within units.Time) []message {
	ends := len(cfg.Net.EndPoints)
	messages := make([]message, n)
	for i := range messages {
		m := message{at: units.Time(rng.Int64N(int64(within) + 1)), src: rng.IntN(ends), packets: 1 + rng.IntN(packets), flits: 1 + rng.IntN(cfg.MaxPacket)}
		m.dst = (m.src + 1 + rng.IntN(ends-1)) % ends
		messages[i] = m
	}
	return messages
}

func random(t testing.TB, seed uint64) (*rand.Rand, *topology.Network) {
	rng := rand.New(rand.NewPCG(seed, 9))
	return rng, nettest.Random(t, rng, 8)
}
