package mpitest

import (
	"encoding/binary"
	"hash/fnv"
	"math"

	"musubi/mpi"
)

// Results runs a program whose results are the same, bit by bit, on every world with as
// many ranks, and returns them at rank 0: sums of floating-point numbers, which depend
// on the order in which they are added up, of many lengths, by every operation that
// combines.
func Results(c *mpi.Comm) ([]byte, error) {
	h := fnv.New64a()
	for _, n := range []int{1, 7, 100, 3000, 10_000} {
		in, out := numbers(c.Rank(), n), make([]float64, n)
		parts := make([][]float64, c.Size())
		for r := range parts {
			parts[r] = in[:n/(r+1)]
		}
		own := make([]float64, len(parts[c.Rank()]))
		for _, combine := range []func() error{
			func() error { return mpi.AllReduce(c, in, out, mpi.Sum[float64]()) },
			func() error { return mpi.Reduce(c, c.Size()-1, in, out, mpi.Product[float64]()) },
			func() error { return mpi.Scan(c, in, out, mpi.Sum[float64]()) },
			func() error { return mpi.ExScan(c, in, out, mpi.Sum[float64]()) },
			func() error { return mpi.ReduceScatterV(c, parts, own, mpi.Sum[float64]()) },
			func() error { return relax(c, in, out) },
		} {
			if err := combine(); err != nil {
				return nil, err
			}
			for _, x := range append(out, own...) {
				h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(x)))
			}
		}
	}
	all := make([]uint64, c.Size())
	if err := mpi.Gather(c, 0, []uint64{h.Sum64()}, all); err != nil || c.Rank() > 0 {
		return nil, err
	}
	var result []byte
	for _, sum := range all {
		result = binary.LittleEndian.AppendUint64(result, sum)
	}
	return result, nil
}

// relax lets each rank take the mean of what it and its neighbours in a ring have, some
// times.
func relax(c *mpi.Comm, in, out []float64) error {
	ring, err := c.Cart([]int{c.Size()}, []bool{true}, false)
	if err != nil {
		return err
	}
	copy(out, in)
	near := [][]float64{make([]float64, len(in)), make([]float64, len(in))}
	for range 3 {
		r, err := mpi.INeighbourAllGather(ring, out, near)
		if err != nil {
			return err
		}
		if _, err := r.Wait(); err != nil {
			return err
		}
		for i := range out {
			out[i] = (near[0][i] + out[i] + near[1][i]) / 3
		}
	}
	return ring.Free()
}
