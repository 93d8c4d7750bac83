package mpi_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"musubi/mpi"
	"musubi/mpi/mpitest"
	"musubi/rma"
	"musubi/units"
)

// multicasting is a process with multicasts, which are pushes one after the other.
type multicasting struct {
	rma.Process
	knows      []rma.MulticastMethod
	multicasts int

	different int // of them, not to the same address at all ranks
}

func (p *multicasting) AwaitBefore(end units.Time, condition func() bool, ops ...rma.Op) error {
	return p.Process.(rma.Alarm).AwaitBefore(end, condition, ops...)
}

func (p *multicasting) Multicasts(m rma.MulticastMethod) bool { return slices.Contains(p.knows, m) }

func (p *multicasting) MulticastPush(to []rma.Address, data []byte, how rma.Multicast) (rma.Op, error) {
	p.multicasts++
	if !p.Multicasts(how.By) {
		return 0, fmt.Errorf("multicast by %v, which this network does not know", how.By)
	}
	if slices.ContainsFunc(to, func(at rma.Address) bool { return at.Segment != to[0].Segment || at.Offset != to[0].Offset }) {
		p.different++
	}
	for _, at := range to {
		if at.Rank == p.Rank() {
			return 0, errors.New("a multicast to the rank that sends it, which has the data")
		}
		if _, err := p.Push(at, data, rma.DMA); err != nil {
			return 0, err
		}
	}
	return p.Fence()
}

var allMethods = []rma.MulticastMethod{rma.Chain, rma.Hierarchical}

// withMulticast runs a program on some ranks of a machine that is given multicasts.
func withMulticast(machine string, ranks int, knows []rma.MulticastMethod, program func(c *mpi.Comm, p *multicasting) error) error {
	system, err := job{machine: machine, ranks: ranks}.system()
	if err != nil {
		return err
	}
	_, err = system.Run(context.Background(), func(p rma.Process) error {
		own := &multicasting{Process: p, knows: knows}
		c, err := mpi.New(own, mpi.Options{Check: mpi.CheckOff})
		if err == nil {
			err = program(c, own)
		}
		if err != nil {
			return fmt.Errorf("rank %d: %w", p.Rank(), err)
		}
		return c.Close()
	})
	return err
}

// Everything is right where multicasts are the usual choice, on a third of the machines, and with -long on the others.
func TestSemanticsWithMulticasts(t *testing.T) {
	for i, machine := range machines[:scaled(len(machines))] {
		if (i%3 > 0) != *long {
			continue
		}
		t.Run(machine, func(t *testing.T) {
			t.Parallel()
			system, err := job{machine: machine, ranks: mpitest.Ranks}.system()
			if err != nil {
				t.Fatal(err)
			}
			mpitest.Test(t, mpitest.Configurations[:1], func(program func(rma.Process) error) error {
				_, err := system.Run(t.Context(), func(p rma.Process) error {
					return program(&multicasting{Process: p, knows: allMethods})
				})
				return err
			})
		})
	}
}

// Broadcasts of all lengths, from changing roots, and barriers, waited for at once or later
// in any order, in two communicators.
func TestBroadcastsByMulticast(t *testing.T) {
	lengths := []int{0, 1, 8, 1000, 4090, 4091, 4092, 8182, 8183, 65456, 65457, 100_000}
	for _, machine := range []string{"loggp", "ndr", "tofu2"}[:scaled(3)] {
		for _, algorithm := range []string{mpi.Chain, mpi.Hierarchical} {
			for _, ranks := range []int{1, 2, 3, 7} {
				err := withMulticast(machine, ranks, allMethods, func(c *mpi.Comm, _ *multicasting) error {
					if err := firstError(c.SetAlgorithm("broadcast", algorithm), c.SetAlgorithm("barrier", algorithm)); err != nil {
						return err
					}
					other, err := c.Dup()
					if err != nil {
						return err
					}
					if err := multicastAtRandom([]*mpi.Comm{c, other}, lengths); err != nil {
						return err
					}
					return other.Free()
				})
				if err != nil {
					t.Errorf("%s, %s, %d ranks: %v", machine, algorithm, ranks, err)
				}
			}
		}
	}
}

// underway is a broadcast under way.
type underway struct {
	request    *mpi.Request
	data, want []byte
}

// multicastAtRandom does operations that all ranks draw alike.
func multicastAtRandom(comms []*mpi.Comm, lengths []int) error {
	all, own := rand.New(rand.NewPCG(3, 4)), rand.New(rand.NewPCG(uint64(comms[0].Rank()), 5))
	var open []underway
	for i := range 60 {
		c, root, n := comms[all.IntN(2)], all.IntN(comms[0].Size()), lengths[all.IntN(len(lengths))]
		s := underway{data: make([]byte, n), want: text(n, i)}
		if c.Rank() == root {
			copy(s.data, s.want)
		}
		var err error
		switch all.IntN(4) {
		case 0:
			err = mpi.Barrier(c)
			s.data, s.want = nil, nil
		case 1:
			err = mpi.Broadcast(c, root, s.data)
		case 2:
			s.request, err = mpi.IBarrier(c)
			s.data, s.want = nil, nil
		default:
			s.request, err = mpi.IBroadcast(c, root, s.data)
		}
		if err != nil {
			return err
		}
		open = append(open, s)
		for len(open) > own.IntN(8) {
			last := own.IntN(len(open))
			s := open[last]
			open = append(open[:last], open[last+1:]...)
			if s.request != nil {
				if _, err := s.request.Wait(); err != nil {
					return err
				}
			}
			if !bytes.Equal(s.data, s.want) {
				return fmt.Errorf("a broadcast of %d bytes brings something else", len(s.want))
			}
		}
	}
	for _, s := range open {
		if err := mpi.WaitAll(s.request); err != nil || !bytes.Equal(s.data, s.want) {
			return fmt.Errorf("a broadcast of %d bytes brings something else, or fails: %w", len(s.want), err)
		}
	}
	return nil
}

// The usual choice sends each piece once, from the second operation on, and in all starts of
// persistent ones.
func TestMulticastsAreTheUsualChoice(t *testing.T) {
	err := withMulticast("ndr", 5, []rma.MulticastMethod{rma.Hierarchical}, func(c *mpi.Comm, p *multicasting) error {
		data := make([]byte, 10_000)
		for range 5 {
			if err := mpi.Broadcast(c, 0, data); err != nil {
				return err
			}
		}
		if want := 4 * 3; c.Rank() == 0 && p.multicasts != want {
			return fmt.Errorf("%d multicasts for five broadcasts; expected %d, three for each but the first", p.multicasts, want)
		}
		before := p.multicasts
		again, err := mpi.BroadcastInit(c, 0, data)
		if err != nil {
			return err
		}
		for range 5 {
			if err := firstError(again.Start(), mpi.WaitAll(again.Request())); err != nil {
				return err
			}
		}
		if want := before + 5*3; c.Rank() == 0 && p.multicasts != want {
			return fmt.Errorf("%d multicasts by five starts of a persistent broadcast; expected three for each", p.multicasts-before)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// Ranks that give different lengths get to know that, and find the data of the next broadcast.
func TestMulticastOfAnotherLength(t *testing.T) {
	for _, lengths := range [][2]int{{10, 11}, {11, 10}, {8, 100_000}, {100_000, 8}, {0, 5000}} {
		for name, broadcast := range map[string]func(*mpi.Comm, []byte) error{"blocking": broadcastOnce, "persistent": broadcastAgain} {
			err := withMulticast("loggp", 4, allMethods, func(c *mpi.Comm, _ *multicasting) error {
				if err := c.SetAlgorithm("broadcast", mpi.Chain); err != nil {
					return err
				}
				data := make([]byte, lengths[c.Rank()/2])
				if err := broadcast(c, data); errors.Is(err, mpi.ErrCount) != (c.Rank() >= 2) {
					return fmt.Errorf("broadcast of another length: %v", err)
				}
				data = make([]byte, 10)
				if c.Rank() == 0 {
					copy(data, text(10, 1))
				}
				if err := mpi.Broadcast(c, 0, data); err != nil || !bytes.Equal(data, text(10, 1)) {
					return fmt.Errorf("the next one brings %v: %v", data, err)
				}
				return nil
			})
			if err != nil {
				t.Errorf("%s, %v bytes: %v", name, lengths, err)
			}
		}
	}
}

func broadcastOnce(c *mpi.Comm, data []byte) error { return mpi.Broadcast(c, 0, data) }

// broadcastAgain starts twice what is of another length both times.
func broadcastAgain(c *mpi.Comm, data []byte) error {
	again, err := mpi.BroadcastInit(c, 0, data)
	if err != nil {
		return err
	}
	for range 2 {
		if startErr := again.Start(); startErr != nil {
			return startErr
		}
		_, err = again.Wait()
	}
	return err
}

// Where there are no multicasts, or not by the method, they cannot be chosen.
func TestMulticastsThatAreNot(t *testing.T) {
	onLogGP(t, 3, func(c *mpi.Comm) error {
		for _, operation := range []string{"broadcast", "barrier"} {
			if err := c.SetAlgorithm(operation, mpi.Chain); !errors.Is(err, mpi.ErrOp) {
				return fmt.Errorf("SetAlgorithm(%s, %s): %v", operation, mpi.Chain, err)
			}
		}
		return nil
	})
	err := withMulticast("loggp", 3, []rma.MulticastMethod{rma.Chain}, func(c *mpi.Comm, _ *multicasting) error {
		if err := c.SetAlgorithm("broadcast", mpi.Hierarchical); !errors.Is(err, mpi.ErrOp) {
			return fmt.Errorf("SetAlgorithm: %v", err)
		}
		return c.SetAlgorithm("broadcast", mpi.Chain)
	})
	if err != nil {
		t.Error(err)
	}
}
