package pairs

import (
	"fmt"
	"testing"

	"musubi/units"
	"musubi/workload"
	"musubi/workload/internal/ideal"
)

// windowWorld has four windows, and 2 KiB of cache. It needs 1 us and sends a byte
// in 3 ns.
func windowWorld(write units.Time) *ideal.World {
	return &ideal.World{Latency: units.Microsecond, PerByte: 3 * units.Nanosecond, Write: write, Windows: 4, Cache: 2048}
}

// With one window, a message is written when that before has been sent; with more,
// meanwhile.
func TestBOTFWritesWhileItSends(t *testing.T) {
	const iterations = 200
	const send = 0.003 // us per byte
	for _, write := range []float64{0.001, 0.003, 0.004} {
		world := windowWorld(units.Time(write * float64(units.Microsecond)))
		rows, err := world.Measure(BOTF, ideal.Set("windows=1..4", "bytes=64,496", "cache=warm,cold", fmt.Sprint("iterations=", iterations)), ideal.WindowsEnv())
		if err != nil {
			t.Fatal(err)
		}
		all := rows.All()
		if len(all) != 3*4*2*2 {
			t.Fatalf("%d rows, want bandwidth, rate and interval for 4 numbers of windows, 2 caches and 2 sizes", len(all))
		}
		for i, r := range all[:16] {
			write, n := write, float64(r.Bytes)
			if r.Label("cache") == "cold" {
				write *= 2
			}
			want := n*max(write, send) + (n*min(write, send)+2)/iterations
			if r.Label("windows") == 1 {
				want = n*(write+send) + 2.0/iterations
			}
			what := fmt.Sprintf("%v us/byte, %d bytes, %v", write, r.Bytes, r.Labels)
			ideal.Near(t, what, n/r.Value, want)
			ideal.Near(t, what, 1e6/all[i+16].Value, want)
			ideal.Near(t, what, all[i+32].Value, want)
		}
	}
}

// A message of several packets takes as long as its packets.
func TestBOTFSendsPacketAfterPacket(t *testing.T) {
	world := windowWorld(3 * units.Nanosecond / 2)
	rows, err := world.Measure(BOTF, ideal.Set("windows=1..2", "bytes=248,496,1488,1736", "iterations=100"), ideal.WindowsEnv())
	if err != nil {
		t.Fatal(err)
	}
	times := map[[2]int]float64{}
	for _, r := range rows.All() {
		if r.Metric == intervalMetric.name {
			times[[2]int{r.Label("windows").(int), r.Bytes}] = r.Value
		}
	}
	// What a message waits for its end counts once in all.
	const end = 2 * 1.0 / 100
	for _, windows := range []int{1, 2} {
		part, packet := times[[2]int{windows, 248}], times[[2]int{windows, 496}]
		if got := times[[2]int{windows, 1488}]; got < 3*packet-3*end || got > 3*packet {
			t.Errorf("%d windows: a message of 3 packets takes %.4g us, and one of a packet %.4g", windows, got, packet)
		}
		if got := times[[2]int{windows, 1736}]; got < 3*packet+part-4*end || got > 3*packet+part {
			t.Errorf("%d windows: a message of 3 packets and a half takes %.4g us; one of a packet takes %.4g, and of half a packet %.4g", windows, got, packet, part)
		}
	}
}

func TestBOTFDoesWithoutWindows(t *testing.T) {
	world := ideal.World{Latency: units.Microsecond, PerByte: 3 * units.Nanosecond, Write: units.Nanosecond}
	rows, err := world.Measure(BOTF, ideal.Set("iterations=100"), workload.Env{Ranks: 2, BOTF: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows.All()[2*5:] {
		if r.Label("windows") != 1 || r.Label("cache") != "warm" || r.Metric != "interval" {
			t.Errorf("%s with %v", r.Metric, r.Labels)
		}
		ideal.Near(t, fmt.Sprint(r.Bytes, " bytes"), r.Value, float64(r.Bytes)*(0.001+0.003/100)+0.02)
	}
}

// Cold messages follow each other at a distance of more than the cache, and share
// no line of it.
func TestColdMessages(t *testing.T) {
	for _, size := range []int{1, 8, 63, 64, 65, 100, 496, 5000} {
		const cache = 4096
		messages := coldMessages(size, cache)
		lines := (size + cacheLine - 1) / cacheLine
		if got := len(messages) * lines * cacheLine; got < 2*cache-lines*cacheLine || len(messages) < 2 {
			t.Errorf("messages of %d bytes: %d have %d bytes of lines, want twice %d", size, len(messages), got, cache)
		}
		for i, m := range messages {
			if len(m) != size {
				t.Errorf("message %d has %d bytes, want %d", i, len(m), size)
			}
		}
	}
}
