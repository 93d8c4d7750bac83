package mpi_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"musubi/mpi"
	"musubi/rma"
)

// Either all ranks of a host choose an agent, or none does. Otherwise all of them fail, at each start,
// and the error names two ranks that do not agree, and what they have chosen; queues are given back.
func TestRanksOfAHostThatDoNotAgreeOnAnAgent(t *testing.T) {
	protocols := []mpi.Protocol{mpi.Agent, mpi.Auto, mpi.PRDMA, mpi.FAST, mpi.MRC, mpi.Shared, mpi.Eager}
	agree := map[bool]int{}
	for seed := range uint64(runs(200)) {
		rng := rand.New(rand.NewPCG(seed, 7))
		n := 1 + rng.IntN(4)
		chosen := make([]mpi.Protocol, n)
		for i := range chosen {
			chosen[i] = protocols[max(0, rng.IntN(2*len(protocols))-len(protocols))]
		}
		w := &shuffled{rng: rng, engines: 2, perProcess: 8, entries: 100, perHost: n}
		failures := make([]error, n)
		err := w.run(n, func(p rma.Process) error {
			return mpi.Run(p, func(c *mpi.Comm) (err error) {
				failures[c.Rank()], err = startOnRing(c, chosen[c.Rank()])
				return err
			})
		})
		if err == nil {
			err = namesTheOdd(chosen, failures)
		}
		if err != nil {
			t.Fatalf("seed %d, %v: %v", seed, chosen, err)
		}
		for _, r := range w.ranks {
			if r.FreeQueues() != w.perProcess {
				t.Fatalf("seed %d: rank %d has %d free queues at the end; expected %d", seed, r.number, r.FreeQueues(), w.perProcess)
			}
		}
		agree[failures[0] == nil]++
	}
	if agree[true] == 0 || agree[false] == 0 {
		t.Errorf("ranks that agree or not: %v; expected both", agree)
	}
}

// startOnRing starts an exchange on a ring of all ranks twice, and returns how that has failed.
func startOnRing(c *mpi.Comm, by mpi.Protocol) (failed, err error) {
	n := c.Size()
	ring, err := c.Graph([]int{(c.Rank() + n - 1) % n}, []int{(c.Rank() + 1) % n})
	if err != nil {
		return nil, err
	}
	in, out := [][]int32{{int32(c.Rank())}}, [][]int32{{-1}}
	p, err := mpi.NeighbourAllToAllInit(ring, in, out, mpi.ExchangeOptions{Protocol: by})
	if err != nil {
		return nil, err
	}
	if failed = p.Start(); failed == nil {
		_, failed = p.Wait()
	}
	again := p.Start()
	if again == nil {
		_, again = p.Wait()
	}
	switch {
	case fmt.Sprint(again) != fmt.Sprint(failed):
		return nil, fmt.Errorf("the second start gives %v, and the first %v", again, failed)
	case failed == nil && out[0][0] != int32((c.Rank()+n-1)%n):
		return nil, fmt.Errorf("rank %d has got %v", c.Rank(), out)
	}
	return failed, ring.Free()
}

// namesTheOdd holds the errors of ranks to what these have chosen.
func namesTheOdd(chosen []mpi.Protocol, failures []error) error {
	odd := 0
	for odd < len(chosen) && (chosen[odd] == mpi.Agent) == (chosen[0] == mpi.Agent) {
		odd++
	}
	for rank, err := range failures {
		if odd == len(chosen) {
			if err != nil {
				return fmt.Errorf("rank %d: %w", rank, err)
			}
			continue
		}
		want := fmt.Sprintf("rank %d has chosen %v, and rank 0 on its host %v;", odd, chosen[odd], chosen[0])
		if !errors.Is(err, mpi.ErrArgument) || !strings.Contains(err.Error(), want) {
			return fmt.Errorf("rank %d: %v; expected %s", rank, err, want)
		}
	}
	return nil
}
