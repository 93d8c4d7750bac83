package mpitest_test

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"testing"

	"musubi/live"
	"musubi/mpi"
	"musubi/rma"
)

// BenchmarkExchange times Start and Wait of two processes that exchange data along two
// edges each way, beside an operation that is not persistent:
//
//	go test ./mpi/mpitest -run - -bench Exchange -benchtime 1x
func BenchmarkExchange(b *testing.B) {
	cfg := live.Config{Ranks: 2, Command: []string{os.Args[0], "-test.run=^$", "-test.bench=^BenchmarkExchange$", "-test.benchtime=1x"}}
	result, err := live.Main(b.Context(), cfg, func(p rma.Process) (result []byte, err error) {
		err = mpi.Run(p, func(c *mpi.Comm) error {
			metrics, err := exchanges(c)
			if err == nil && c.Rank() == 0 {
				result, err = json.Marshal(metrics)
			}
			return err
		})
		return result, err
	})
	if err != nil {
		b.Fatal(err)
	}
	metrics := map[string]float64{}
	if !live.Inside() {
		if err := json.Unmarshal(result, &metrics); err != nil {
			b.Fatal(err)
		}
	}
	for name, value := range metrics {
		b.ReportMetric(value, name)
	}
}

// exchanges returns the time of each kind of exchange and what it allocates.
func exchanges(c *mpi.Comm) (map[string]float64, error) {
	grid, err := c.Cart([]int{2}, []bool{true}, false)
	if err != nil {
		return nil, err
	}
	metrics := map[string]float64{}
	for _, bytes := range []int{8, 1024, 16 << 10, 64 << 10} {
		in, out := [][]byte{make([]byte, bytes), make([]byte, bytes)}, [][]byte{make([]byte, bytes), make([]byte, bytes)}
		ways := map[string]func() error{"started": func() error {
			r, err := mpi.INeighbourAllToAll(grid, in, out)
			if err == nil {
				_, err = r.Wait()
			}
			return err
		}}
		for _, protocol := range []mpi.Protocol{mpi.PRDMA, mpi.FAST, mpi.MRC} {
			p, err := mpi.NeighbourAllToAllInit(grid, in, out, mpi.ExchangeOptions{Protocol: protocol})
			if err != nil {
				return nil, err
			}
			ways[protocol.String()] = func() error {
				if err := p.Start(); err != nil {
					return err
				}
				_, err := p.Wait()
				return err
			}
		}
		for _, name := range []string{"started", "PRDMA", "FAST", "MRC"} {
			ns, allocated, err := timed(c, ways[name])
			if err != nil {
				return nil, err
			}
			metrics[fmt.Sprintf("%s-%dB-ns", name, bytes)] = ns
			metrics[fmt.Sprintf("%s-%dB-allocs", name, bytes)] = allocated
		}
	}
	return metrics, grid.Free()
}

// timed returns the shortest time of a round, on average over a batch, and allocations.
func timed(c *mpi.Comm, round func() error) (ns, allocated float64, err error) {
	const batches, rounds = 10, 100
	for batch := range batches {
		if err := mpi.Barrier(c); err != nil {
			return 0, 0, err
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		begin := c.Process().Now()
		for range rounds {
			if err := round(); err != nil {
				return 0, 0, err
			}
		}
		took := (c.Process().Now() - begin).Nanoseconds() / rounds
		runtime.ReadMemStats(&after)
		if batch == 0 || took < ns {
			ns = took
		}
		allocated = float64((after.Mallocs - before.Mallocs) / rounds)
	}
	return ns, allocated, nil
}
