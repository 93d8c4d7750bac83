package machines_test

import (
	"fmt"
	"strings"
	"testing"

	"musubi"
)

// Whatever happens to processes and links, nothing that an intruder tries gets through, its victim
// is told of each attempt and of who it was, and one that is to be stopped tries less.
func TestIntrudersGetNothing(t *testing.T) {
	for _, conditions := range []string{
		"", "conditions.errors=1e-4", "conditions.scheduled=0.5 conditions.quantum=100us", "conditions.absent=0.5",
		"conditions.migrations=3@250us:9,0@400us:12 os.migrate=20us",
	} {
		set := map[string]string{"intruder": "3", "attempts": "8", "bytes": "100"}
		for _, c := range strings.Fields(conditions) {
			name, value, _ := strings.Cut(c, "=")
			set[name] = value
		}
		s := musubi.Scenario{Workload: "intruder", Machine: "ssscore", Ranks: 4, Set: set, Seed: 3}
		result, err := musubi.RunWorkload(t.Context(), s)
		if err != nil {
			t.Fatalf("%s: %v", conditions, err)
		}
		got := map[string]float64{}
		for _, r := range result.Rows {
			got[fmt.Sprint(r.Metric, " ", r.Label("statistic"), " of ", r.Label("access"), " ", r.Label("stop"))] = r.Value
		}
		for _, access := range []string{"write", "read", "add"} {
			for _, stop := range []bool{false, true} {
				of := func(what string) float64 {
					v, ok := got[fmt.Sprintf("%s of %s %v", what, access, stop)]
					if !ok {
						t.Errorf("%s: no row %s of %s, stop=%v", conditions, what, access, stop)
					}
					return v
				}
				made := of("attempts made")
				if !stop && made != 8 || stop && (made < 1 || made >= 8) || of("attempts reported") != made {
					t.Errorf("%s: %s, stop=%v: %v attempts, %v reported; want all, of 8 or fewer", conditions, access, stop, made, of("attempts reported"))
				}
				if left := made - of("attempts refused"); left != 0 && (!stop || left != 1) {
					t.Errorf("%s: %s, stop=%v: %v attempts were not refused", conditions, access, stop, left)
				}
				if of("intrusion written") != 0 || of("intrusion read") != 0 || of("offender rank") != 3 {
					t.Errorf("%s: %s, stop=%v: rows %v", conditions, access, stop, got)
				}
				if of("reaction told") <= 0 || stop && of("reaction stopped") <= 0 {
					t.Errorf("%s: %s, stop=%v: times that are not positive in %v", conditions, access, stop, got)
				}
			}
		}
	}
}
