package rmatest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"musubi/rma"
	"musubi/units"
)

// World is the world under test.
type World struct {
	// Run runs a program on a number of ranks. It fails if a rank returns an error, or if they
	// wait for ever.
	Run    func(ranks int, program func(rma.Process) error) error
	Packet int // data of the largest packet in bytes, and so the smallest ring; at least 100. More makes messages longer
	Ring   int // the smallest ring in bytes, if that is not Packet
	BOTF   int // bytes of the largest transfer by BOTF; 0: it is not used
	// Clock reads a clock that all ranks share and that never goes backwards. nil: there is none,
	// and histories of words are not checked.
	Clock func(rma.Process) units.Time
}

// check is one part of the contract, as a program that fails where it is broken.
type check struct {
	name    string
	ranks   int
	program func(w *World, p rma.Process) error
}

// Test runs all checks.
func Test(t *testing.T, w World) {
	for _, checks := range [][]check{memoryChecks, fenceChecks, atomicChecks, accumulatorChecks, sequencerChecks, multicastChecks, layoutChecks, windowChecks, ringChecks, messengerChecks, sharedBarrierChecks, groupChecks, errorChecks, commandChecks} {
		for _, c := range checks {
			t.Run(c.name, func(t *testing.T) {
				if err := w.Run(c.ranks, func(p rma.Process) error { return c.program(&w, p) }); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// random returns the generator of a rank.
func random(p rma.Process) *rand.Rand { return newRandom(p.Size(), p.Rank()) }

func newRandom(seed, stream int) *rand.Rand {
	return rand.New(rand.NewPCG(uint64(seed), uint64(stream)))
}

// length draws how long a message is: often short, at most a few packets.
func (w *World) length(rng *rand.Rand) int {
	if rng.IntN(2) == 0 {
		return rng.IntN(20)
	}
	return rng.IntN(3 * w.Packet)
}

// mechanism draws one that can send n bytes.
func (w *World) mechanism(rng *rand.Rand, n int) rma.Mechanism {
	if n <= w.BOTF && rng.IntN(2) == 0 {
		return rma.BOTF
	}
	return rma.DMA
}

// text returns data that identifies its sender and message.
func text(from, number, n int) []byte {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(1 + (from*31+number*7+i)%255)
	}
	return data
}

// done waits for an operation that has just been started.
func done(p rma.Process, op rma.Op, err error) error {
	if err != nil {
		return err
	}
	return p.Wait(op)
}

// read pulls n bytes.
func read(p rma.Process, from rma.Address, n int) ([]byte, error) {
	data := make([]byte, n)
	op, err := p.Pull(from, data)
	return data, done(p, op, err)
}

// same fails if memory does not have the expected contents.
func same(what string, got, want []byte) error {
	if bytes.Equal(got, want) {
		return nil
	}
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	return fmt.Errorf("%s: %d bytes, other from byte %d on than the %d expected", what, len(got), at, len(want))
}
