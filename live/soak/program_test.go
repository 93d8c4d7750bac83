//go:build linux

package soak

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"time"

	"musubi/mpi"
	"musubi/rma"
	"musubi/units"
)

// errOnPurpose is what a program fails with that is to fail.
var errOnPurpose = errors.New("fails on purpose")

// soaker is a rank of a job.
type soaker struct {
	p     rma.Process
	c     *mpi.Comm
	plan  *rand.Rand // draws the same at all ranks
	own   *rand.Rand
	round int
}

// program is what each rank does. It says what has ended it.
func program(p rma.Process) ([]byte, error) {
	fmt.Printf("process %d\n", os.Getpid())
	var a assignment
	if err := json.Unmarshal([]byte(os.Getenv(assignmentVariable)), &a); err != nil {
		return nil, err
	}
	err := mpi.Run(p, func(c *mpi.Comm) error {
		s := &soaker{
			p: p, c: c,
			plan: rand.New(rand.NewPCG(a.Seed, 2)), own: rand.New(rand.NewPCG(a.Seed, 3+uint64(p.Rank()))),
		}
		return s.run(&a)
	})
	if err != nil {
		fmt.Println("told:", err)
		return nil, err
	}
	fmt.Println("done")
	return nil, nil
}

// actions are what all ranks do together, in a random order.
var actions = []struct {
	name string
	do   func(*soaker) error
}{
	{"messages", (*soaker).messages},
	{"collectives", (*soaker).collectives},
	{"communicators", (*soaker).communicators},
	{"memory", (*soaker).memory},
	{"marks", (*soaker).marks},
	{"access", (*soaker).access},
	{"words", (*soaker).words},
	{"pause", (*soaker).pause},
}

func (s *soaker) run(a *assignment) error {
	for s.round = range a.Rounds {
		if a.Failing == s.p.Rank() && s.round >= a.FailRound {
			return errOnPurpose
		}
		action := actions[s.plan.IntN(len(actions))]
		fmt.Printf("round %d: %s\n", s.round, action.name)
		if err := action.do(s); err != nil {
			return fmt.Errorf("round %d, %s: %w", s.round, action.name, err)
		}
	}
	return nil
}

// pause lets some ranks do something else meanwhile.
func (s *soaker) pause() error {
	switch s.own.IntN(4) {
	case 0:
		s.p.Compute(units.Time(s.own.IntN(2000)) * units.Microsecond)
	case 1:
		time.Sleep(time.Duration(s.own.IntN(3000)) * time.Microsecond)
	case 2:
		runtime.GC()
	}
	return nil
}

// length draws how many bytes something has: mostly few, sometimes very many.
func (s *soaker) length() int {
	most := []int{16, 64, 1 << 10, 8 << 10, 40 << 10, 300 << 10}[s.plan.IntN(6)]
	if s.plan.IntN(20) == 0 {
		most = 2 << 20
	}
	return s.plan.IntN(most)
}

// pattern is data that tells what it is.
func pattern(n int, what ...int) []byte {
	h := uint64(14695981039346656037)
	for _, w := range what {
		h = (h ^ uint64(w)) * 1099511628211
	}
	data := make([]byte, n)
	for i := range data {
		if i%64 == 0 {
			h = h*6364136223846793005 + 1442695040888963407
		}
		data[i] = byte(h>>32) + byte(i)
	}
	return data
}

// compare fails if data is not the pattern.
func compare(data []byte, what ...int) error {
	want := pattern(len(data), what...)
	if bytes.Equal(data, want) {
		return nil
	}
	at := 0
	for data[at] == want[at] {
		at++
	}
	return fmt.Errorf("wrong data: %d bytes of %v, from byte %d on", len(data), what, at)
}
