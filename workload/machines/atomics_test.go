package machines_test

import (
	"fmt"
	"strings"
	"testing"

	"musubi"
)

// One request for several changes takes less time and fewer packets than a request for each, and
// both find the words as they have to be.
func TestSequencesAgainstRequests(t *testing.T) {
	for _, ranks := range []int{2, 3, 7} {
		took, packets := map[string]float64{}, map[string]int64{}
		for _, by := range []string{"interface", "sequence"} {
			s := musubi.Scenario{Workload: "atomics", Machine: "ssscore", Ranks: ranks, Set: map[string]string{"kind": "sequence", "by": by}}
			result, err := musubi.RunWorkload(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			packets[by] = result.Simulation.Packets
			for _, r := range result.Rows {
				if r.Metric == "atomic" {
					took[fmt.Sprint(r.Label("by"))] = r.Value
				}
			}
		}
		if !(took["sequence"] < took["interface"]) || !(packets["sequence"] < packets["interface"]) {
			t.Errorf("%d ranks: %v us with %v packets; want less by sequence", ranks, took, packets)
		}
	}
}

// What asks for sequences says where there are some, and what they are for.
func TestSequencesWhereThereAreNone(t *testing.T) {
	for _, test := range []struct{ machine, kind, says string }{
		{"ndr", "sequence", "requests of this machine have one change of a word each"},
		{"ssscore", "counter,queue", "only operations of kind=sequence change several words"},
	} {
		s := musubi.Scenario{Workload: "atomics", Machine: test.machine, Ranks: 2, Set: map[string]string{"kind": test.kind, "by": "sequence"}}
		if _, err := musubi.RunWorkload(t.Context(), s); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s, %s: error %v; expected one with %q", test.machine, test.kind, err, test.says)
		}
	}
}
