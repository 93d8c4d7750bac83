package dma

import (
	"fmt"
	"slices"

	"musubi/rma"
	"musubi/sim/engine"
	"musubi/sim/host"
)

var _ rma.HostCommander = (*commander)(nil)

// HostRanks implements rma.HostCommander.
func (r *commander) HostRanks() []int { return r.d.queues.node(r.Rank()).ranks }

func (r *commander) isOnHost(rank int) bool { return slices.Contains(r.HostRanks(), rank) }

// MemoryOf implements rma.HostCommander.
func (r *commander) MemoryOf(a rma.Address, n int) ([]byte, error) {
	if !r.isOnHost(a.Rank) {
		return nil, fmt.Errorf("rma: rank %d commands %d bytes at %v; expected memory of a rank of its host", r.Rank(), n, a)
	}
	return r.d.Ranks[a.Rank].Memory(a, n)
}

// Release implements rma.HostCommander. It costs as much as a Push without data.
func (r *commander) Release(to rma.QueueAddress, steps int) (rma.Op, error) {
	d, rank := r.d, int32(r.Rank())
	switch {
	case to.Rank < 0 || to.Rank >= len(d.Ranks) || to.Queue < 1:
		return 0, fmt.Errorf("rma: Release of command queue %d of rank %d; expected a queue from 1 on, of ranks 0 to %d", to.Queue, to.Rank, len(d.Ranks)-1)
	case steps < 1:
		return 0, fmt.Errorf("rma: Release of a queue by %d commands; expected at least 1", steps)
	}
	r.Sleep(d.Queue.Command + d.Machine.Host.Post)
	put := &queued{Command: rma.Command{Put: true, TargetQueue: to, Advance: steps}}
	at := d.interfaces.engineFor(rank, int32(to.Rank))
	away := d.interfaces.port(int32(to.Rank), at)
	if q := d.queues.takes(put); q != nil {
		away = q.port
	}
	number, op := d.NewOp(r.Process)
	id, t := d.transfers.begin(number)
	*t = transfer{
		Request: host.Request{Action: host.Push, Target: int32(to.Rank)},
		op:      number, initiator: rank, home: d.interfaces.port(rank, at), away: away, fetching: true, command: put,
	}
	d.Clock.Push(engine.Event{At: d.Clock.Now() + d.Machine.NIC.Start, Kind: evFetch, A: id})
	return op, nil
}

// ProgressOf implements rma.HostCommander. From then on the rank is woken when a command of the
// queue completes.
func (r *commander) ProgressOf(of rma.QueueAddress) (func() uint64, error) {
	var q *queue
	if r.isOnHost(of.Rank) {
		q = r.d.queues.takes(&queued{Command: rma.Command{TargetQueue: of}})
	}
	if q == nil {
		return nil, fmt.Errorf("rma: ProgressOf command queue %d of rank %d; expected an open queue of a rank of the host of rank %d", of.Queue, of.Rank, r.Rank())
	}
	if q.r != r.Process && !slices.Contains(q.watchers, r.Process) {
		q.watchers = append(q.watchers, r.Process)
	}
	return func() uint64 { return q.state.Done }, nil
}

// touched wakes the ranks that look at what a queue has completed.
func (q *queue) touched() {
	q.r.Touched()
	for _, r := range q.watchers {
		r.Touched()
	}
}
