package musubi

import (
	"context"
	"math"
	"strings"
	"testing"

	"musubi/sim/machine"
)

// valueOf returns the value of the only row of a metric, and whether there is one.
func valueOf(r *Result, metric string) (float64, bool) {
	for _, row := range r.Rows {
		if row.Metric == metric {
			return row.Value, true
		}
	}
	return 0, false
}

// failing is a scenario in which links fail often, heal soon, and are sent around soon.
func failing(machine string) Scenario {
	return Scenario{
		Workload: "collective", Machine: machine, Topology: "torus:3x3", Hosts: 1, Routing: "updown", Ranks: 9, Seed: 1,
		Set: map[string]string{
			"operation": "allreduce", "bytes": "1024", "iterations": "2", "warmup": "0",
			"network.mtbf": "200us", "network.mttr": "10us", "network.detection": "5us", "network.timeout": "4us",
		},
	}
}

// TestLinksFailOnAllMachines runs a program that checks its results on every machine with switches while
// links fail: nothing is lost for good, and all that is lost is sent again.
func TestLinksFailOnAllMachines(t *testing.T) {
	failed := 0.0
	for _, name := range machine.Names() {
		m, err := machine.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if !m.HasNetwork() {
			continue
		}
		s := failing(name)
		if name == "ssscore" { // which copies and combines
			s.Topology, s.Routing, s.Hosts = "", "", 0
		}
		system, err := Build(s)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		result, err := system.RunWorkload(context.Background())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		lost, _ := valueOf(result, "lost")
		if resent, told := valueOf(result, "resent"); !told || resent != lost {
			t.Errorf("%s: %v packets lost, %v sent again", name, lost, resent)
		}
		n, _ := valueOf(result, "failures")
		failed += n
	}
	if failed < 10 {
		t.Errorf("%v failures on all machines together; expected more", failed)
	}
}

// TestChoosingPacketsAvoidFailures fails a link of a leaf for good: packets that choose lose some until it
// is known, and none later.
func TestChoosingPacketsAvoidFailures(t *testing.T) {
	for _, routing := range []string{"ecmp", "spray", "adaptive"} {
		lostBy := map[string]float64{}
		for _, iterations := range []string{"3", "6"} {
			s := Scenario{
				Workload: "collective", Machine: "ndr", Topology: "fattree:k=4", Routing: routing, Seed: 1, Fail: "s0[1]@5us",
				Set: map[string]string{
					"operation": "alltoall", "bytes": "2048", "iterations": iterations, "warmup": "0",
					"network.detection": "5us", "network.timeout": "4us",
				},
			}
			system, err := Build(s)
			if err != nil {
				t.Fatal(err)
			}
			result, err := system.RunWorkload(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			lostBy[iterations], _ = valueOf(result, "lost")
		}
		if lostBy["3"] == 0 || lostBy["3"] != lostBy["6"] {
			t.Errorf("%s: %v packets lost by rounds; expected some, and as many in more rounds", routing, lostBy)
		}
	}
}

// TestDisconnectedPairIsNamed cuts hosts off for good.
func TestDisconnectedPairIsNamed(t *testing.T) {
	s := failing("ndr")
	s.Fail, s.Set["network.mtbf"] = "s4@20us", "0s"
	system, err := Build(s)
	if err != nil {
		t.Fatal(err)
	}
	_, err = system.RunWorkload(context.Background())
	if err == nil || !strings.Contains(err.Error(), "disconnected for good") || !strings.Contains(err.Error(), "out of service is s4") || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v; want one line that names the pair and the switch", err)
	}
}

// TestFailuresAreRefused lists where nothing can fail.
func TestFailuresAreRefused(t *testing.T) {
	for _, c := range []struct {
		machine, engine, fail, want string
	}{
		{"loggp", "", "s0@1us", "has no network"},
		{"ndr", "", "s0", "no time"},
		{"ndr", "", "nobody@1us", `no switch "nobody"`},
	} {
		_, err := Build(Scenario{Workload: "barrier", Machine: c.machine, Engine: c.engine, Fail: c.fail, Seed: 1})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v", c, err)
		}
	}
}

// TestFlowsFailAsPackets runs an allreduce of long messages past failures in both engines: within 3 % of each
// other.
func TestFlowsFailAsPackets(t *testing.T) {
	var took, lost [2]float64
	for i, engine := range []string{"packet", "flow"} {
		result := mustRun(t, Scenario{
			Workload: "collective", Machine: "ndr", Topology: "fattree:k=4", Engine: engine, Seed: 1, Fail: "s0[1]@100us..400us+s16@150us..500us+s2[1]@50us..300us/2",
			Set: set("operation=allreduce", "bytes=8MiB", "iterations=1", "warmup=0"),
		})
		took[i], _ = valueOf(result, "allreduce")
		lost[i], _ = valueOf(result, "lost")
		if resent, _ := valueOf(result, "resent"); resent != lost[i] || lost[i] == 0 {
			t.Errorf("%s: %v packets lost, %v sent again", engine, lost[i], resent)
		}
	}
	if off := took[1]/took[0] - 1; math.Abs(off) > 0.03 {
		t.Errorf("flows take %v us, packets %v us (%+.1f %%)", took[1], took[0], 100*off)
	}
}

// TestTrafficTellsWhatItLoses counts failures of open-loop traffic in the engine that is exact to the flit, where packets go
// one of several ways.
func TestTrafficTellsWhatItLoses(t *testing.T) {
	r := mustRun(t, Scenario{
		Workload: "pattern", Machine: "iqrouter", Topology: "torus:4x4", Seed: 1, Fail: "s5[1]@1us..3us+s2[1]@1us..2us/2",
		Set: set("loop=open", "packets=1000", "load=0.2", "network.detection=500ns", "network.timeout=1us"),
	})
	lost, told := valueOf(r, "lost")
	resent, _ := valueOf(r, "resent")
	if failures, _ := valueOf(r, "failures"); !told || lost == 0 || resent != lost || failures != 2 {
		t.Errorf("%v failures, %v packets lost, %v sent again; expected 2, and all that are lost", failures, lost, resent)
	}
}
