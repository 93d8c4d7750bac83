package mpitest_test

import (
	"fmt"
	"testing"
	"time"

	"musubi/live"
	"musubi/mpi"
	"musubi/rma"

	"golang.org/x/sys/unix"
)

// A rank that waits for long leaves its processor to others most of the time.
func TestLongWaitsTakeLittleOfAProcessor(t *testing.T) {
	j := jobs{test: "TestLongWaitsTakeLittleOfAProcessor"}
	const wait = 400 * time.Millisecond
	for _, transport := range []string{live.TransportShm, live.TransportTCP} {
		_, err := j.run(t, live.Config{Ranks: 2, Transport: transport}, func(p rma.Process) ([]byte, error) {
			return nil, mpi.Run(p, func(c *mpi.Comm) error {
				if err := mpi.Barrier(c); err != nil {
					return err
				}
				if c.Rank() == 1 {
					time.Sleep(wait)
					return mpi.Send(c, 0, 0, []byte{1})
				}
				before, err := processorTime()
				if err != nil {
					return err
				}
				if _, err := mpi.Receive(c, 1, 0, []byte{0}); err != nil {
					return err
				}
				after, err := processorTime()
				if took := after - before; err == nil && took > wait/2 {
					return fmt.Errorf("a wait of %v took %v of a processor; expected less than half", wait, took)
				}
				return err
			})
		})
		if err != nil {
			t.Errorf("%s: %v", transport, err)
		}
	}
}

// processorTime returns what all threads of this process have taken of processors.
func processorTime() (time.Duration, error) {
	var used unix.Rusage
	err := unix.Getrusage(unix.RUSAGE_SELF, &used)
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()), err
}
