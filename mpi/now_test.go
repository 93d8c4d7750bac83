package mpi_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"musubi/mpi"
	"musubi/mpi/mpitest"
	"musubi/rma"
)

// inPlace is a process of any machine with zero-copy receives, as processes of a host with shared
// memory do. What it gives in place it has taken before.
type inPlace struct{ rma.Process }

var _ rma.Messenger = inPlace{}

func (l inPlace) IPushCopy(to int, head, data []byte) (sent bool, err error) {
	op, err := l.IPush(to, slices.Concat(head, data), rma.DMA)
	if err != nil {
		return false, err
	}
	return true, l.Wait(op)
}

func (l inPlace) IPushWord(to int, head uint64, data []byte) (sent bool, err error) {
	return l.IPushCopy(to, binary.LittleEndian.AppendUint64(nil, head), data)
}

func (l inPlace) NextInPlace() (rma.Arrival, []byte, error) {
	a, err := l.Next()
	if err != nil {
		return a, nil, err
	}
	data := make([]byte, a.Bytes)
	return a, data, l.Take(a, data, rma.Cached)
}

func (inPlace) FollowingInPlace() []byte { return nil }

// receiveInPlace runs a program on some ranks of every machine with zero-copy receives.
func receiveInPlace(t *testing.T, ranks int, program func(c *mpi.Comm) error) {
	t.Helper()
	for _, machine := range machines {
		t.Run(machine, func(t *testing.T) {
			t.Parallel()
			j := job{machine: machine, ranks: ranks, inPlace: true}
			if err := j.run(program); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestReceiveNeedsNoRequest receives messages with nothing else under way, by rank and tag and
// by wildcards. No call needs a request then.
func TestReceiveNeedsNoRequest(t *testing.T) {
	receiveInPlace(t, 2, func(c *mpi.Comm) error {
		for i, from := range []int{1, mpi.AnySource, 1, mpi.AnySource} {
			if c.Rank() == 1 {
				if err := mpi.Send(c, 0, i, []byte{byte(i)}); err != nil {
					return err
				}
				continue
			}
			tag := i
			if i >= 2 {
				tag = mpi.AnyTag
			}
			var got [1]byte
			status, err := mpi.Receive(c, from, tag, got[:])
			if want := (mpi.Status{From: 1, Tag: i, Bytes: 1}); err != nil || status != want || got[0] != byte(i) {
				return fmt.Errorf("received %v with %+v, error %v; expected %d with %+v", got, status, err, i, want)
			}
			if n := returned(c); n != 0 {
				return fmt.Errorf("message %d took %d requests; expected none", i, n)
			}
		}
		return nil
	})
}

// returned returns how many requests of calls that have returned are kept to be used again.
func returned(c *mpi.Comm) int {
	engine := reflect.ValueOf(c).Elem().FieldByName("comm").Elem().FieldByName("Engine").Elem()
	return engine.FieldByName("spare").FieldByName("requests").Len()
}

// TestReceiveTakesNothingFromOthers receives while something else is under way that the next
// message may be for, which then gets it.
func TestReceiveTakesNothingFromOthers(t *testing.T) {
	for name, test := range map[string]struct{ send, receive func(c *mpi.Comm) error }{
		"a receive that was posted before": {
			func(c *mpi.Comm) error { return sendText(c, 7, "first", 7, "second") },
			func(c *mpi.Comm) error {
				var first [8]byte
				r, err := mpi.IReceive(c, 1, 7, first[:])
				if err != nil {
					return err
				}
				if err := expectText(c, 7, "second"); err != nil {
					return err
				}
				_, err = r.Wait()
				return errors.Join(err, sameText(first[:], "first"))
			},
		},
		"a message that came before its receive": {
			func(c *mpi.Comm) error { return sendText(c, 7, "first", 8, "other", 7, "second") },
			func(c *mpi.Comm) error {
				return errors.Join(expectText(c, 8, "other"), expectText(c, 7, "first"), expectText(c, 7, "second"))
			},
		},
		"a long message that is being fetched": {
			func(c *mpi.Comm) error {
				r, err := mpi.ISend(c, 0, 6, text(large, 1))
				if err != nil {
					return err
				}
				err = sendText(c, 7, "first")
				_, failed := r.Wait()
				return errors.Join(err, failed)
			},
			func(c *mpi.Comm) error {
				long := make([]byte, large)
				r, err := mpi.IReceive(c, mpi.AnySource, 6, long)
				if err != nil {
					return err
				}
				if err := expectText(c, 7, "first"); err != nil {
					return err
				}
				if _, err := r.Wait(); err != nil || !bytes.Equal(long, text(large, 1)) {
					return fmt.Errorf("the long message has other data, error %v", err)
				}
				return nil
			},
		},
		"a collective operation": {
			func(c *mpi.Comm) error {
				r, err := mpi.IBarrier(c)
				if err != nil {
					return err
				}
				err = sendText(c, 7, "first")
				_, failed := r.Wait()
				return errors.Join(err, failed)
			},
			func(c *mpi.Comm) error {
				r, err := mpi.IBarrier(c)
				if err != nil {
					return err
				}
				err = expectText(c, 7, "first")
				_, failed := r.Wait()
				return errors.Join(err, failed)
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			receiveInPlace(t, 2, func(c *mpi.Comm) error {
				if c.Rank() == 1 {
					return test.send(c)
				}
				return test.receive(c)
			})
		})
	}
}

// sendText sends texts to rank 0, each behind its tag.
func sendText(c *mpi.Comm, tagsAndTexts ...any) error {
	for i := 0; i < len(tagsAndTexts); i += 2 {
		if err := mpi.Send(c, 0, tagsAndTexts[i].(int), []byte(tagsAndTexts[i+1].(string))); err != nil {
			return err
		}
	}
	return nil
}

// expectText receives a text from rank 1.
func expectText(c *mpi.Comm, tag int, want string) error {
	var got [8]byte
	_, err := mpi.Receive(c, 1, tag, got[:])
	return errors.Join(err, sameText(got[:], want))
}

func sameText(got []byte, want string) error {
	if got := string(bytes.TrimRight(got, "\x00")); got != want {
		return fmt.Errorf("received %q; expected %q", got, want)
	}
	return nil
}

// Programs that send and receive at random match as MPI says, with zero-copy receives.
func TestRandomProgramsWithZeroCopyReceives(t *testing.T) {
	for seed := range uint64(scaled(10)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			receiveInPlace(t, 1+int(seed)%5, func(c *mpi.Comm) error { return mpitest.Random(c, seed, 1) })
		})
	}
}
