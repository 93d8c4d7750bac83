package collective

import (
	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/core"
)

// Tags of persistent collective operations are apart from those of others: each has one
// for all of its starts. Messages of two starts do not meet, as each rank receives in
// all starts alike, and messages of one sender do not overtake.
const persistentTags = 1 << 30

// PersistentTag returns the tag of the next persistent operation. As all ranks of a
// communicator prepare them in the same order, they give it alike.
func (c *Comm) PersistentTag() int32 {
	tag := persistentTags + c.collectives.prepared
	c.collectives.prepared = (c.collectives.prepared + 1) % persistentTags
	return tag
}

// Prepare makes a planned operation persistent. Its schedule is built once, but for multicasts.
func (r *Operation) Prepare() *core.Persistent {
	r.kept, r.Tag = true, r.C.PersistentTag()
	if !r.ownMulticast() {
		r.byMessages() // starts may be in any order, those of groups not
	}
	r.Build()
	return core.NewPersistent(&r.C.Comm, r.Call, collectiveStart{r})
}

// collectiveStart is a collective operation that is started again and again.
type collectiveStart struct{ r *Operation }

// Start starts the operation again.
func (s collectiveStart) Start(whole *core.Request) error {
	s.r.next, s.r.failed, s.r.broken = 0, nil, false
	if s.r.Algorithm.Way == algorithm.ByMulticast {
		s.r.Build() // has got the steps of the slots that were next
	}
	s.r.StartAs(whole)
	return nil
}

// Free gives back the schedule and, of a multicast, the buffer.
func (s collectiveStart) Free() error {
	s.r.kept = false
	s.r.endOwnMulticast()
	s.r.Rest()
	return nil
}
