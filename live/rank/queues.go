package rank

import (
	"context"
	"net"

	"musubi/live/shm"
	"musubi/live/wire"
	"musubi/rma"
)

// Command queues are of package queue. Here a rank offers them, and is what they need.

// Engines implements rma.Commander.
func (r *Rank) Engines() int { return r.commands.Engines() }

// FreeQueues implements rma.Commander.
func (r *Rank) FreeQueues() int { return r.commands.FreeQueues() }

// OpenQueue implements rma.Commander.
func (r *Rank) OpenQueue(cfg rma.QueueConfig) (rma.Queue, error) { return r.commands.OpenQueue(cfg) }

// QueueCosts implements rma.QueueCoster.
func (r *Rank) QueueCosts() rma.QueueCosts { return r.commands.QueueCosts() }

// queueHost is a rank as its queues see it.
type queueHost Rank

func (h *queueHost) Problem() error { return (*Rank)(h).failed(0) }

func (h *queueHost) ErrorOf(p wire.Report, at rma.Address, n int) error {
	return (*Rank)(h).errorOf(p, at, n)
}

func (h *queueHost) AwaitClose(ready func() bool) error { return (*Rank)(h).await(shm.InClose, ready) }

func (h *queueHost) HasOthers() bool { return h.far != nil }

func (h *queueHost) DialQueue(ctx context.Context, to int) (net.Conn, error) {
	return h.far.Linker.Dial(ctx, to, true)
}

func (h *queueHost) CutQueues(peer int) { h.far.LoseOnce(peer) }
