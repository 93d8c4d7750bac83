package replay

import (
	"fmt"

	"musubi/mpi"
	"musubi/trace/schedule"
)

// Memory returns how many bytes a rank hands in and takes in an operation of a schedule.
func Memory(s *schedule.Schedule, op *schedule.Op) (out, in uint64) {
	switch op.Kind {
	case schedule.Send:
		return op.Size, 0
	case schedule.Receive:
		return 0, op.Size
	case schedule.Collective:
		switch schedule.Operation(op.Tag) {
		case schedule.AllGather, schedule.Gather:
			return op.Size, op.Size * uint64(len(s.Members(op.Peer)))
		}
		return op.Size, op.Size
	}
	return 0, 0
}

// makeComms makes the communicators of the groups of the schedule.
func (r *Rank) makeComms(s *schedule.Schedule) error {
	groups := make([][]int, len(s.Groups))
	for i, members := range s.Groups {
		for _, member := range members {
			groups[i] = append(groups[i], int(member))
		}
	}
	var err error
	r.comms, err = r.c.Groups(groups)
	return err
}

// collective starts a collective operation of package mpi.
func (r *Rank) collective(op *schedule.Op) (*mpi.Request, error) {
	c := r.c
	if op.Peer != schedule.Any {
		c = r.comms[op.Peer]
	}
	n, size := c.Size(), int(op.Size)
	all := size * n
	switch o := schedule.Operation(op.Tag); o {
	case schedule.AllReduce:
		return mpi.IAllReduce(c, r.out[:size], r.in[:size], mpi.Max[byte]())
	case schedule.Reduce:
		return mpi.IReduce(c, 0, r.out[:size], r.in[:size], mpi.Max[byte]())
	case schedule.AllGather:
		return mpi.IAllGather(c, r.out[:size], r.in[:all])
	case schedule.Gather:
		return mpi.IGather(c, 0, r.out[:size], r.in[:all])
	case schedule.Broadcast:
		return mpi.IBroadcast(c, 0, r.in[:size])
	case schedule.Scatter:
		parts := divide(r.out[:size], n)
		return mpi.IScatterV(c, 0, parts, r.in[:len(parts[c.Rank()])])
	case schedule.AllToAll:
		return r.allToAll(c, size)
	case schedule.ReduceScatter, schedule.ReduceScatterBlock:
		parts := divide(r.out[:size], n)
		return mpi.IReduceScatterV(c, parts, r.in[:len(parts[c.Rank()])], mpi.Max[byte]())
	case schedule.Barrier:
		return mpi.IBarrier(c)
	default:
		return nil, fmt.Errorf("workload trace: %v, which is not known", o)
	}
}

func (r *Rank) allToAll(c *mpi.Comm, size int) (*mpi.Request, error) {
	n := c.Size()
	if size%n == 0 {
		return mpi.IAllToAll(c, r.out[:size], r.in[:size])
	}
	out := divide(r.out[:size], n)
	in, own := make([][]byte, n), len(out[c.Rank()])
	for i := range in {
		in[i] = r.in[:own]
		if (i+1)*own <= size {
			in[i] = r.in[i*own:][:own]
		}
	}
	return mpi.IAllToAllV(c, out, in)
}

// divide cuts memory into n parts that are as equal as possible, the larger ones first.
func divide(memory []byte, n int) [][]byte {
	parts := make([][]byte, n)
	each, more := len(memory)/n, len(memory)%n
	for i := range parts {
		size := each
		if i < more {
			size++
		}
		parts[i], memory = memory[:size], memory[size:]
	}
	return parts
}
