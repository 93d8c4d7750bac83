package collective

import (
	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/partitioned"
)

// Persistent collective operations have tags from persistentTags on, one for all starts of an
// operation. Messages of one start are not received by another, as each rank receives in the same
// order in all starts, and messages of one sender do not overtake. Tags from partitionTags on are for
// messages in partitions, and those from pairedTags on for messages that connect paired sends and
// receives, two for each tag of a program.
const (
	persistentTags = 1 << 30
	partitionTags  = persistentTags + 1<<28
	pairedTags     = persistentTags + 1<<29
)

// Partitions returns what this process knows of the messages in partitions of the communicator.
func (c *Comm) Partitions() *partitioned.Table {
	if c.partitions == nil {
		c.partitions = partitioned.NewTable(partitioned.Tags{First: partitionTags, Count: pairedTags - partitionTags})
	}
	return c.partitions
}

// MaxPairedTag is the largest tag of a paired send or receive.
const MaxPairedTag = 1<<28 - 1

// PairedTags returns the tags of the messages by which a sender and a receiver connect.
func PairedTags(tag int) (sender, receiver int32) {
	return pairedTags + 2*int32(tag), pairedTags + 2*int32(tag) + 1
}

// PersistentTag returns the tag of the next persistent operation. All ranks of a communicator
// prepare them in the same order, so they get the same tags by counting.
func (c *Comm) PersistentTag() int32 {
	tag := persistentTags + c.collectives.nextPersistent
	c.collectives.nextPersistent = (c.collectives.nextPersistent + 1) % (partitionTags - persistentTags)
	return tag
}

// Prepare makes a planned operation persistent. Its schedule is built once, but for multicasts.
func (r *Operation) Prepare() *core.Persistent {
	r.kept, r.Tag = true, r.C.PersistentTag()
	if !r.ownMulticast() {
		r.byMessages() // ranks may start persistent operations in any order; groups need the same order
	}
	r.Build()
	return core.NewPersistent(&r.C.Comm, r.Call, collectiveStart{r})
}

// collectiveStart is a persistent collective operation.
type collectiveStart struct{ r *Operation }

// Start starts the operation again.
func (s collectiveStart) Start(whole *core.Request) error {
	s.r.next, s.r.parts, s.r.failed, s.r.broken = 0, 0, nil, false
	if s.r.Algorithm.Way == algorithm.ByMulticast {
		s.r.Build() // the last start has added the steps of its slots
	}
	s.r.StartAs(whole)
	return nil
}

// Free gives back the schedule and, of a multicast, the buffer.
func (s collectiveStart) Free() error {
	s.r.kept = false
	s.r.endOwnMulticast()
	s.r.Recycle()
	return nil
}
