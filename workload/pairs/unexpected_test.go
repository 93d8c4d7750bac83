package pairs

import (
	"testing"

	"musubi/workload"
	"musubi/workload/internal/ideal"
)

// A receive that names its sender looks at that one's messages where each sender has a
// ring, and here at the first of them. In a ring that all share the messages of n
// senders lie one behind the other in turn; the first receive passes those of all
// others, and the last one none.
func TestReceivesSearchOneRingOnlyIfRingsArePrivate(t *testing.T) {
	const messages = 10
	for _, ranks := range []int{2, 5, 9} {
		for _, test := range []struct {
			rings       string
			least, most float64
		}{{"private", 1, 1}, {"shared", float64(ranks-1) / 2, float64((ranks - 1) * messages)}} {
			rows := ideal.Rows(t, Unexpected, ideal.Set("messages=10", "rings="+test.rings), workload.Env{Ranks: ranks})
			if rows[0].Metric != "searched" || rows[0].Value < test.least || rows[0].Value > test.most {
				t.Errorf("%d ranks, %s rings: %+v; expected from %v to %v messages", ranks, test.rings, rows, test.least, test.most)
			}
		}
	}
}
