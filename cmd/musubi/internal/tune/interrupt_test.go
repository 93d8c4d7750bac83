package tune

import (
	"strings"
	"testing"
)

// What is missing are the operations left for some ranks, and all for those that follow.
func TestRestOfAPlan(t *testing.T) {
	p := plan{ranks: []int{2, 3, 4}, operations: []string{"barrier", "scan", "exscan"}}
	for _, test := range []struct {
		ranks, operation int
		want             string
	}{
		{0, 0, "--ranks 2,3,4"},
		{1, 0, "--ranks 3,4"},
		{1, 1, "--ranks 3 --operation scan,exscan; --ranks 4"},
		{2, 2, "--ranks 4 --operation exscan"},
	} {
		if got := strings.Join(p.rest(test.ranks, test.operation), "; "); got != test.want {
			t.Errorf("from operation %d of number %d on: %q; expected %q", test.operation, test.ranks, got, test.want)
		}
	}
}
