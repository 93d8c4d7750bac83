package mpi_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"testing"

	"musubi"
	"musubi/mpi"
	"musubi/rma"
)

// What is wrong is refused with the class of MPI, and has no effect: afterwards the
// window serves as before.
func TestWindowsRefuse(t *testing.T) {
	type window = *mpi.Window[int64]
	one, sum := []int64{1}, mpi.Sum[int64]()
	user := mpi.Op[int64]{Apply: func(in, inout []int64) { copy(inout, in) }}
	block := mpi.Indexed(mpi.Block{Count: 1})
	none := func(window) error { return nil }
	fence, lock, lockAll := window.Fence, func(w window) error { return w.Lock(1) }, window.LockAll
	unlock, unlockAll := func(w window) error { return w.Unlock(1) }, window.UnlockAll
	used := func(w window) error { return errors.Join(w.Fence(), w.Put(1, 0, one)) }
	start := func(w window) error { return errors.Join(w.Post(0, 1), w.Start(0, 1)) }
	complete := func(w window) error { return errors.Join(w.Complete(), w.Wait()) }
	for _, test := range []struct {
		name   string
		before func(window) error
		call   func(window) error
		after  func(window) error
		class  mpi.ErrorClass
	}{
		{"Put without an epoch", none, func(w window) error { return w.Put(1, 0, one) }, none, mpi.ErrRMASync},
		{"Get without an epoch", none, func(w window) error { return w.Get(1, 0, []int64{0}) }, none, mpi.ErrRMASync},
		{"Accumulate without an epoch", none, func(w window) error { return w.Accumulate(0, 0, one, sum) }, none, mpi.ErrRMASync},
		{"FetchAndOp without an epoch", none, func(w window) error { _, err := w.FetchAndOp(1, 0, 1, sum); return err }, none, mpi.ErrRMASync},
		{"PutLayout without an epoch", none, func(w window) error { return w.PutLayout(1, 0, block, one, block) }, none, mpi.ErrRMASync},
		{"Put to another rank than the locked one", lock, func(w window) error { return w.Put(0, 0, one) }, unlock, mpi.ErrRMASync},
		{"Flush of another rank than the locked one", lock, func(w window) error { return w.Flush(0) }, unlock, mpi.ErrRMASync},
		{"Lock twice", lock, func(w window) error { return w.LockShared(1) }, unlock, mpi.ErrRMASync},
		{"LockAll in an epoch of Lock", lock, window.LockAll, unlock, mpi.ErrRMASync},
		{"UnlockAll in an epoch of Lock", lock, window.UnlockAll, unlock, mpi.ErrRMASync},
		{"Fence in an epoch of Lock", lock, window.Fence, unlock, mpi.ErrRMASync},
		{"Free in an epoch of Lock", lock, window.Free, unlock, mpi.ErrRMASync},
		{"Start in an epoch of Lock", lock, func(w window) error { return w.Start(1) }, unlock, mpi.ErrRMASync},
		{"Lock in an epoch of LockAll", lockAll, lock, unlockAll, mpi.ErrRMASync},
		{"Unlock in an epoch of LockAll", lockAll, unlock, unlockAll, mpi.ErrRMASync},
		{"Unlock without Lock", none, unlock, none, mpi.ErrRMASync},
		{"UnlockAll without LockAll", none, window.UnlockAll, none, mpi.ErrRMASync},
		{"Flush without an epoch", none, func(w window) error { return w.Flush(1) }, none, mpi.ErrRMASync},
		{"FlushAll in an epoch of Fence", fence, window.FlushAll, none, mpi.ErrRMASync},
		{"FlushLocal without an epoch", none, func(w window) error { return w.FlushLocal(1) }, none, mpi.ErrRMASync},
		{"FlushLocalAll without an epoch", none, window.FlushLocalAll, none, mpi.ErrRMASync},
		{"Lock in an epoch of Fence that is used", used, lock, fence, mpi.ErrRMASync},
		{"Complete without Start", none, window.Complete, none, mpi.ErrRMASync},
		{"Wait without Post", none, window.Wait, none, mpi.ErrRMASync},
		{"Test without Post", none, func(w window) error { _, err := w.Test(); return err }, none, mpi.ErrRMASync},
		{"Post twice", start, func(w window) error { return w.Post(0) }, complete, mpi.ErrRMASync},
		{"Lock in an epoch of Start", start, lock, complete, mpi.ErrRMASync},
		{"Post with a rank twice", none, func(w window) error { return w.Post(1, 1) }, none, mpi.ErrGroup},
		{"Start with a rank beyond the last", none, func(w window) error { return w.Start(2) }, none, mpi.ErrRank},
		{"Put to a rank beyond the last", lockAll, func(w window) error { return w.Put(2, 0, one) }, unlockAll, mpi.ErrRank},
		{"Lock of a negative rank", none, func(w window) error { return w.Lock(-1) }, none, mpi.ErrRank},
		{"Flush of a rank beyond the last", lockAll, func(w window) error { return w.Flush(2) }, unlockAll, mpi.ErrRank},
		{"Put beyond the end", lockAll, func(w window) error { return w.Put(1, 3, []int64{1, 2}) }, unlockAll, mpi.ErrRMARange},
		{"Put behind the end", lockAll, func(w window) error { return w.Put(1, 5, nil) }, unlockAll, mpi.ErrRMARange},
		{"Get before the beginning", lockAll, func(w window) error { return w.Get(1, -1, []int64{0}) }, unlockAll, mpi.ErrRMARange},
		{"Get from far behind the end", lockAll, func(w window) error { return w.Get(1, 1<<62, []int64{0}) }, unlockAll, mpi.ErrRMARange},
		{"CompareAndSwap beyond the end", lockAll, func(w window) error { _, err := w.CompareAndSwap(1, 4, 0, 1); return err }, unlockAll, mpi.ErrRMARange},
		{"layout beyond the end", lockAll, func(w window) error {
			return w.PutLayout(1, 2, mpi.Vector(2, 1, 2), []int64{1, 2}, mpi.Vector(2, 1, 1))
		}, unlockAll, mpi.ErrRMARange},
		{"layout beyond the data", lockAll, func(w window) error {
			return w.GetLayout(1, 0, mpi.Vector(2, 1, 2), []int64{1, 2}, mpi.Vector(2, 1, 2))
		}, unlockAll, mpi.ErrArgument},
		{"layouts of different lengths", lockAll, func(w window) error {
			return w.AccumulateLayout(1, 0, mpi.Vector(3, 1, 1), []int64{1, 2}, mpi.Vector(2, 1, 1), sum)
		}, unlockAll, mpi.ErrCount},
		{"GetAccumulate of different lengths", lockAll, func(w window) error { return w.GetAccumulate(1, 0, one, make([]int64, 2), sum) }, unlockAll, mpi.ErrCount},
		{"operation of the program's own", lockAll, func(w window) error { return w.Accumulate(1, 0, one, user) }, unlockAll, mpi.ErrOp},
		{"fetch with an operation of the program's own", lockAll, func(w window) error { _, err := w.FetchAndOp(1, 0, 1, user); return err }, unlockAll, mpi.ErrOp},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := job{machine: "loggp", ranks: 2}.run(func(c *mpi.Comm) error {
				w, err := mpi.AllocateWindow[int64](c, 4)
				if err != nil {
					return err
				}
				if err := test.before(w); err != nil {
					return err
				}
				if err := test.call(w); !errors.Is(err, test.class) {
					return fmt.Errorf("error %v; expected one of class %q", err, test.class)
				}
				if err := test.after(w); err != nil {
					return err
				}
				return errors.Join(ringOfPuts(w, 2, 1, fenced), w.Free())
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

func TestWindowsThatAreNoMore(t *testing.T) {
	err := job{machine: "loggp", ranks: 2}.run(func(c *mpi.Comm) error {
		w, err := mpi.AllocateWindow[int64](c, 4)
		if err != nil {
			return err
		}
		if err := w.Free(); err != nil {
			return err
		}
		for _, w := range []*mpi.Window[int64]{nil, w} {
			_, fetched := w.FetchAndOp(1, 0, 1, mpi.Sum[int64]())
			_, swapped := w.CompareAndSwap(1, 0, 0, 1)
			_, tested := w.Test()
			_, put := w.RPut(1, 0, nil)
			_, got := w.RGet(1, 0, nil)
			for i, err := range []error{
				w.Put(1, 0, nil), w.Get(1, 0, nil), w.Accumulate(1, 0, nil, mpi.Sum[int64]()), fetched, swapped, tested, put, got,
				w.PutLayout(1, 0, mpi.Layout{}, nil, mpi.Layout{}), w.AccumulateLayout(1, 0, mpi.Layout{}, nil, mpi.Layout{}, mpi.Sum[int64]()),
				w.Lock(1), w.Unlock(1), w.LockAll(), w.UnlockAll(), w.Flush(1), w.FlushLocal(1), w.FlushAll(), w.FlushLocalAll(),
				w.Fence(), w.Sync(), w.Post(), w.Start(), w.Complete(), w.Wait(), w.Free(),
			} {
				if !errors.Is(err, mpi.ErrWindow) {
					return fmt.Errorf("call %d: error %v; expected ErrWindow", i, err)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// Windows that cannot be made are refused: at all ranks if it takes several to see why.
func TestWindowsThatCannotBeMade(t *testing.T) {
	everywhere(t, 2, func(c *mpi.Comm) error {
		for _, n := range []int{-1, 1 << 45, 1 << 61, math.MaxInt} {
			if _, err := mpi.AllocateWindow[int64](c, n); !errors.Is(err, mpi.ErrCount) {
				return fmt.Errorf("%d elements: error %v", n, err)
			}
		}
		if _, err := mpi.NewWindow(c, []string{"a"}); !errors.Is(err, mpi.ErrType) {
			return fmt.Errorf("strings: error %v", err)
		}
		if _, err := mpi.AllocateWindow[int64](nil, 1); !errors.Is(err, mpi.ErrComm) {
			return fmt.Errorf("no communicator: error %v", err)
		}
		var err error
		if c.Rank() == 0 {
			_, err = mpi.AllocateWindow[int64](c, 1)
		} else {
			_, err = mpi.NewWindow(c, make([]float64, 1))
		}
		if !errors.Is(err, mpi.ErrType) {
			return fmt.Errorf("different types: error %v", err)
		}
		w, err := mpi.AllocateWindow[struct{ A, B int16 }](c, 3)
		if err != nil {
			return err
		}
		if err := w.Fence(); err != nil {
			return err
		}
		_, err = w.FetchAndOp(0, 0, struct{ A, B int16 }{}, mpi.Replace[struct{ A, B int16 }]())
		if !errors.Is(err, mpi.ErrOp) {
			return fmt.Errorf("structs are combined: error %v", err)
		}
		_, err = w.CompareAndSwap(0, 0, struct{ A, B int16 }{}, struct{ A, B int16 }{})
		if !errors.Is(err, mpi.ErrType) {
			return fmt.Errorf("structs are compared: error %v", err)
		}
		return errors.Join(w.Fence(), w.Free())
	})
}

// exposures is a process that knows what it has exposed.
type exposures struct {
	rma.Process
	open map[int][]byte // by segment
}

func (x *exposures) Expose(memory []byte) int {
	segment := x.Process.Expose(memory)
	x.open[segment] = memory
	return segment
}

func (x *exposures) ExposeWindow(bytes int) (int, []byte, error) {
	segment, memory, err := x.Process.ExposeWindow(bytes)
	if err == nil {
		x.open[segment] = memory
	}
	return segment, memory, err
}

func (x *exposures) Withdraw(segment int) error {
	delete(x.open, segment)
	return x.Process.Withdraw(segment)
}

// shows reports whether memory is exposed.
func (x *exposures) shows(memory []byte) bool {
	for _, m := range x.open {
		if len(m) > 0 && &m[0] == &memory[0] {
			return true
		}
	}
	return false
}

// Neither a window that has been freed is exposed, nor what has been put.
func TestWhatIsDoneIsNotExposed(t *testing.T) {
	for _, machine := range machines {
		system, err := job{machine: machine, ranks: 2}.system()
		if err != nil {
			t.Fatal(err)
		}
		_, err = system.Run(context.Background(), func(p rma.Process) error {
			x := &exposures{p, map[int][]byte{}}
			c, err := mpi.New(x)
			if err != nil {
				return err
			}
			w, err := mpi.AllocateWindow[byte](c, 8000)
			if err != nil {
				return err
			}
			data := make([]byte, 8000)
			if err := errors.Join(w.Fence(), w.Put(1-c.Rank(), 0, data)); err != nil {
				return err
			}
			if !x.shows(w.Memory()) || !x.shows(data) {
				return errors.New("the window is not exposed, or what is being put is not")
			}
			if err := w.Fence(); err != nil {
				return err
			}
			if x.shows(data) {
				return errors.New("what has been put is still exposed")
			}
			memory := w.Memory()
			if err := w.Free(); err != nil {
				return err
			}
			if x.shows(memory) {
				return errors.New("a window that has been freed is still exposed")
			}
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", machine, err)
		}
	}
}

// Messages for windows that nobody who uses one can have sent are errors that name
// their sender, and change nothing.
func TestForeignMessagesForWindows(t *testing.T) {
	const kind = 6 // see envelope.go
	message := func(context uint32, id uint32, body ...byte) []byte {
		b := forged(kind, id, 0, uint64(len(body)))
		binary.LittleEndian.PutUint32(b[4:], context)
		return append(b, body...)
	}
	run := func(at, n byte) []byte { return []byte{at, 0, 0, 0, 0, 0, 0, 0, n, 0, 0, 0, 0, 0, 0, 0} }
	const context = 2 // of the first communicator that is made
	for name, garbage := range map[string][]byte{
		"for no window":               message(20, 0, 1, 1, 0, 0, 0, 0, 0, 0),
		"of no action":                message(context, 0, 0, 1, 0, 0, 0, 0, 0, 0),
		"of no operation":             message(context, 0, 1, 0, 0, 0, 0, 0, 0, 0),
		"short":                       message(context, 0, 1, 1),
		"runs that are not there":     message(context, 0, 1, 1, 0, 0, 9, 0, 0, 0),
		"beyond the end":              message(context, 0, append([]byte{1, 1, 0, 0, 1, 0, 0, 0}, run(4, 1)...)...),
		"without elements":            message(context, 0, append([]byte{1, 1, 0, 0, 1, 0, 0, 0}, run(0, 1)...)...),
		"fetch beyond the end":        message(context, 0, append([]byte{2, 14, 0, 0, 1, 0, 0, 0}, run(0, 200)...)...),
		"comparison without elements": message(context, 0, append([]byte{3, 0, 0, 0, 1, 0, 0, 0}, run(0, 1)...)...),
		"answer to nothing":           message(context, 3, 4, 0, 0, 0, 0, 0, 0, 0),
		"confirmation of nothing":     message(context, 0, 6, 0, 0, 0, 0, 0, 0, 0),
		"release of no lock":          message(context, 0, 11, 0, 0, 0, 0, 0, 0, 0),
	} {
		t.Run(name, func(t *testing.T) {
			everywhere(t, 2, func(c *mpi.Comm) error {
				w, err := mpi.AllocateWindow[int64](c, 4)
				if err != nil {
					return err
				}
				if c.Rank() == 1 {
					err := push(c.Process(), 0, garbage)
					return errors.Join(err, mpi.Send(c, 0, 0, []byte{9}), ringOfPuts(w, 2, 1, fenced), w.Free())
				}
				r, err := mpi.IReceive(c, 1, 0, make([]byte, 1))
				if err != nil {
					return err
				}
				_, err = r.Wait()
				if err := expectFailure("foreign message", err, 1); err != nil {
					return err
				}
				_, err = r.Wait()
				return errors.Join(err, ringOfPuts(w, 2, 1, fenced), w.Free())
			})
		})
	}
}

// faultyAccess is a faulty process of which Push may fail as well.
type faultyAccess struct{ *faulty }

func (f faultyAccess) Push(to rma.Address, data []byte, by rma.Mechanism) (rma.Op, error) {
	if err := f.fails("Push"); err != nil {
		return 0, err
	}
	return f.Process.Push(to, data, by)
}

// accessEverything accesses the other rank in all ways.
func accessEverything(c *mpi.Comm) error {
	w, err := mpi.NewWindow(c, make([]int64, 4000))
	if err != nil {
		return err
	}
	other := 1 - c.Rank()
	for range 2 {
		for _, n := range []int{1, 2000} {
			data, into := make([]int64, n), make([]int64, n)
			access := func() error {
				for _, err := range []error{
					w.Put(other, 0, data), w.Get(other, 2000, into), w.Accumulate(other, 0, data, mpi.Sum[int64]()),
					w.GetAccumulate(other, 0, data, into, mpi.Sum[int64]()),
				} {
					if err != nil {
						return err
					}
				}
				_, err := w.FetchAndOp(other, 0, 1, mpi.Sum[int64]())
				return err
			}
			for _, step := range []func() error{
				w.Fence, access, w.Fence,
				func() error { return w.Lock(other) }, access, func() error { return w.Unlock(other) },
			} {
				if err := step(); err != nil {
					return err
				}
			}
		}
	}
	return w.Free()
}

// A failure of the machine, whenever it comes, is an error of class ErrOther; nothing
// hangs.
func TestFailuresOfTheMachineInAccesses(t *testing.T) {
	for _, method := range []string{"IPush", "Push", "Pull", "Test", "Await", "Poll", "Next", "Take", "Withdraw"} {
		t.Run(method, func(t *testing.T) {
			for after := 0; after < 40; after = 2*after + 1 {
				var got error // at the process whose machine fails
				s := musubi.Scenario{Machine: "loggp", Ranks: 2}
				_, err := musubi.Run(context.Background(), s, func(p rma.Process) error {
					f := faultyAccess{&faulty{Process: p, method: method, after: after}}
					if p.Rank() == 1 {
						f.method = ""
					}
					c, err := mpi.New(f)
					if err == nil {
						err = accessEverything(c)
					}
					if p.Rank() == 0 {
						got = err
						return err
					}
					return nil // it may learn of the failure, or wait until the run ends
				})
				failed := errors.Is(got, errBroken) && errors.Is(got, mpi.ErrOther) && err != nil
				if never := got == nil && err == nil && after > 2; !failed && !never {
					t.Errorf("failing after %d calls: error %v; expected ErrOther with %q", after, got, errBroken)
				}
			}
		})
	}
}
