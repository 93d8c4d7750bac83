package transformer

import (
	"context"
	"fmt"
	"testing"

	"musubi/internal/check"
	"musubi/trace/goal/loggops"
	"musubi/trace/schedule"
	"musubi/workload/job/param"
)

// All keys and values pass from the ranks that read to those that generate, whatever their numbers, and each layer has
// two all-reduces for each batch of prompts and for each token.
func TestKeysAndValuesPass(t *testing.T) {
	for _, x := range []struct{ prefill, decode int }{{1, 1}, {8, 8}, {2, 8}, {8, 2}, {1, 4}} {
		var job Serve
		check.Must(t, param.Read(&job, map[string]string{"layers": "4", "prefill": fmt.Sprint(x.prefill), "decode": fmt.Sprint(x.decode), "batches": "3", "output": "5", "at-once": "2", "prompt": "128"}))
		check.Must(t, job.Check())
		s := job.Schedule()
		messages, err := s.Expanded()
		check.Must(t, err)
		_, err = loggops.Run(context.Background(), messages, loggops.Parameters{Eager: 1}, loggops.LogGOPSim)
		check.Must(t, err)
		bytes, calls := uint64(0), 0
		for rank := range s.Ranks {
			for _, op := range s.Ranks[rank].Ops {
				switch op.Kind {
				case schedule.Send:
					bytes += op.Size
				case schedule.Collective:
					calls++
				}
			}
		}
		// 2 x 4 layers x 8 heads of 128 elements x 2 B, for each token.
		if want := uint64(3 * 2 * 128 * 2 * 4 * 8 * 128 * 2); bytes != want {
			t.Errorf("%+v: %d bytes of keys and values; expected %d", x, bytes, want)
		}
		want := 0
		if x.prefill > 1 {
			want += x.prefill * 3 * 4 * 2
		}
		if x.decode > 1 {
			want += x.decode * 3 * 5 * 4 * 2
		}
		if calls != want {
			t.Errorf("%+v: %d calls of collective operations; expected %d", x, calls, want)
		}
	}
}
