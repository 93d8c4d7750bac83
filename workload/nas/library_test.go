package nas

import (
	"slices"
	"testing"

	"musubi/rma"
	"musubi/units"
	"musubi/workload"
	"musubi/workload/internal/ideal"

	"pgregory.net/rapid"
)

// runLibrary runs kernels where a library passes messages on, and returns the rows, and the
// longest push of the processor.
func runLibrary(world *ideal.World, cost workload.Library, operations float64, settings map[string]string, ranks int) (workload.Rows, int, error) {
	var rows workload.Rows
	longest := 0
	plan, err := Workload.Prepare(settings, workload.Env{Ranks: ranks, Library: &cost, Operations: operations})
	if err != nil {
		return rows, 0, err
	}
	err = world.Run(ranks, func(p rma.Process) error { return plan.Program(&pushes{p, &longest}, &rows) })
	if err == nil {
		err = world.Settled()
	}
	return rows, longest, err
}

// pushes is a process whose pushes are looked at. It has no receive rings.
type pushes struct {
	rma.Process
	longest *int
}

func (p *pushes) Push(to rma.Address, data []byte, by rma.Mechanism) (rma.Op, error) {
	if by == rma.BOTF {
		*p.longest = max(*p.longest, len(data))
	}
	return p.Process.Push(to, data, by)
}

func (p *pushes) IPush(int, []byte, rma.Mechanism) (rma.Op, error) { panic("IPUSH by a library") }

// part returns a part of the whole benchmark of a kernel, in seconds.
func part(t interface{ Fatalf(string, ...any) }, rows workload.Rows, kernel, name string) float64 {
	for _, r := range rows.All() {
		if r.Metric == "benchmark" && r.Label("kernel") == kernel && r.Label("part") == name {
			return r.Value
		}
	}
	t.Fatalf("no %s of %s", name, kernel)
	return 0
}

// Whatever is eager, all messages arrive, in order and unchanged, as the receivers check, and
// nobody waits for ever.
func TestLibraryPassesAllMessagesOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kernel := rapid.SampledFrom(Names()).Draw(t, "kernel")
		ranks := rapid.SampledFrom([]int{1, 4, 16}).Draw(t, "ranks")
		world := &ideal.World{
			Latency: units.Time(rapid.IntRange(1, 3000).Draw(t, "latency")) * units.Nanosecond,
			PerByte: units.Time(rapid.IntRange(0, 10).Draw(t, "per byte")) * units.Nanosecond,
			Copying: units.Time(rapid.IntRange(0, 3).Draw(t, "copying")) * units.Nanosecond,
		}
		cost := workload.Library{
			Send:    units.Time(rapid.IntRange(0, 20).Draw(t, "send")) * units.Microsecond,
			Receive: units.Time(rapid.IntRange(0, 20).Draw(t, "receive")) * units.Microsecond,
			Eager:   rapid.SampledFrom([]int{0, 4, 100, 3000, 1 << 20}).Draw(t, "eager"),
			PIO:     rapid.SampledFrom([]int{0, 8, 16, 128}).Draw(t, "pio"),
		}
		rows, longest, err := runLibrary(world, cost, 0, ideal.Set("kernel="+kernel, "class=S", "iterations=2"), ranks)
		if err != nil {
			t.Fatal(err)
		}
		if most := max(cost.PIO, 8); longest > most {
			t.Errorf("the processor has written %d bytes at once; expected at most %d", longest, most)
		}
		// Every message costs each side its time; the mean process sends as many as it gets.
		var messages float64
		for _, r := range rows.All() {
			if r.Metric == "messages" {
				messages = r.Value
			}
		}
		const iterations, rounding = 2 + 1, 1e-9 // with the warm-up
		all := float64(Kernels[slices.Index(Names(), kernel)].Iterations(0))
		least := messages / float64(ranks) / iterations * all * (cost.Send + cost.Receive).Seconds()
		if kernel == "is" && ranks > 1 {
			least -= all * (cost.Send + cost.Receive).Seconds() // of the verification, which is not in an iteration
		}
		if got := part(t, rows, kernel, "communication"); got < least-rounding {
			t.Errorf("%v of communication with %v messages; expected at least %v", got, messages, least)
		}
		if total := part(t, rows, kernel, "total"); total < part(t, rows, kernel, "communication")+part(t, rows, kernel, "waiting")-rounding {
			t.Errorf("the slowest process takes %v, less than what the mean one does", total)
		}
	})
}

// One process computes all operations of the benchmark. The formulas give those of CG and LU in
// the paper on RHiNET-2.
func TestOperationsOfWholeBenchmarks(t *testing.T) {
	for kernel, mega := range map[string]float64{
		"cg S": 2 * 15 * 1400 * (3 + 56 + 25*61 + 3) / 1e6,
		"lu S": 50 * (1984.77*12*12*12 - 10923.3*12*12 + 27770.9*12 - 144010) / 1e6,
		"lu W": 300 * (1984.77*33*33*33 - 10923.3*33*33 + 27770.9*33 - 144010) / 1e6,
		"is S": 10 * 65536 / 1e6,
		"mg S": 4 * 58 * 32 * 32 * 32 / 1e6,
	} {
		name, class := kernel[:2], kernel[3:]
		rows, _, err := runLibrary(&ideal.World{}, workload.Library{}, 100e6, ideal.Set("kernel="+name, "class="+class), 1)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := part(t, rows, name, "computation"), mega/100; got < want*0.999999 || got > want*1.000001 {
			t.Errorf("%s takes %v s at 100 million operations per second; expected %v", kernel, got, want)
		}
	}
}

// Two processes of CG add up one number after the other: each costs both sides their time and the
// way, and what the other does at the same time is hidden.
func TestLibraryCostsBothSides(t *testing.T) {
	const send, receive, latency = 3 * units.Microsecond, 5 * units.Microsecond, units.Microsecond
	cost := workload.Library{Send: send, Receive: receive, Eager: 1 << 20, PIO: 1 << 20}
	rows, _, err := runLibrary(&ideal.World{Latency: latency}, cost, 0, ideal.Set("kernel=cg", "class=S"), 2)
	if err != nil {
		t.Fatal(err)
	}
	const messages = (1 + 25*2 + 1 + 1) + (25 + 1)
	ideal.Near(t, "time", value(t, rows, "time", nil), messages*(send+latency+receive).Microseconds())
	ideal.Near(t, "waiting", part(t, rows, "cg", "waiting"), 15*messages*latency.Seconds())
}
