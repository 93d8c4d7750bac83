package rank

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"musubi/live/livetest"
	"musubi/live/tcp"
	"musubi/live/wire"
	"musubi/mpi"
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

// takes are ways to take the last message.
var takes = map[string]func(p rma.Process) error{
	"Next": func(p rma.Process) error {
		a, err := p.Next()
		if err != nil {
			return err
		}
		return p.Take(a, make([]byte, 1), rma.Cached)
	},
	"NextInPlace": func(p rma.Process) error {
		_, _, err := p.(rma.Messenger).NextInPlace()
		return err
	},
	"NextInPlace, and looks that do not all reach the streams": func(p rma.Process) error {
		_, _, err := p.(rma.Messenger).NextInPlace()
		_, first := p.Poll()
		_, second := p.Poll()
		return errors.Join(err, first, second)
	},
	"Poll": func(p rma.Process) error {
		for {
			if some, err := p.Poll(); some || err != nil {
				return err
			}
		}
	},
}

// operations are those whose sender waits until the target has taken them. A message comes with
// each, or behind it.
var operations = map[string]func(p rma.Process, at rma.Address) (rma.Op, error){
	"push": func(p rma.Process, at rma.Address) (rma.Op, error) {
		op, err := p.Push(at, one, rma.DMA)
		if err != nil {
			return 0, err
		}
		if sent, err := p.(rma.Messenger).IPushCopy(at.Rank, nil, one); !sent || err != nil {
			return 0, fmt.Errorf("a message is not sent: %v, %w", sent, err)
		}
		return op, nil
	},
	"message": func(p rma.Process, at rma.Address) (rma.Op, error) { return p.IPush(at.Rank, one, rma.DMA) },
}

// A rank that has taken an operation acknowledges it though it is in no call any more. So who
// waits for that does not wait for what the program of that rank does next.
func TestWhatIsTakenIsAcknowledgedInTheBackground(t *testing.T) {
	plain := variants["spinning"]
	plain.by = wire.Unprotected
	for world, w := range map[string]struct {
		variant variant
		ranks   int // the last of which is the target
		mix     string
	}{
		"encrypted": {variants["spinning"], 2, "each alone"},
		"plain":     {plain, 2, "each alone"},
		"in pairs":  {variants["spinning"], 4, "in pairs"},
	} {
		for what, operation := range operations {
			for name, take := range takes {
				t.Run(world+"/"+what+"/"+name, func(t *testing.T) {
					var acknowledged atomic.Bool
					err := newTestJob(t, w.variant, w.ranks, mixes[w.mix]).run(func(p rma.Process) error {
						at := rma.Address{Rank: w.ranks - 1, Segment: p.Expose(make([]byte, 1))}
						switch p.Rank() {
						case at.Rank:
							err := take(p)
							computeUntil(&acknowledged)
							return err
						case 0:
							defer acknowledged.Store(true)
							op, err := operation(p, at)
							if err != nil {
								return err
							}
							return p.Wait(op)
						}
						return nil
					})
					if err != nil {
						t.Error(err)
					}
				})
			}
		}
	}
}

// A rank that is in no call any more has acknowledged so much of what it has taken that others
// can go on sending.
func TestManyMessagesAreAcknowledgedInTime(t *testing.T) {
	var taken, over atomic.Bool
	err := newTestJob(t, variants["spinning"], 2, mixes["each alone"]).run(func(p rma.Process) error {
		m := p.(rma.Messenger)
		if p.Rank() == 1 {
			for range tcp.Window {
				if _, _, err := m.NextInPlace(); err != nil {
					return err
				}
			}
			taken.Store(true)
			computeUntil(&over)
			return nil
		}
		defer over.Store(true)
		if err := sendAll(m, tcp.Window); err != nil {
			return err
		}
		computeUntil(&taken)
		return sendAll(m, tcp.AckMost)
	})
	if err != nil {
		t.Error(err)
	}
}

// sendAll sends rank 1 some messages, as soon as it can.
func sendAll(m rma.Messenger, messages int) error {
	for range messages {
		for sent := false; !sent; {
			var err error
			if sent, err = m.IPushCopy(1, nil, one); err != nil {
				return err
			}
			if _, err := m.Poll(); err != nil {
				return err
			}
		}
	}
	return nil
}

// computeUntil is a program that is in no call.
func computeUntil(over *atomic.Bool) {
	for !over.Load() {
		runtime.Gosched()
	}
}

// The same of package mpi, for all that waits for a rank that has taken everything.
func TestNoCallIsNeededOfWhoHasTakenAll(t *testing.T) {
	for name, wait := range map[string]func(c *mpi.Comm, w *mpi.Window[int64]) error{
		"Flush": func(c *mpi.Comm, w *mpi.Window[int64]) error {
			return errors.Join(w.Put(1, 0, []int64{2}), mpi.Send(c, 1, 0, one), w.Flush(1))
		},
		"SendSync": func(c *mpi.Comm, w *mpi.Window[int64]) error {
			return errors.Join(w.Put(1, 0, []int64{2}), mpi.SendSync(c, 1, 0, one))
		},
	} {
		t.Run(name, func(t *testing.T) {
			var over atomic.Bool
			err := newTestJob(t, variants["spinning"], 2, mixes["each alone"]).run(func(p rma.Process) error {
				return mpi.Run(p, func(c *mpi.Comm) error {
					w, err := mpi.AllocateWindow[int64](c, 1)
					if err != nil {
						return err
					}
					if c.Rank() == 1 {
						if _, err := mpi.Receive(c, 0, 0, make([]byte, 1)); err != nil {
							return err
						}
						computeUntil(&over)
						return w.Free()
					}
					// The first access takes the lock, which rank 1 gives in its call.
					if err := errors.Join(w.LockAll(), w.Put(1, 0, []int64{1}), w.Flush(1)); err != nil {
						return err
					}
					err = wait(c, w)
					over.Store(true)
					return errors.Join(err, w.UnlockAll(), w.Free())
				})
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// In the midst of a transfer a rank acknowledges only what others may wait for: more is to come.
func TestAcksWaitForTheRestOfATransfer(t *testing.T) {
	id, _ := livetest.TestIdentity(t, 1, 0)
	half := make([]byte, 8)
	var (
		pushed = say(wire.Whole, &wire.WholeFields{}, half...)
		begins = say(wire.Push, &wire.PushFields{Total: 16}, half...)
		ends   = say(wire.More, nil, half...)
		first  = say(wire.Answer, &wire.AnswerFields{}, half...)
		second = say(wire.Answer, &wire.AnswerFields{At: 8}, half...)
		failed = say(wire.Answer, &wire.AnswerFields{Failed: wire.Report{Code: wire.NotExposed}})
	)
	for name, c := range map[string]struct {
		packets []said
		want    bool
	}{
		"half a push":                  {[]said{begins}, false},
		"a push in two parts":          {[]said{begins, ends}, true},
		"half an answer":               {[]said{first}, false},
		"an answer in two parts":       {[]said{first, second}, true},
		"a failure":                    {[]said{failed}, true},
		"a push before half an answer": {[]said{pushed, first}, true},
		"a push before half a push":    {[]said{pushed, begins}, true},
	} {
		t.Run(name, func(t *testing.T) {
			r, s, other := withStream(t, id)
			r.Expose(make([]byte, 16))
			if _, err := r.Pull(rma.Address{Rank: 1}, make([]byte, 16)); err != nil {
				t.Fatal(err)
			}
			s.Own()
			room := make([]byte, wire.MaxFrame)
			if _, err := unix.Read(other, room); err != nil {
				t.Fatalf("the pull is not sent: %v", err)
			}
			var sent []byte
			for i, p := range c.packets {
				sent = p.of(id).numbered(uint16(i)).append(sent)
			}
			if _, err := unix.Write(other, frameOf(nil, wire.PacketsFrame, sent)); err != nil {
				t.Fatal(err)
			}
			for range 2 * tcp.AckAfter {
				r.far.Drain(s)
			}
			if taken := int(s.Inbox.Expected()); taken != len(c.packets) {
				t.Fatalf("%d packets of %d are taken", taken, len(c.packets))
			}
			if _, err := unix.Read(other, room); (err == nil) != c.want {
				t.Errorf("reading an Ack: %v; want one: %v", err, c.want)
			}
		})
	}
}
