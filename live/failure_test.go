package live

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"musubi/live/wire"
	"musubi/rma"
)

// A rank whose copy has failed is told why, if that is known before others count as silent. It
// waits no longer than they may be, and not for ever.
func TestFailedCopiesWaitForTheReason(t *testing.T) {
	for _, c := range []struct{ bound, waits time.Duration }{
		{leastBound, leastBound}, {time.Second, time.Second}, {usualBound, usualBound}, {time.Hour, usualBound}, {0, usualBound},
	} {
		for _, known := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				job, err := variant{ringBytes: 1 << 10}.region(2)
				if err != nil {
					t.Fatal(err)
				}
				r := newRank(job, 0)
				r.bound = c.bound
				begin, waits, want := time.Now(), c.waits, "5 bytes could not be copied"
				if known {
					waits, want = waits/2, "the process of rank 1 was ended by a signal (killed)"
					time.AfterFunc(waits-time.Microsecond, func() { job.fail(failure{died, 1, -9}) })
				}
				err = r.errorOf(wire.Report{Code: wire.NotCopied}, rma.Address{Rank: 1}, 5)
				if took := time.Since(begin); took != waits || !strings.Contains(err.Error(), want) {
					t.Errorf("with a bound of %v it takes %v to say %v; want %v and %q", c.bound, took, err, waits, want)
				}
			})
		}
	}
}
