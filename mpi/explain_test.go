package mpi_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"musubi/mpi"
	"musubi/rma"
)

// asked is a process that asks what it waits for whenever it does.
type asked struct {
	rma.Process
	what  func() string
	heard []string
}

func (a *asked) Explain(what func() string) { a.what = what }

func (a *asked) Next() (rma.Arrival, error) {
	a.heard = append(a.heard, a.what())
	return a.Process.Next()
}

func (a *asked) Await(ops ...rma.Op) error {
	a.heard = append(a.heard, a.what())
	return a.Process.Await(ops...)
}

// What rank 0 waits for is said by the names of the calls, and of the ranks of the job.
func TestWaitingIsExplained(t *testing.T) {
	const long = 100_000
	for _, c := range []struct {
		want    string
		program func(c *mpi.Comm) error
	}{
		{"Receive from rank 3 with tag 7", func(c *mpi.Comm) error {
			return between(c, 3, 0, 7, make([]byte, 10))
		}},
		{"Receive from rank 2 with tag 7", func(c *mpi.Comm) error { // which pulls
			return between(c, 2, 0, 7, make([]byte, long))
		}},
		{fmt.Sprintf("Send of %d bytes to rank 1 with tag 5", long), func(c *mpi.Comm) error {
			return between(c, 0, 1, 5, make([]byte, long))
		}},
		{"Probe from any rank with any tag", func(c *mpi.Comm) error {
			if c.Rank() == 0 {
				if _, err := mpi.Probe(c, mpi.AnySource, mpi.AnyTag); err != nil {
					return err
				}
			}
			return between(c, 1, 0, 2, make([]byte, 10))
		}},
		{"Barrier for rank 3", func(c *mpi.Comm) error { return mpi.Barrier(c) }},
		{"IReceive from rank 1 with tag 1", func(c *mpi.Comm) error {
			if c.Rank() != 0 {
				return between(c, 1, 0, 1, []byte{1})
			}
			r, err := mpi.IReceive(c, 1, 1, make([]byte, 1))
			if err != nil {
				return err
			}
			_, _, err = mpi.WaitAny(r)
			return err
		}},
		{"Receive from rank 3 (rank 1 of 2 in its communicator) with tag 9", func(c *mpi.Comm) error {
			half, err := c.Split(c.Rank()%3, 0)
			if err != nil || c.Rank()%3 != 0 {
				return err
			}
			return between(half, 1, 0, 9, []byte{1})
		}},
	} {
		t.Run(c.want, func(t *testing.T) {
			heard, err := hear(c.program)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(heard, c.want) {
				t.Errorf("rank 0 said that it waits for %q; want %q among that", heard, c.want)
			}
		})
	}
}

// between sends data from one rank to another.
func between(c *mpi.Comm, from, to, tag int, data []byte) error {
	switch c.Rank() {
	case from:
		return mpi.Send(c, to, tag, data)
	case to:
		_, err := mpi.Receive(c, from, tag, data)
		return err
	}
	return nil
}

// hear runs a program on four ranks and returns what rank 0 has said.
func hear(program func(c *mpi.Comm) error) ([]string, error) {
	system, err := job{machine: "loggp", ranks: 4}.system()
	if err != nil {
		return nil, err
	}
	var heard []string
	_, err = system.Run(context.Background(), func(p rma.Process) error {
		a := &asked{Process: p}
		c, err := mpi.New(a)
		if err != nil {
			return err
		}
		err = program(c)
		if c.Rank() == 0 {
			heard = a.heard
		}
		return err
	})
	return heard, err
}

// A simulated job in which all wait for each other ends with what each waits for.
func TestSimulatedDeadlocksAreExplained(t *testing.T) {
	for _, machine := range []string{"loggp", "ndr", "tofu2", "ssscore"} {
		err := job{machine: machine, ranks: 2}.run(func(c *mpi.Comm) error {
			_, err := mpi.Receive(c, 1-c.Rank(), 4+c.Rank(), make([]byte, 1))
			return err
		})
		if want := "rank 0 in Receive from rank 1 with tag 4, rank 1 in Receive from rank 0 with tag 5"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\ngot error %v\nwant one that says %q", machine, err, want)
		}
	}
}
