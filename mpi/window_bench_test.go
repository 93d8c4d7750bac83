package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"musubi/mpi"
	"musubi/rma"
)

// sharedMemory is a process that copies straight to the windows of the others, as in
// worlds where ranks share memory.
type sharedMemory struct {
	rma.Process
	windows []map[int][]byte // of all ranks, by segment
}

func (s *sharedMemory) ExposeWindow(bytes int) (int, []byte, error) {
	segment, memory, err := s.Process.ExposeWindow(bytes)
	s.windows[s.Rank()][segment] = memory
	return segment, memory, err
}

func (s *sharedMemory) Push(to rma.Address, data []byte, by rma.Mechanism) (rma.Op, error) {
	if memory, ok := s.windows[to.Rank][to.Segment]; ok {
		copy(memory[to.Offset:], data)
		return 0, nil
	}
	return s.Process.Push(to, data, by)
}

func (s *sharedMemory) Pull(from rma.Address, into []byte) (rma.Op, error) {
	if memory, ok := s.windows[from.Rank][from.Segment]; ok {
		copy(into, memory[from.Offset:])
		return 0, nil
	}
	return s.Process.Pull(from, into)
}

// inSharedMemory runs a program on some ranks that share memory.
func inSharedMemory(ranks int, program func(c *mpi.Comm) error) error {
	system, err := job{machine: "loggp", ranks: ranks}.system()
	if err != nil {
		return err
	}
	windows := make([]map[int][]byte, ranks)
	for i := range windows {
		windows[i] = map[int][]byte{}
	}
	_, err = system.Run(context.Background(), func(p rma.Process) error {
		c, err := mpi.New(&sharedMemory{p, windows})
		if err != nil {
			return err
		}
		return program(c)
	})
	return err
}

// accessAgain accesses one element of rank 1 from rank 0, again and again.
func accessAgain(c *mpi.Comm, again func(access func() error) error, access func(w *mpi.Window[int64], data []int64) error) error {
	w, err := mpi.AllocateWindow[int64](c, 100)
	if err != nil {
		return err
	}
	if err := w.LockAll(); err != nil {
		return err
	}
	if c.Rank() == 0 {
		data := make([]int64, 1)
		err = again(func() error { return access(w, data) })
	}
	return errors.Join(err, w.UnlockAll(), w.Free())
}

func putAndFlush(w *mpi.Window[int64], data []int64) error {
	if err := w.Put(1, 7, data); err != nil {
		return err
	}
	return w.Flush(1)
}

func getAndFlush(w *mpi.Window[int64], data []int64) error {
	if err := w.Get(1, 7, data); err != nil {
		return err
	}
	return w.Flush(1)
}

func fetchAndAdd(w *mpi.Window[int64], _ []int64) error {
	_, err := w.FetchAndOp(1, 7, 1, mpi.Sum[int64]())
	return err
}

func accumulateAndFlush(w *mpi.Window[int64], data []int64) error {
	if err := w.Accumulate(1, 7, data, mpi.Sum[int64]()); err != nil {
		return err
	}
	return w.Flush(1)
}

// Where ranks share memory, Put, Get and Flush need no memory of their own.
func TestAccessesDoNotAllocate(t *testing.T) {
	for name, access := range map[string]func(*mpi.Window[int64], []int64) error{"Put": putAndFlush, "Get": getAndFlush} {
		err := inSharedMemory(2, func(c *mpi.Comm) error {
			return accessAgain(c, func(access func() error) error {
				var err error
				allocated := testing.AllocsPerRun(1000, func() { err = errors.Join(err, access()) })
				if allocated > 0 {
					err = fmt.Errorf("%v allocations", allocated)
				}
				return err
			}, access)
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What an access of 8 bytes costs the processor: of Put and Get where ranks share
// memory, of which the copy is a part, and of those that pass messages on a machine
// that is simulated at the same time.
func BenchmarkAccess(b *testing.B) {
	for _, bench := range []struct {
		name   string
		access func(*mpi.Window[int64], []int64) error
	}{
		{"put", putAndFlush}, {"get", getAndFlush}, {"fetch", fetchAndAdd}, {"accumulate", accumulateAndFlush},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			err := inSharedMemory(2, func(c *mpi.Comm) error {
				return accessAgain(c, func(access func() error) error {
					for b.Loop() {
						if err := access(); err != nil {
							return err
						}
					}
					return nil
				}, bench.access)
			})
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}
