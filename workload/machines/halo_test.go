package machines_test

import (
	"fmt"
	"testing"

	"musubi"
	"musubi/internal/check"
	"musubi/workload"
)

func TestMain(m *testing.M) {
	check.CollectLess()
	m.Run()
}

// haloRows runs exchanges, which look at their data themselves.
func haloRows(t *testing.T, s musubi.Scenario) []workload.Row {
	t.Helper()
	s.Workload = "halo"
	result, err := musubi.RunWorkload(t.Context(), s)
	if err != nil {
		t.Fatalf("%s, %d ranks, %v: %v", s.Machine, s.Ranks, s.Set, err)
	}
	var rows []workload.Row
	for _, r := range result.Rows {
		if r.Metric == "exchange" || r.Metric == "total" || r.Metric == "overlap" {
			rows = append(rows, r)
		}
	}
	return rows
}

// Every stencil is exchanged by each protocol between few ranks, which are their own
// neighbours or the same in several ways, with command queues and without.
func TestHaloOfFewRanks(t *testing.T) {
	for machine, protocols := range map[string]string{"tofu2": "all", "rhinet2": "fast", "loggp": "fast"} {
		for _, stencil := range []string{"1d", "2d5", "2d9", "3d"} {
			for _, ranks := range []int{1, 2, 3, 4, 6, 9} {
				rows := haloRows(t, musubi.Scenario{Machine: machine, Ranks: ranks, Set: map[string]string{
					"stencil": stencil, "protocol": protocols, "bytes": "0,3000", "iterations": "1", "warmup": "1",
				}})
				seen := map[string]int{}
				for _, r := range rows {
					if machine != "tofu2" && (r.Label("protocol") != "prdma" || r.Label("queues") != 0) {
						t.Errorf("%s has no queues, but %v", machine, r)
					}
					if !r.Sized {
						t.Errorf("no size: %v", r)
					}
					seen[r.Metric]++
				}
				want := 2 // sizes
				if protocols == "all" {
					want *= 6
				}
				if seen["exchange"] != want || seen["total"] != want || seen["overlap"] != want {
					t.Errorf("%s on %s, %d ranks: %v rows; want %d", stencil, machine, ranks, seen, want)
				}
			}
		}
	}
}

// A queue for each neighbour, one for all and each number between carry an exchange.
func TestHaloByNumbersOfQueues(t *testing.T) {
	rows := haloRows(t, musubi.Scenario{Machine: "tofu2", Topology: "tofu:3x3x1x1x1x1", Set: map[string]string{
		"stencil": "2d9", "queues": "1..8", "bytes": "4KiB", "iterations": "2",
	}})
	var queues []any
	for _, r := range rows {
		if r.Metric == "exchange" {
			queues = append(queues, r.Label("queues"))
		}
	}
	if got := fmt.Sprint(queues); got != "[1 2 3 4 5 6 7 8]" {
		t.Errorf("queues %s", got)
	}
}

// Command queues hide an exchange behind a computation that is as long, or longer. The
// processor that has to see who is ready hides less, the longer the data takes.
func TestHaloOverlap(t *testing.T) {
	for _, compute := range []string{"exchange", "40us"} {
		for _, r := range haloRows(t, musubi.Scenario{Machine: "tofu2", Topology: "tofu:8x1x1x1x1x1", Set: map[string]string{
			"protocol": "fast,mrc,prdma", "bytes": "0,1,1000,4KiB,16KiB,48KiB,65535", "compute": compute, "iterations": "5",
		}}) {
			if r.Metric != "overlap" {
				continue
			}
			switch r.Label("protocol") {
			case "prdma":
				if r.Bytes >= 16<<10 && r.Value >= 0.5 {
					t.Errorf("beside %s, PRDMA hides %v of %d B; want less than half", compute, r.Value, r.Bytes)
				}
			default:
				if r.Value < 0.95 {
					t.Errorf("beside %s, %v hides %v of %d B; want 0.95", compute, r.Label("protocol"), r.Value, r.Bytes)
				}
			}
		}
	}
}

// Paired sends and receives exchange the same, with a queue for each of them, and hide as much.
func TestHaloByPairs(t *testing.T) {
	for _, stencil := range []string{"1d", "2d9"} {
		for _, r := range haloRows(t, musubi.Scenario{Machine: "tofu2", Topology: "tofu:4x4x1x1x1x1", Set: map[string]string{
			"calls": "pairs", "stencil": stencil, "protocol": "fast,prdma", "bytes": "0,1000,16KiB", "compute": "40us", "iterations": "2",
		}}) {
			edges := 2 * len(map[string]string{"1d": "--", "2d9": "--------"}[stencil])
			if r.Label("protocol") == "fast" && (r.Label("queues") != edges || r.Metric == "overlap" && r.Value < 0.95) {
				t.Errorf("%s by FAST: %v; want %d queues, and all waiting hidden", stencil, r, edges)
			}
			if r.Label("protocol") == "prdma" && r.Label("queues") != 0 {
				t.Errorf("%s by PRDMA: %v; want no queues", stencil, r)
			}
		}
	}
}

// Messages exchange the same, whether the interface matches them or not. A card that pulls long ones
// by itself hides more of the exchange behind a computation.
func TestHaloByMessages(t *testing.T) {
	total := map[string]float64{}
	for _, machine := range []string{"dimmnet2", "dimmnet2-match"} {
		for _, r := range haloRows(t, musubi.Scenario{Machine: machine, Ranks: 6, Set: map[string]string{
			"calls": "messages", "stencil": "2d9", "bytes": "0,1000,64KiB", "compute": "1ms", "iterations": "3",
		}}) {
			if r.Label("protocol") != "messages" || r.Label("queues") != 0 {
				t.Errorf("%s: %v; want messages, and no queues", machine, r)
			}
			if r.Metric == "total" && r.Bytes == 64<<10 {
				total[machine] = r.Value
			}
		}
	}
	if total["dimmnet2-match"] >= total["dimmnet2"] {
		t.Errorf("exchange of 64 KiB and computation in %v us; expected less where the card matches", total)
	}
}

// Where queues run out, an exchange does with fewer, and says so.
func TestHaloWithFewQueues(t *testing.T) {
	for limit, want := range map[string]string{"2": "fast 2", "1": "mrc 1"} {
		rows := haloRows(t, musubi.Scenario{Machine: "tofu2", Topology: "tofu:4x1x1x1x1x1", Set: map[string]string{
			"protocol": "fast", "bytes": "16KiB", "iterations": "1", "queue.per_process": limit,
		}})
		if got := fmt.Sprint(rows[0].Label("protocol"), " ", rows[0].Label("queues")); got != want {
			t.Errorf("%s queues: got %s, want %s", limit, got, want)
		}
	}
}

// One agent of each host serves all its ranks, with as few queues as it is given, and hides as much
// as queues of their own do. The exchanges look at their data themselves.
func TestHaloByAgents(t *testing.T) {
	for _, c := range []struct{ place, processes, stencil, queues string }{
		{"block:2", "2", "1d", "1..2"}, {"cyclic:2", "2", "2d9", "1..3"}, {"block:4", "4", "2d5", "1,4"},
	} {
		seen := map[any]bool{}
		for _, r := range haloRows(t, musubi.Scenario{Machine: "tofu2", Topology: "tofu:4x2x1x1x1x1", Place: c.place, Set: map[string]string{
			"protocol": "agent", "queues": c.queues, "stencil": c.stencil, "queue.processes": c.processes,
			"bytes": "0,3000", "compute": "60us", "iterations": "2",
		}}) {
			seen[r.Label("queues")] = true
			if r.Label("protocol") != "agent" {
				t.Errorf("%s: %v; want an agent", c.place, r)
			}
			if r.Metric == "overlap" && r.Value < 0.95 {
				t.Errorf("%s: beside a computation, %v queues hide %v of %d B; want 0.95", c.place, r.Label("queues"), r.Value, r.Bytes)
			}
		}
		if want := map[string]int{"1..2": 2, "1..3": 3, "1,4": 2}[c.queues]; len(seen) != want {
			t.Errorf("%s: numbers of queues %v; want %s", c.place, seen, c.queues)
		}
	}
}

// An agent whose queues are too short, or that gets none, leaves the data to the processors.
func TestHaloByAgentsWithoutQueues(t *testing.T) {
	for name, set := range map[string]string{"queue.entries": "8", "queue.per_process": "1"} {
		rows := haloRows(t, musubi.Scenario{Machine: "tofu2", Topology: "tofu:4x1x1x1x1x1", Place: "block:2", Set: map[string]string{
			"protocol": "agent", "queues": "2", "stencil": "2d5", "bytes": "100", "iterations": "1", name: set,
		}})
		want := map[string]string{"queue.entries": "prdma 0", "queue.per_process": "agent 1"}[name]
		if got := fmt.Sprint(rows[0].Label("protocol"), " ", rows[0].Label("queues")); got != want {
			t.Errorf("%s = %s: got %s, want %s", name, set, got, want)
		}
	}
}
