package groups

import (
	"fmt"
	"math/bits"
	"strings"
	"testing"

	"musubi/rma"
	"musubi/units"
	"musubi/workload"
	"musubi/workload/internal/ideal"
	"musubi/workload/internal/ranks"
)

// On a machine where a message takes 1 us and 1 ns for each byte of it, a multicast takes
// as many of them as there are one after the other on the longest way, and one more of a
// word on each of those ways on which something is acknowledged.
func TestMulticastsTakeTheStepsOfTheirMethods(t *testing.T) {
	const size, hop, word, back = 100, 1 + 0.001*100, 1 + 0.001*ranks.WordSize, 1.0
	for ranks := 2; ranks <= 20; ranks++ {
		deepest := 0
		for position := range ranks {
			deepest = max(deepest, bits.OnesCount(uint(position)))
		}
		depth, length := float64(deepest), float64(ranks-1)
		want := map[string][2]float64{ // without and with acks
			"unicast by processor":   {hop, hop + back},
			"tree by processor":      {depth * hop, depth * (hop + word)},
			"chain by processor":     {length * hop, length*hop + word},
			"chain by interface":     {length * hop, length*hop + back},
			"hierarchical by switch": {hop, hop + back},
		}
		rows := ideal.AbleRows(t, Multicast, ideal.Set("acks=true,false", "bytes=100", "root="+fmt.Sprint(ranks/2)), ranks)
		rows = append(rows, ideal.AbleRows(t, Multicast, ideal.Set("method=chain", "by=processor", "acks=true,false", "bytes=100"), ranks)...)
		for _, r := range rows {
			method, acks := fmt.Sprint(r.Label("method"), " by ", r.Label("by")), 0
			if r.Label("acks") == true {
				acks = 1
			}
			ideal.Near(t, fmt.Sprintf("%s, %d ranks, acks %d", method, ranks, acks), r.Value, want[method][acks])
			if r.Metric != "multicast" || r.Bytes != size {
				t.Errorf("row %v", r)
			}
		}
		if len(rows) != 2*len(want) {
			t.Errorf("%d rows, want %d", len(rows), 2*len(want))
		}
	}
}

// Each method carries sizes one after the other, longer and shorter ones, and every rank
// looks at what it has.
func TestMulticastsOfManySizes(t *testing.T) {
	for _, root := range []string{"0", "4"} {
		rows := ideal.AbleRows(t, Multicast, ideal.Set("bytes=4KiB,1,8,1,300", "acks=true,false", "iterations=7", "root="+root), 5)
		if want := 4 * 2 * 5; len(rows) != want {
			t.Errorf("%d rows, want %d", len(rows), want)
		}
	}
}

// What is counted is one more multicast, which all ranks have at the end.
func TestCountedMulticasts(t *testing.T) {
	plan, err := Multicast.Prepare(ideal.Set("acks=true,false", "bytes=1,100"), ideal.AbleEnv(6))
	if err != nil {
		t.Fatal(err)
	}
	if want := 4 * 2 * 2; len(plan.Counted) != want {
		t.Fatalf("%d are counted, want %d", len(plan.Counted), want)
	}
	for _, c := range plan.Counted {
		for n := 1; n <= 2; n++ {
			world := ideal.World{Latency: units.Microsecond, PerByte: units.Nanosecond, Able: true}
			if err := world.Run(6, c.Program(n)); err != nil {
				t.Errorf("%v, %d times: %v", c.Labels, n, err)
			}
			if err := world.Settled(); err != nil {
				t.Errorf("%v, %d times: %v", c.Labels, n, err)
			}
		}
	}
}

func TestMulticastOnMachinesThatCannot(t *testing.T) {
	var seen []string
	for _, r := range ideal.Rows(t, Multicast, ideal.Set("bytes=8"), workload.Env{Ranks: 4}) {
		seen = append(seen, fmt.Sprint(r.Label("method"), " by ", r.Label("by")))
	}
	if got, want := strings.Join(seen, ", "), "unicast by processor, tree by processor, chain by processor"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	lossy := ideal.AbleEnv(4)
	lossy.Lossy = true
	chains := workload.Env{Ranks: 4, Multicasts: func(m rma.MulticastMethod) bool { return m == rma.Chain }}
	for _, test := range []struct {
		setting, says string
		env           workload.Env
	}{
		{"method=hierarchical", "switches of this machine do not copy packets; expected unicast, tree, chain", chains},
		{"method=broadcast", "expected all, or a list out of unicast, tree, chain, hierarchical", chains},
		{"acks=false", "what nobody acknowledges is not sent again; expected true, or method=unicast,tree", lossy},
		{"by=interface", "interfaces of this machine do not pass multicasts on", workload.Env{Ranks: 4}},
		{"acks=false", "clocks of processes do not; expected true", workload.Env{Ranks: 4, RealTime: true}},
		{"acks=some", "expected all, or a list out of true, false", chains},
		{"root=4", "expected a rank, 0 to 3", chains},
		{"method=tree", "expected two ranks or more", workload.Env{Ranks: 1}},
		{"bytes=0", "expected sizes of 1 to", chains},
	} {
		_, err := Multicast.Prepare(ideal.Set(test.setting), test.env)
		if err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: error %v; expected one with %q", test.setting, err, test.says)
		}
	}
}
