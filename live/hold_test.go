package live

import (
	"runtime"
	"sync/atomic"
	"testing"

	"musubi/rma"
)

// What a program has sent reaches others though it is in no call any more, however much
// it has sent in a row.
func TestWhatIsHeldIsSentInTheBackground(t *testing.T) {
	for _, messages := range []int{1, 2, 3, 200} {
		var taken atomic.Int32
		err := newTestJob(t, variants["spinning"], 2, mixes["each alone"]).run(func(p rma.Process) error {
			if p.Rank() == 0 {
				for range messages {
					if ok, err := p.(rma.Messenger).IPushCopy(1, nil, one); !ok || err != nil {
						t.Errorf("a message is not sent: %v, %v", ok, err)
					}
				}
				for int(taken.Load()) < messages {
					runtime.Gosched()
				}
				return nil
			}
			for range messages {
				a, err := p.Next()
				if err == nil {
					err = p.Take(a, make([]byte, 1), rma.Cached)
				}
				if err != nil {
					return err
				}
				taken.Add(1)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}
