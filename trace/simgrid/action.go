package simgrid

import (
	"fmt"
	"strconv"

	"musubi/trace/schedule"
)

// byteType is the type of data that is counted in bytes.
const byteType = 6

// typeSizes are the sizes of types by their numbers: double, int, char, short, long, float, byte, long long.
var typeSizes = []int64{8, 4, 1, 2, 8, 4, 1, 8}

// most is the largest size of data, in bytes.
const most = 1 << 50

// arguments are those of an action. The first mistake is kept.
type arguments struct {
	r    *rank
	list []string
	err  error
}

func (a *arguments) fail(format string, args ...any) {
	if a.err == nil {
		a.err = fmt.Errorf(format, args...)
	}
}

// text returns argument i.
func (a *arguments) text(i int) string {
	if i >= len(a.list) {
		a.fail("%d arguments; expected at least %d", len(a.list), i+1)
		return "0"
	}
	return a.list[i]
}

func (a *arguments) int(i int) int64 {
	n, err := whole(a.text(i))
	if err != nil {
		a.fail("%w", err)
	}
	return n
}

// optional returns argument i, or another number if there is none.
func (a *arguments) optional(i int, otherwise int64) int64 {
	if i >= len(a.list) {
		return otherwise
	}
	return a.int(i)
}

func (a *arguments) number(i int) float64 {
	x, err := strconv.ParseFloat(a.text(i), 64)
	if err != nil {
		a.fail("%q; expected a number", a.text(i))
	}
	return x
}

// bytes returns the size of elements of the type that argument i names, or of the usual one.
func (a *arguments) bytes(count int64, i int) int64 {
	kind := a.optional(i, a.r.usual)
	if kind < 0 || kind >= int64(len(typeSizes)) {
		a.fail("type %d; expected 0 to %d", kind, len(typeSizes)-1)
		return 0
	}
	if count < 0 || count > most/typeSizes[kind] {
		a.fail("%d elements; expected 0 to %d", count, int64(most/typeSizes[kind]))
		return 0
	}
	return count * typeSizes[kind]
}

// action is what a rank does with arguments.
type action func(r *rank, a *arguments) error

// nothing is done by actions that cost no time, or whose effect others tell.
func nothing(*rank, *arguments) error { return nil }

var actions map[string]action

func isAction(name string) bool { return actions[name] != nil }

func init() { // as the actions of vectors refer to others
	actions = map[string]action{
		"init": func(r *rank, a *arguments) error {
			if len(a.list) > 0 {
				r.usual = 0 // double, as in old traces
			}
			return nil
		},
		"finalize": nothing, "comm_size": nothing, "comm_split": nothing, "comm_dup": nothing, "location": nothing, "test": nothing,
		"compute": func(r *rank, a *arguments) error { return r.compute(a.number(0)) },
		"sleep":   func(r *rank, a *arguments) error { return r.compute(1e9 * a.number(0)) },
		"send":    func(r *rank, a *arguments) error { return r.blocking(a, schedule.Send) },
		"recv":    func(r *rank, a *arguments) error { return r.blocking(a, schedule.Receive) },
		"isend": func(r *rank, a *arguments) error {
			return r.start(schedule.Send, a.int(0), a.int(1), a.bytes(a.int(2), 3))
		},
		"irecv": func(r *rank, a *arguments) error {
			return r.start(schedule.Receive, a.int(0), a.int(1), a.bytes(a.int(2), 3))
		},
		"wait":    func(r *rank, a *arguments) error { return r.wait(a.int(0), a.int(1), a.int(2)) },
		"waitall": func(r *rank, _ *arguments) error { r.waitAll(); return nil },
		"sendRecv": func(r *rank, a *arguments) error {
			out, err := r.message(schedule.Send, a.int(1), 0, a.bytes(a.int(0), 4))
			if err != nil {
				return err
			}
			in, err := r.message(schedule.Receive, a.int(3), 0, a.bytes(a.int(2), 5))
			r.last = []uint32{out, in}
			return err
		},
		"bcast": func(r *rank, a *arguments) error {
			return r.collective(schedule.Broadcast, a.optional(1, 0), a.bytes(a.int(0), 2))
		},
		"reduce": func(r *rank, a *arguments) error {
			if err := r.collective(schedule.Reduce, a.optional(2, 0), a.bytes(a.int(0), 3)); err != nil {
				return err
			}
			return r.compute(a.number(1))
		},
		"allreduce": func(r *rank, a *arguments) error {
			if err := r.collective(schedule.AllReduce, 0, a.bytes(a.int(0), 2)); err != nil {
				return err
			}
			return r.compute(a.number(1))
		},
		"barrier": func(r *rank, _ *arguments) error { return r.collective(schedule.Barrier, 0, 0) },
		"alltoall": func(r *rank, a *arguments) error {
			return r.collective(schedule.AllToAll, 0, int64(len(r.ranks))*a.bytes(a.int(0), 2))
		},
		"allgather": func(r *rank, a *arguments) error { return r.collective(schedule.AllGather, 0, a.bytes(a.int(0), 2)) },
		"gather": func(r *rank, a *arguments) error {
			return r.collective(schedule.Gather, a.optional(2, 0), a.bytes(a.int(0), 3))
		},
		"scatter": func(r *rank, a *arguments) error {
			return r.collective(schedule.Scatter, a.optional(2, 0), int64(len(r.ranks))*a.bytes(a.int(0), 3))
		},
		"alltoallv":  (*rank).allToAllV,
		"gatherv":    (*rank).gatherV,
		"allgatherv": (*rank).allGatherV,
		"scatterv":   (*rank).scatterV,
		"reducescatter": func(r *rank, a *arguments) error {
			n, sum := len(r.ranks), int64(0)
			for i := range n {
				sum += a.bytes(a.int(i), n+1)
			}
			if err := r.collective(schedule.ReduceScatter, 0, sum); err != nil {
				return err
			}
			return r.compute(a.number(n))
		},
	}
}

// do reads an action of the rank.
func (r *rank) do(l line) error {
	act := actions[l.fields[0]]
	if act == nil {
		return fmt.Errorf("unknown action")
	}
	r.line = l.number
	a := &arguments{r: r, list: l.fields[1:]}
	err := act(r, a)
	if a.err != nil {
		return a.err
	}
	return err
}

// blocking does a send or a receive, and waits for it. A receive of a negative size is a probe.
func (r *rank) blocking(a *arguments, kind schedule.Kind) error {
	count := a.int(2)
	if kind == schedule.Receive && count < 0 {
		return nil
	}
	n, err := r.message(kind, a.int(0), a.int(1), a.bytes(count, 3))
	r.last = []uint32{n}
	return err
}

// Arguments of operations with vectors have a number for each rank.

func (r *rank) allToAllV(a *arguments) error {
	n := len(r.ranks)
	return r.vector(
		func(peer int) int64 { return a.bytes(a.int(1+peer), 2*n+2) },
		func(peer int) int64 { return a.bytes(a.int(n+2+peer), 2*n+3) })
}

func (r *rank) gatherV(a *arguments) error {
	n := len(r.ranks)
	root := int(a.optional(n+1, 0))
	return r.vector(
		func(peer int) int64 { return only(peer == root, func() int64 { return a.bytes(a.int(0), n+2) }) },
		func(peer int) int64 {
			return only(r.number == root, func() int64 { return a.bytes(a.int(1+peer), n+3) })
		})
}

func (r *rank) scatterV(a *arguments) error {
	n := len(r.ranks)
	root := int(a.optional(n+1, 0))
	return r.vector(
		func(peer int) int64 { return only(r.number == root, func() int64 { return a.bytes(a.int(peer), n+2) }) },
		func(peer int) int64 { return only(peer == root, func() int64 { return a.bytes(a.int(n), n+3) }) })
}

func (r *rank) allGatherV(a *arguments) error {
	n := len(r.ranks)
	return r.vector(
		func(int) int64 { return a.bytes(a.int(0), n+1) },
		func(peer int) int64 { return a.bytes(a.int(1+peer), n+2) })
}

// only returns a size if there is a message, else -1.
func only(is bool, bytes func() int64) int64 {
	if !is {
		return -1
	}
	return bytes()
}
