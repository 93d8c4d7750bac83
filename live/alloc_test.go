package live

import (
	"testing"

	"musubi/rma"
)

// What is done over and over allocates nothing, so that it does not wake the garbage
// collector.
func TestOperationsDoNotAllocate(t *testing.T) {
	for _, n := range []int{8, 4 << 10, directBytes} {
		err := inProcess(variants["spinning"], 1, func(p rma.Process) error {
			memory, data := make([]byte, n), make([]byte, n)
			segment := p.Expose(memory)
			to := rma.Address{Segment: segment}
			var failed error
			note := func(op rma.Op, err error) {
				if err == nil {
					err = p.Wait(op)
				}
				if err != nil {
					failed = err
				}
			}
			if got := testing.AllocsPerRun(100, func() { note(p.Push(to, data, rma.DMA)) }); got != 0 {
				t.Errorf("a push of %d bytes allocates %v times", n, got)
			}
			if got := testing.AllocsPerRun(100, func() { note(p.Pull(to, data)) }); got != 0 {
				t.Errorf("a pull of %d bytes allocates %v times", n, got)
			}
			return failed
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
