package pairs

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"musubi/units"
	"musubi/workload"
	"musubi/workload/internal/ideal"
	"musubi/workload/internal/ranks"
)

func TestStreamOverlapsAsManyTransfersAsItsWindow(t *testing.T) {
	const bytes = 500
	for _, setting := range []string{"operation=push", "operation=pull", "mechanism=ipush", "mechanism=botf"} {
		for _, window := range []int{1, 2, 7, 16} {
			rows := ideal.Rows(t, Stream, ideal.Set("bytes=500", setting, fmt.Sprint("window=", window), "iterations=160", "warmup=16"), workload.Env{Ranks: 2, BOTF: bytes})
			// The ideal machine has no limit but the window: that many transfers
			// complete per round trip.
			rate := float64(window) / 2.5
			// The measurement begins with a completion and may cut a burst.
			if got := rows[1].Value / 1e6; math.Abs(got-rate) > 0.12*rate {
				t.Errorf("%s, window %d: %v transfers per us, want %v", setting, window, got, rate)
			}
			ideal.Near(t, "bandwidth", rows[0].Value, rows[1].Value/1e6*bytes)
		}
	}
}

// The receiver answers with a word of 8 bytes when it has done with messages; in a
// window of one, with each.
func TestStreamWaitsForTheReceiver(t *testing.T) {
	const iterations = 50
	ack := 0.001 * ranks.WordSize
	for _, test := range []struct {
		settings string // of messages of 500 bytes
		want     float64
	}{
		{"mechanism=push copy=none", 2.5},
		{"mechanism=push copy=cached", 2.5 + 1 + ack},
		{"mechanism=push copy=uncached", 2.5 + 2 + ack},
		{"mechanism=botf copy=cached", 2.5 + 1.5 + 1 + 4*ack}, // the answer is by BOTF too
		{"mechanism=ipush copy=none", 2.5 + ack/iterations},
		{"mechanism=ipush copy=cached", 2.5 + (1+ack)/iterations},
		{"operation=pull copy=none", 2.5},
		{"operation=pull copy=cached", 2.5 + 1},
	} {
		env := workload.Env{Ranks: 2}
		if strings.Contains(test.settings, "botf") {
			env.BOTF = 500
		}
		settings := ideal.Set(strings.Fields(test.settings)...)
		settings["bytes"], settings["window"], settings["iterations"] = "500", "1", fmt.Sprint(iterations)
		rows, err := copyingWorld().Measure(Stream, settings, env)
		if err != nil {
			t.Fatal(err)
		}
		ideal.Near(t, test.settings, 500/rows.All()[0].Value, test.want)
	}
}

// If copying is what takes longest, nothing else is seen but before the first
// message and after the last.
func TestStreamIsAsSlowAsItsSlowestPart(t *testing.T) {
	const iterations = 100
	for _, mechanism := range []string{"push", "ipush"} {
		settings := ideal.Set("bytes=10000", "copy=cached", "window=4", fmt.Sprint("iterations=", iterations), "mechanism="+mechanism)
		rows, err := copyingWorld().Measure(Stream, settings, workload.Env{Ranks: 2})
		if err != nil {
			t.Fatal(err)
		}
		ends := 1 + 10 + 1 + 0.001*ranks.WordSize
		ideal.Near(t, mechanism, 10000/rows.All()[0].Value, 20+ends/iterations)
	}
}

// A ring without room holds messages back, and none is lost.
func TestStreamFitsIntoAnyRing(t *testing.T) {
	for _, bytes := range []int{64, 65, 100, 128, 1000} {
		_, err := packetRings(bytes).Measure(Stream, ideal.Set("bytes=1,64,1000", "mechanism=ipush", "copy=all", "iterations=20"), workload.Env{Ranks: 2, Payload: 64})
		if err != nil {
			t.Errorf("rings of %d bytes: %v", bytes, err)
		}
	}
}

// Whatever has been in a place before, no message is taken for the next: figures are
// those of trials on their own.
func TestStreamTellsMessagesApart(t *testing.T) {
	for _, bytes := range []string{"8", "16,8", "8,16,8", "4,16,8"} {
		for _, window := range []string{"1", "2", "5"} {
			for _, iterations := range []string{"1", "2", "3", "4", "5", "8", "9"} {
				stream := func(bytes, mechanism, copying string) []workload.Row {
					env := ideal.Chain(12)
					env.BOTF = 64
					world := ideal.World{Latency: units.Microsecond, Copying: 100 * units.Nanosecond}
					rows, err := world.Measure(Stream, ideal.Set("bytes="+bytes, "mechanism="+mechanism, "copy="+copying,
						"to=each-distance", "warmup=0", "window="+window, "iterations="+iterations), env)
					if err != nil {
						t.Fatal(err)
					}
					return rows.All()[:len(rows.All())/2]
				}
				for _, r := range stream(bytes, "push,botf,push", "cached,none,cached") {
					alone := stream(fmt.Sprint(r.Bytes), r.Label("mechanism").(string), r.Label("copy").(string))
					what := fmt.Sprintf("window %s, %s messages of %d bytes, %v", window, iterations, r.Bytes, r.Labels)
					ideal.Near(t, what, r.Value, alone[r.Label("switches").(int)-1].Value)
				}
			}
		}
	}
}

func TestStreamWindowFollowsTheNetworkInterface(t *testing.T) {
	for _, test := range []struct {
		inFlight int
		trial    trial
		want     int
	}{
		{1, trial{by: ByPush, copying: copyNone}, 1},
		{1, trial{by: byBOTF, copying: copyCached}, 1},
		{0, trial{by: ByPush, copying: copyNone}, 16},
		{64, trial{by: ByPush, copying: copyCached}, 16},
		{64, trial{by: byBOTF, copying: copyNone}, 16},
		{64, trial{by: byBOTF, copying: copyUncached}, 2},
	} {
		if got := usualWindow(workload.Env{InFlight: test.inFlight}, &test.trial); got != test.want {
			t.Errorf("%d in flight, %+v: window %d, want %d", test.inFlight, test.trial, got, test.want)
		}
	}
}
