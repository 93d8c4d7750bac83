package access_test

import (
	"fmt"
	"strings"
	"testing"

	"musubi/workload"
	"musubi/workload/access"
	"musubi/workload/internal/ideal"
)

// On a machine where a write of 100 bytes takes 1.1 us there and 1 us back, and is started
// in no time, all of them take as long as one, and one after the other as many times that.
func TestMembarTakesTheTimeOfTheLastWrite(t *testing.T) {
	const there, back = 1.1, 1.0
	rows := ideal.Rows(t, access.Membar, ideal.Set("writes=1,5", "targets=1..3", "bytes=100"), workload.Env{Ranks: 4})
	seen := map[string]int{}
	for _, r := range rows {
		n := float64(r.Label("writes").(int))
		want := there + back
		switch by := r.Label("by"); {
		case r.Metric == "overlap":
			want = 1
		case r.Metric == "writes" && by == "each":
			want *= n
		}
		ideal.Near(t, fmt.Sprint(r.Metric, r.Labels), r.Value, want)
		seen[fmt.Sprint(r.Metric, " ", r.Label("by"))]++
	}
	for _, name := range []string{"membar fence", "membar waits", "writes fence", "writes waits", "writes each", "overlap fence"} {
		if seen[name] != 2*3 {
			t.Errorf("%d rows of %s, want 6", seen[name], name)
		}
	}
}

// A short computation vanishes; of one that is longer, as much as the barrier takes does.
func TestMembarOverlap(t *testing.T) {
	for _, compute := range []string{"100ns", "10us"} {
		for _, r := range ideal.Rows(t, access.Membar, ideal.Set("writes=3", "compute="+compute), workload.Env{Ranks: 2}) {
			if r.Metric == "overlap" {
				ideal.Near(t, compute, r.Value, 1)
			}
		}
	}
}

func TestMembarRefusesParameters(t *testing.T) {
	for _, test := range []struct {
		setting, says string
		ranks         int
	}{
		{"targets=3", "expected numbers from 1 to 2", 3},
		{"targets=1", "expected two ranks or more", 1},
		{"writes=0", "expected numbers from 1 to", 3},
		{"writes=20000", "expected numbers from 1 to 10000", 3},
		{"bytes=64MiB", "16 writes of 67108864 bytes are more than 256MiB together", 3},
		{"compute=long", "expected a time such as 20us", 3},
	} {
		_, err := access.Membar.Prepare(ideal.Set(test.setting), workload.Env{Ranks: test.ranks})
		if err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: error %v; expected one with %q", test.setting, err, test.says)
		}
	}
}
