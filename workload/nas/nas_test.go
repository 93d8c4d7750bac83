package nas

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"musubi/internal/check"
	"musubi/rma"
	"musubi/units"
	"musubi/workload"
	"musubi/workload/internal/ideal"
)

func TestMain(m *testing.M) {
	check.DrawLess()
	check.CollectLess()
	m.Run()
}

// recorder counts the messages that a process sends to each partner.
type recorder struct {
	rma.Process
	sent map[int]int
}

func (r *recorder) IPush(to int, data []byte, by rma.Mechanism) (rma.Op, error) {
	r.sent[to]++
	return r.Process.IPush(to, data, by)
}

// runNAS runs workload nas on a world and returns its rows, and what each rank has
// sent to whom.
func runNAS(world *ideal.World, settings map[string]string, ranks int) (workload.Rows, []map[int]int, error) {
	var rows workload.Rows
	sent := make([]map[int]int, ranks)
	plan, err := Workload.Prepare(settings, workload.Env{Ranks: ranks, RingPacket: world.Packet})
	if err != nil {
		return rows, nil, err
	}
	err = world.Run(ranks, func(p rma.Process) error {
		sent[p.Rank()] = map[int]int{}
		return plan.Program(&recorder{p, sent[p.Rank()]}, &rows)
	})
	if err == nil {
		err = world.Settled()
	}
	return rows, sent, err
}

// value returns the value of the row with a metric and a statistic, if any.
func value(t *testing.T, rows workload.Rows, metric string, statistic any) float64 {
	t.Helper()
	for _, r := range rows.All() {
		if r.Metric == metric && r.Label("statistic") == statistic {
			return r.Value
		}
	}
	t.Fatalf("no row %s of statistic %v", metric, statistic)
	return 0
}

// Kitamura et al. (2006), table of the partners that processes have in class A
// with 64 processes. Most is what most processes have.
func TestNASPartners(t *testing.T) {
	for kernel, want := range map[string]struct{ max, most int }{
		"mg": {9, 6}, "cg": {4, 4}, "lu": {4, 4}, "sp": {6, 6}, "bt": {6, 6}, "is": {1, 1},
	} {
		rows, sent, err := runNAS(&ideal.World{Latency: 1}, ideal.Set("kernel="+kernel, "iterations=1", "warmup=0"), 64)
		if err != nil {
			t.Fatal(err)
		}
		ranks := map[int]int{} // by number of partners
		messages := 0
		for _, to := range sent {
			ranks[len(to)]++
			for _, n := range to {
				messages += n
			}
		}
		if most := slices.Max(slices.Collect(maps.Keys(ranks))); most != want.max {
			t.Errorf("%s: a process has up to %d partners; expected %d", kernel, most, want.max)
		}
		if ranks[want.most] <= 64/2 {
			t.Errorf("%s: processes by number of partners: %v; expected that most have %d", kernel, ranks, want.most)
		}
		ideal.Near(t, kernel+": partners", value(t, rows, "partners", "max"), float64(want.max))
		ideal.Near(t, kernel+": messages", value(t, rows, "messages", nil), float64(messages))
	}
}

func TestNASRunsAllClassesAndShapes(t *testing.T) {
	for _, test := range []struct {
		class string
		ranks int
	}{{"S", 1}, {"S", 4}, {"S", 16}, {"W", 4}, {"A", 16}} {
		rows, _, err := runNAS(&ideal.World{Latency: units.Microsecond, PerByte: units.Nanosecond}, ideal.Set("kernel=all", "class="+test.class, "iterations=1", "warmup=0"), test.ranks)
		if err != nil {
			t.Errorf("class %s, %d ranks: %v", test.class, test.ranks, err)
		}
		var kernels []string
		for _, r := range rows.All() {
			if r.Metric == "time" {
				kernels = append(kernels, r.Label("kernel").(string))
			}
		}
		if want := Names(); !slices.Equal(kernels, want) {
			t.Errorf("class %s, %d ranks: kernels %v; expected %v", test.class, test.ranks, kernels, want)
		}
	}
}

// However the rings are made, everybody empties them, so that all ends.
func TestNASNeedsOnlyRingsOfOnePacket(t *testing.T) {
	const packet, ranks = 512, 16
	one := rma.PrivateRings(ranks, packet)
	for i := range one.Private {
		one.Private[i].Status = rma.PerPacket
	}
	for name, rings := range map[string]*rma.Rings{"asked for": nil, "private": &one, "shared": new(rma.SharedRing(packet))} {
		world := &ideal.World{Latency: units.Microsecond, PerByte: units.Nanosecond, Packet: packet}
		settings := ideal.Set("kernel=all", "class=S", "iterations=1", "ring=packet")
		if rings != nil {
			world.Rings = slices.Repeat([]rma.Rings{*rings}, ranks)
		}
		if _, _, err := runNAS(world, settings, ranks); err != nil {
			t.Errorf("rings of one packet, %s: %v", name, err)
		}
	}
}

func TestNASAsksForRingsOfItsPartners(t *testing.T) {
	// Rank 1 of two gets faces of 64 by 64 points, two deep.
	lu := Kernels[slices.Index(Names(), "lu")]
	scripts := []Script{lu.Script(slices.Index(Classes, "A"), 2, 1)}
	const message = 2 * 64 * 64 * 5 * 8
	for _, test := range []struct {
		ring, packet, bytes int
		status              rma.Status
	}{
		{0, 512, 2 * message, rma.PerMessage},
		{0, 4 * message, 4 * message, rma.PerMessage},
		{message, 512, message, rma.PerMessage},
		{message - 1, 512, message - 1, rma.PerPacket},
	} {
		b := nasRun{ring: test.ring, packet: test.packet}
		got := b.rings(scripts)
		if len(got.Private) != 1 || !slices.Equal(got.Private[0].Senders, []int{0}) || got.Other.Bytes != 0 {
			t.Fatalf("rings %+v; expected one, for rank 0", got)
		}
		if ring := got.Private[0]; ring.Bytes != test.bytes || ring.Status != test.status {
			t.Errorf("ring=%d, packets of %d: %d bytes with status %d; expected %d with status %d",
				test.ring, test.packet, ring.Bytes, ring.Status, test.bytes, test.status)
		}
	}
}

// One process sends nothing, so that its time is what it computes.
func TestNASComputesBeforeExchanges(t *testing.T) {
	for kernel, exchanges := range map[string]int{
		"mg": 4 + 1 + 2*4 + 1, // grids of 16 to 2 points down, the coarsest, 4 to 32 up, the finest
		"cg": 26,              // products
		"lu": 2*10 + 1,        // inner planes of 12, up and down, and the faces
		"sp": 2*3 + 1,         // up and down along three axes, and the faces
		"bt": 2*3 + 1,
		"is": 1,
	} {
		rows, _, err := runNAS(&ideal.World{}, ideal.Set("kernel="+kernel, "class=S", "compute=3us"), 1)
		if err != nil {
			t.Fatal(err)
		}
		ideal.Near(t, kernel, value(t, rows, "time", nil), float64(3*exchanges))
	}
}

// Two processes of CG have one row, in which they add up products and numbers, one
// after the other.
func TestNASTimeIsThatOfOneIteration(t *testing.T) {
	for _, iterations := range []string{"1", "5"} {
		rows, _, err := runNAS(&ideal.World{Latency: units.Microsecond}, ideal.Set("kernel=cg", "class=S", "iterations="+iterations), 2)
		if err != nil {
			t.Fatal(err)
		}
		const numbers, products = 1 + 25*2 + 1 + 1, 25 + 1
		ideal.Near(t, "iterations="+iterations, value(t, rows, "time", nil), numbers+products)
	}
}

func TestNASRefusesRanksThatDoNotFit(t *testing.T) {
	for _, test := range []struct {
		kernel, class string
		ranks         int
		err           string
	}{
		{"cg", "A", 60, "kernel=cg: class A divides among 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, ... ranks; there are 60"},
		{"sp", "S", 32, "kernel=sp: class S divides among 1, 4, 9, 16 ranks; there are 32"},
		{"bt", "W", 81, "kernel=bt: class W divides among 1, 4, 9, 16, 25, 36, 49, 64 ranks; there are 81"},
		{"lu", "S", 32, "kernel=lu: class S divides among 1, 2, 4, 8, 16 ranks; there are 32"},
		{"is", "S", 256, "kernel=is: class S divides among 1, 2, 4, 8, 16, 32, 64, 128 ranks; there are 256"},
		{"mg", "A", 3, "there are 3"},
		{"all", "A", 32, "kernel=all: class A divides among 1, 4, 16, 64, 256 ranks; there are 32"},
		{"is, sp", "S", 2, "kernel=is, sp: class S divides among 1, 4, 16 ranks; there are 2"},
	} {
		_, err := Workload.Prepare(ideal.Set("kernel="+test.kernel, "class="+test.class), workload.Env{Ranks: test.ranks})
		if err == nil || !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s of class %s on %d ranks: error %v; expected one with %q", test.kernel, test.class, test.ranks, err, test.err)
		}
	}
}

func TestNASRefusesWrongParameters(t *testing.T) {
	for setting, want := range map[string]string{
		"kernel=ep":     "kernel=ep: expected all, or a list out of mg, cg, lu, sp, bt, is",
		"class=D":       "class=D: expected one of S, W, A, B, C",
		"iterations=0":  "iterations=0: expected a whole number from 1",
		"compute=-1us":  "compute=-1us: expected a time",
		"ring=100":      "ring=100: expected at least the 512 bytes of a packet",
		"ring=anything": "ring=anything: expected sizes",
	} {
		_, err := Workload.Prepare(ideal.Set(setting), workload.Env{Ranks: 64, RingPacket: 512})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v; expected one with %q", setting, err, want)
		}
	}
}

// damaging changes the first byte of the n-th push of a process.
type damaging struct {
	rma.Process
	n int
}

func (d *damaging) Push(to rma.Address, data []byte, by rma.Mechanism) (rma.Op, error) {
	if d.n--; d.n == 0 {
		data = slices.Clone(data)
		data[0]++
	}
	return d.Process.Push(to, data, by)
}

func TestCollectivesFindWrongData(t *testing.T) {
	const ranks = 4
	for i, want := range []string{
		"of a sum over all", "of a sum over all", // steps of the reduction
		"wrong block", "wrong block", "wrong block", // of one word
		"wrong block", "wrong block", "wrong block",
	} {
		plan, err := Workload.Prepare(ideal.Set("kernel=is", "class=S"), workload.Env{Ranks: ranks})
		if err != nil {
			t.Fatal(err)
		}
		world := ideal.World{Latency: 1}
		err = world.Run(ranks, func(p rma.Process) error {
			if p.Rank() == 1 {
				p = &damaging{p, i + 1}
			}
			return plan.Program(p, new(workload.Rows))
		})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("push %d of rank 1 damaged: error %v; expected one with %q", i+1, err, want)
		}
	}
}
