package mpi_test

import (
	"fmt"
	"testing"

	"musubi/mpi"
	"musubi/units"
)

// measured is the operations whose choice of algorithms rests on the benchmark here,
// with n elements of a byte: for each rank, where there are parts.
var measured = map[string]func(c *mpi.Comm, n int) error{
	"barrier":   func(c *mpi.Comm, _ int) error { return mpi.Barrier(c) },
	"broadcast": func(c *mpi.Comm, n int) error { return mpi.Broadcast(c, 0, make([]byte, n)) },
	"reduce": func(c *mpi.Comm, n int) error {
		return mpi.Reduce(c, 0, make([]byte, n), make([]byte, n), mpi.Sum[byte]())
	},
	"allreduce": func(c *mpi.Comm, n int) error {
		return mpi.AllReduce(c, make([]byte, n), make([]byte, n), mpi.Sum[byte]())
	},
	"gather": func(c *mpi.Comm, n int) error { return mpi.Gather(c, 0, make([]byte, n), make([]byte, n*c.Size())) },
	"scatter": func(c *mpi.Comm, n int) error {
		return mpi.Scatter(c, 0, make([]byte, n*c.Size()), make([]byte, n))
	},
	"allgather": func(c *mpi.Comm, n int) error {
		return mpi.AllGather(c, make([]byte, n), make([]byte, n*c.Size()))
	},
	"allgatherv": func(c *mpi.Comm, n int) error {
		out := make([][]byte, c.Size())
		for i := range out {
			out[i] = make([]byte, n)
		}
		return mpi.AllGatherV(c, make([]byte, n), out)
	},
	"alltoall": func(c *mpi.Comm, n int) error {
		return mpi.AllToAll(c, make([]byte, n*c.Size()), make([]byte, n*c.Size()))
	},
	"scan": func(c *mpi.Comm, n int) error {
		return mpi.Scan(c, make([]byte, n), make([]byte, n), mpi.Sum[byte]())
	},
	"reducescatter": func(c *mpi.Comm, n int) error {
		return mpi.ReduceScatter(c, make([]byte, n*c.Size()), make([]byte, n), mpi.Sum[byte]())
	},
}

// timeOf returns the simulated time of one operation: from when the last rank begins
// it, after a barrier, to when the last one ends it, in the second of two rounds.
func timeOf(j job, operation, algorithm string, bytes int) (units.Time, error) {
	var begin, end units.Time
	err := j.run(func(c *mpi.Comm) error {
		if err := c.SetAlgorithm(operation, algorithm); err != nil {
			return err
		}
		for range 2 {
			if err := mpi.Barrier(c); err != nil {
				return err
			}
			begin = c.Process().Now() // ranks come here in the order of time
			if err := measured[operation](c, bytes); err != nil {
				return err
			}
			end = max(end, c.Process().Now())
		}
		return nil
	})
	return end - begin, err
}

// BenchmarkAlgorithms measures the simulated time of every algorithm: what
// collective_choice.go rests on, with all of its sizes if -long is given; with -short of few ranks on
// one machine.
func BenchmarkAlgorithms(b *testing.B) {
	for _, operation := range mpi.Operations() {
		if measured[operation] == nil {
			continue
		}
		algorithms, err := mpi.Algorithms(operation)
		if err != nil {
			b.Fatal(err)
		}
		for _, algorithm := range algorithms {
			for _, machine := range measuredOn() {
				for _, ranks := range ranksMeasured() {
					for _, bytes := range sizesOf(operation) {
						j := job{machine: machine, ranks: ranks}
						b.Run(fmt.Sprintf("%s/%s/%s/ranks=%d/bytes=%d", operation, algorithm, machine, ranks, bytes), func(b *testing.B) {
							benchmarkAlgorithm(b, j, operation, algorithm, bytes)
						})
					}
				}
			}
		}
	}
}

func measuredOn() []string {
	if testing.Short() {
		return []string{"ndr"}
	}
	return []string{"ndr", "rhinet2"}
}

func ranksMeasured() []int {
	if testing.Short() {
		return []int{8}
	}
	return []int{8, 12, 32}
}

func sizesOf(operation string) []int {
	switch {
	case operation == "barrier":
		return []int{0}
	case testing.Short():
		return []int{4 << 10}
	case *long:
		return []int{8, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10}
	}
	return []int{8, 4 << 10, 64 << 10}
}

func benchmarkAlgorithm(b *testing.B, j job, operation, algorithm string, bytes int) {
	if algorithm == "recursive-doubling" && operation == "allgather" && j.ranks&(j.ranks-1) != 0 {
		b.Skip("for powers of two only")
	}
	var took units.Time
	for b.Loop() {
		var err error
		if took, err = timeOf(j, operation, algorithm, bytes); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(took.Microseconds(), "simulated-us")
	b.ReportMetric(0, "ns/op") // says nothing: it is the simulator's
}
