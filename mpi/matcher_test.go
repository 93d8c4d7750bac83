package mpi_test

import (
	"context"
	"fmt"
	"maps"
	"testing"

	"musubi"
	"musubi/mpi"
	"musubi/mpi/mpitest"
	"musubi/rma"
)

// Random programs match as MPI says where the interface matches, whatever the size of its table,
// where data goes, and whether packets are lost or rings are full.
func TestRandomProgramsOnInterfacesThatMatch(t *testing.T) {
	seed := uint64(0)
	for _, set := range []map[string]string{
		{},
		{"match.entries": "1"},
		{"match.entries": "2", "match.windows": "0"},
		{"match.post_command": "5us"},
		{"match.entry": "200"},
		{"swif.loss": "20000"},
		{"ring.full": "nack", "match.entries": "3"},
		{"ring.full": "nack", "ring.records": "3"},
	} {
		for _, options := range []mpi.Options{{}, {Rings: "shared"}, {Rings: "shared", RingBytes: 4096}, {Eager: 256}} {
			const programs = 4
			first := seed
			seed += programs
			t.Run(fmt.Sprintf("%v %+v", set, options), func(t *testing.T) {
				t.Parallel()
				s := musubi.Scenario{Machine: "dimmnet2-match", Ranks: 4, Set: maps.Clone(set)}
				_, err := musubi.Run(context.Background(), s, func(p rma.Process) error {
					c, err := mpi.New(p, options)
					if err != nil {
						return err
					}
					if err := mpitest.Random(c, first, programs); err != nil {
						return err
					}
					return c.Close()
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// A receive from any source that is at the interface goes to a message of the process to itself, or
// to the one that the interface has matched meanwhile. Cancel finds out which.
func TestReceivesComeBackFromInterfaces(t *testing.T) {
	_, err := musubi.Run(context.Background(), musubi.Scenario{Machine: "dimmnet2-match", Ranks: 2}, func(p rma.Process) error {
		return mpi.Run(p, func(c *mpi.Comm) error {
			if c.Rank() == 1 {
				if err := mpi.Send(c, 0, 1, []int32{7}); err != nil {
					return err
				}
				return mpi.Barrier(c)
			}
			var own, other, late [1]int32
			first, err := mpi.IReceive(c, mpi.AnySource, 0, own[:])
			if err != nil {
				return err
			}
			second, err := mpi.IReceive(c, mpi.AnySource, 1, other[:])
			if err != nil {
				return err
			}
			third, err := mpi.IReceive(c, 1, 2, late[:])
			if err != nil {
				return err
			}
			if err := mpi.Send(c, 0, 0, []int32{5}); err != nil {
				return err
			}
			p.Compute(1e9) // a millisecond, in which the interface matches the second
			for _, r := range []*mpi.Request{second, third} {
				if err := r.Cancel(); err != nil {
					return err
				}
			}
			if err := mpi.WaitAll(first, second, third); err != nil {
				return err
			}
			status, err := third.Wait()
			if err != nil || !status.Cancelled || own[0] != 5 || other[0] != 7 {
				return fmt.Errorf("received %v and %v, and the third is %+v, %v; expected 5, 7 and a receive that is cancelled", own, other, status, err)
			}
			return mpi.Barrier(c)
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}
