package osu

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"musubi/internal/check"
	"musubi/mpi"
	"musubi/workload"
	"musubi/workload/internal/ideal"
)

// What a message of package mpi takes on the ideal machine, where a push takes 1 us and
// 1 ns for each byte, in microseconds: up to 8 KiB it goes at once, with an envelope.
const envelope = 8

func eagerTime(bytes int) float64 { return 1 + 0.001*float64(envelope+bytes) }

func TestOSULatencyIsThatOfMessageAndEnvelope(t *testing.T) {
	for _, r := range ideal.Rows(t, Workload, ideal.Set("bytes=1..8KiB"), workload.Env{Ranks: 3}) {
		ideal.Near(t, fmt.Sprint(r.Bytes, " bytes"), r.Value, eagerTime(r.Bytes))
	}
}

// A message of blocks takes the time of one in one piece where the processor takes none. Both ranks check what has come, and
// that nothing has come between the blocks.
func TestOSULatencyOfBlocks(t *testing.T) {
	rows := ideal.Rows(t, Workload, ideal.Set("layout=vector:8:20"), workload.Env{Ranks: 2})
	if first, last := rows[0].Bytes, rows[len(rows)-1].Bytes; first != 8 || last != mostBytes {
		t.Errorf("sizes from %d to %d; expected those from one block on, 8 to %d", first, last, mostBytes)
	}
	for _, r := range rows {
		if r.Bytes <= 8<<10 {
			ideal.Near(t, fmt.Sprint(r.Bytes, " bytes"), r.Value, eagerTime(r.Bytes))
		}
	}
}

// Where messages do not hinder each other, all others answer one rank as fast as one does.
func TestOSUIncastIsARequestAndAnAnswer(t *testing.T) {
	for _, ranks := range []int{2, 3, 8} {
		for _, r := range ideal.Rows(t, Workload, ideal.Set("test=incast", "bytes=1,8,1000,8192"), workload.Env{Ranks: ranks}) {
			ideal.Near(t, fmt.Sprintf("%d ranks, %d bytes", ranks, r.Bytes), r.Value, eagerTime(requestBytes)+eagerTime(r.Bytes))
		}
	}
}

// With one message under way a transfer takes a message and an answer.
func TestOSUBandwidthWithoutWindowsIsThatOfRoundTrips(t *testing.T) {
	const answer = 4 // bytes
	for _, test := range []struct {
		name  string
		ranks int
		pairs float64
	}{{"bw", 2, 1}, {"bw", 5, 1}, {"mbw_mr", 2, 1}, {"mbw_mr", 5, 2}, {"mbw_mr", 8, 4}} {
		rows := ideal.Rows(t, Workload, ideal.Set("test="+test.name, "bytes=1,8,1000,8192", "window=1"), workload.Env{Ranks: test.ranks})
		if len(rows) != 8 {
			t.Fatalf("%s: %d rows, want a bandwidth and a rate for each size", test.name, len(rows))
		}
		for _, r := range rows {
			want := test.pairs / (eagerTime(r.Bytes) + eagerTime(answer))
			if r.Metric == "message_rate" {
				want *= 1e6
			} else {
				want *= float64(r.Bytes)
			}
			ideal.Near(t, fmt.Sprintf("%s with %d ranks, %s of %d bytes", test.name, test.ranks, r.Metric, r.Bytes), r.Value, want)
		}
	}
}

// Both directions carry as much as one at once, and no answers. Each size is measured by
// itself, as after another one the two ranks do not begin at the same time.
func TestOSUBothWaysCarriesTwoMessagesInTheTimeOfOne(t *testing.T) {
	for _, bytes := range []int{8, 64, 1000, 8192} {
		rows := ideal.Rows(t, Workload, ideal.Set("test=bibw", fmt.Sprint("bytes=", bytes), "window=1", "iterations=7"), workload.Env{Ranks: 2})
		ideal.Near(t, fmt.Sprint(bytes, " bytes"), rows[0].Value, 2*float64(bytes)/eagerTime(bytes))
	}
}

func TestOSUWindowsRaiseBandwidth(t *testing.T) {
	for _, test := range []string{"bw", "bibw", "mbw_mr", "put_bw", "get_bw", "put_bibw"} {
		last := 0.0
		for _, window := range []string{"1", "4", "64"} {
			got := ideal.Rows(t, Workload, ideal.Set("test="+test, "bytes=64", "window="+window), workload.Env{Ranks: 4})[0].Value
			if got <= last {
				t.Errorf("%s: window %s gives %v MB/s, and a smaller one %v", test, window, got, last)
			}
			last = got
		}
	}
}

// To write or read, with nothing else under way, takes a way there and one back, of
// which one carries the data.
func TestOSUAccessesTakeTheWayThereAndBack(t *testing.T) {
	for _, test := range []string{"put", "get"} {
		for _, r := range ideal.Rows(t, Workload, ideal.Set("test="+test, "bytes=1..8KiB"), workload.Env{Ranks: 3}) {
			ideal.Near(t, fmt.Sprint(test, " of ", r.Bytes, " bytes"), r.Value, 2+0.001*float64(r.Bytes))
		}
	}
}

// Operations on a word are messages with a longer envelope, and so take longer than a get.
func TestOSUAtomicsTakeMessages(t *testing.T) {
	const envelope = 32
	for _, test := range []string{"acc", "get_acc", "fop", "cas"} {
		rows := ideal.Rows(t, Workload, ideal.Set("test="+test, "bytes=8"), workload.Env{Ranks: 3})
		if least := 2 + 0.001*(envelope+8); len(rows) != 1 || rows[0].Bytes != 8 || rows[0].Value < least {
			t.Errorf("%s: %v; want a row for 8 bytes, of at least %v us", test, rows, least)
		}
	}
}

// Without interfaces that change words a lock is a message and its answer, and its release a message
// that nobody waits for.
func TestOSULocksTakeMessages(t *testing.T) {
	took := func(synchronization string) float64 {
		return ideal.Rows(t, Workload, ideal.Set("test=get", "bytes=8", "synchronization="+synchronization), workload.Env{Ranks: 2})[0].Value
	}
	for _, lock := range []string{"lock", "exclusive"} {
		if took, least := took(lock), took("flush")+2; took < least || took > 2*least {
			t.Errorf("%s: %v us; expected %v or somewhat more", lock, took, least)
		}
	}
}

// A barrier by dissemination takes a message for each step, at all ranks alike.
func TestOSUBarrierTakesOneMessagePerStep(t *testing.T) {
	for _, n := range []int{2, 4, 8, 16} {
		rows := ideal.Rows(t, Workload, ideal.Set("test=barrier", "algorithm=dissemination"), workload.Env{Ranks: n})
		for _, r := range rows {
			ideal.Near(t, fmt.Sprintf("%d ranks, %v", n, r.Label("statistic")), r.Value, float64(bits.Len(uint(n-1)))*eagerTime(0))
		}
	}
}

func TestOSUCollectivesGiveStatisticsInOrder(t *testing.T) {
	for _, test := range mpi.Operations() {
		settings := ideal.Set("test="+test, "iterations=3")
		if test != "barrier" {
			settings["bytes"] = "4,1000,100000"
		}
		rows := ideal.Rows(t, Workload, settings, workload.Env{Ranks: 6})
		if len(rows)%3 != 0 {
			t.Fatalf("%s: %d rows, want three for each size", test, len(rows))
		}
		for r := range slices.Chunk(rows, 3) {
			avg, least, most := r[0], r[1], r[2]
			if avg.Label("statistic") != "avg" || least.Label("statistic") != "min" || most.Label("statistic") != "max" {
				t.Fatalf("%s: %v; want avg, min and max", test, r)
			}
			const rounding = 1 + 1e-9
			if least.Value > avg.Value*rounding || avg.Value > most.Value*rounding || most.Value < eagerTime(0) {
				t.Errorf("%s of %d bytes: min %v, avg %v, max %v; want them in order, and the last at least a message", test, avg.Bytes, least.Value, avg.Value, most.Value)
			}
			if avg.Metric != test || avg.Label("iterations") != 3 {
				t.Errorf("row %v of test %s with 3 iterations", avg, test)
			}
		}
	}
}

// prepared reads parameters as Prepare does.
func prepared(t *testing.T, settings map[string]string, ranks int) *Run {
	t.Helper()
	var run *Run
	w := *Workload
	w.Make = func(v *workload.Values, env workload.Env) *workload.Plan {
		run = readOSU(v, env)
		return &workload.Plan{}
	}
	_, err := w.Prepare(settings, workload.Env{Ranks: ranks})
	check.Must(t, err)
	return run
}

// TestOSUTakesRepeatsAsGiven reads the parameters that say how often a size is measured.
func TestOSUTakesRepeatsAsGiven(t *testing.T) {
	for _, test := range []struct {
		given              string
		short              bool
		iterations, warmup int
	}{
		{"runs=osu", false, -1, -1}, {"runs=short", true, -1, -1}, {"test=bw", true, -1, -1},
		{"iterations=7", true, 7, -1}, {"warmup=0", true, -1, 0},
	} {
		run := prepared(t, ideal.Set(test.given), 2)
		if run.Short != test.short || run.Iterations != test.iterations || run.Warmup != test.warmup {
			t.Errorf("%s: short %v, %d iterations after %d; want %v, %d and %d", test.given, run.Short, run.Iterations, run.Warmup, test.short, test.iterations, test.warmup)
		}
	}
}

func TestOSUSizesGoAsFarAsMemoryDoes(t *testing.T) {
	for _, test := range []struct {
		name        string
		ranks, most int
	}{
		{"latency", 2, 4 << 20}, {"bw", 64, 4 << 20}, {"alltoall", 8, 1 << 20},
		{"alltoall", 128, 16 << 10}, // of 32513 bytes that there is room for
	} {
		sizes := prepared(t, map[string]string{"test": test.name}, test.ranks).Sizes
		if got := sizes[len(sizes)-1]; sizes[0] != 1 || got != test.most {
			t.Errorf("%s with %d ranks: sizes %d to %d, want 1 to %d", test.name, test.ranks, sizes[0], got, test.most)
		}
	}
}

func TestOSURefusals(t *testing.T) {
	for _, test := range []struct {
		settings []string
		ranks    int
		want     string
	}{
		{[]string{"test=push"}, 2, "test=push: expected one of latency, bw, bibw, mbw_mr, incast, put, get"},
		{[]string{"test=cas", "bytes=4"}, 2, "bytes=4: expected 8, the only size of cas"},
		{[]string{"test=put", "window=2"}, 2, "window=2: has no meaning without windows"},
		{[]string{"test=put_bw", "window=1000", "bytes=4MiB"}, 2, "bytes=4MiB: expected at most"},
		{[]string{"test=put_bw", "synchronization=lock"}, 2, "synchronization=lock: has no meaning for streams of accesses"},
		{[]string{"test=fop", "synchronization=fence"}, 2, "synchronization=fence: expected one of flush, lock, exclusive"},
		{nil, 1, "test=latency: expected two ranks or more"},
		{[]string{"bytes=0..8"}, 2, "bytes=0..8: expected sizes of 1"},
		{[]string{"test=barrier", "bytes=8"}, 2, "bytes=8: has no meaning without messages"},
		{[]string{"test=alltoall", "bytes=1MiB"}, 128, "bytes=1MiB: expected at most 32513 bytes"},
		{[]string{"test=allgather"}, 1 << 20, "the buffers of 1048576 ranks would take more than 1GiB"},
		{[]string{"window=2"}, 2, "window=2: has no meaning without windows"},
		{[]string{"test=bw", "algorithm=ring"}, 2, "algorithm=ring: has no meaning for messages between two ranks"},
		{[]string{"test=scan", "algorithm=ring"}, 2, "scan has auto"},
		{[]string{"test=scan", "algorithm=all"}, 2, "algorithm=all: expected one"},
		{[]string{"runs=long"}, 2, "runs=long: expected one of osu, short"},
		{[]string{"iterations=0"}, 2, "iterations=0: expected a whole number from 1"},
		{[]string{"test=bw", "layout=vector:8:16"}, 2, "layout=vector:8:16: has no meaning for other tests than latency"},
		{[]string{"layout=vector:8"}, 2, "layout=vector:8: expected contiguous, or vector:BLOCK:STRIDE, in bytes, with BLOCK at least 1 and STRIDE from BLOCK to 1048576"},
		{[]string{"layout=vector:0:8"}, 2, "with BLOCK at least 1"},
		{[]string{"layout=vector:8:4"}, 2, "STRIDE from BLOCK"},
		{[]string{"layout=vector:8:16x"}, 2, "expected contiguous"},
		{[]string{"layout=vector:8:16", "bytes=8,12"}, 2, "bytes=8,12: expected multiples of 8, the bytes of a block, and not 12"},
		{[]string{"layout=vector:8:1048576", "bytes=64KiB"}, 2, "65536 bytes in blocks take 8588886024 with what lies between them; expected at most"},
		{[]string{"rings=own"}, 2, "rings=own: expected one of private, shared"},
	} {
		_, err := Workload.Prepare(ideal.Set(test.settings...), workload.Env{Ranks: test.ranks})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v with %d ranks: %v; want %q", test.settings, test.ranks, err, test.want)
		}
	}
}
