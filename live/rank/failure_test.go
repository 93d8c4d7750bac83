package rank

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"musubi/live/health"
	"musubi/live/wire"
	"musubi/rma"
)

// A rank whose copy has failed is told why, if that is known before others count as silent. It
// waits no longer than they may be, and not for ever.
func TestFailedCopiesWaitForTheReason(t *testing.T) {
	for _, c := range []struct{ bound, waits time.Duration }{
		{health.LeastBound, health.LeastBound}, {time.Second, time.Second}, {health.UsualBound, health.UsualBound}, {time.Hour, health.UsualBound}, {0, health.UsualBound},
	} {
		for _, known := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				job, err := variant{ringBytes: 1 << 10}.region(2)
				if err != nil {
					t.Fatal(err)
				}
				r := New(job, 0)
				r.Bound = c.bound
				begin, waits, want := time.Now(), c.waits, "5 bytes could not be copied"
				if known {
					waits, want = waits/2, "the process of rank 1 was ended by a signal (killed)"
					time.AfterFunc(waits-time.Microsecond, func() { job.Fail(health.Failure{Cause: health.Died, Rank: 1, Status: -9}.Encode()) })
				}
				err = r.errorOf(wire.Report{Code: wire.NotCopied}, rma.Address{Rank: 1}, 5)
				if took := time.Since(begin); took != waits || !strings.Contains(err.Error(), want) {
					t.Errorf("with a bound of %v it takes %v to say %v; want %v and %q", c.bound, took, err, waits, want)
				}
			})
		}
	}
}
