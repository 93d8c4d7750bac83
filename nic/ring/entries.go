package ring

import "musubi/internal/sparse"

// entries are the AMT entries of a receiver. A process of a large job has a ring for each other one, communicates with few, and
// hardly ever has data of more than one of these in its rings. So an entry has memory while its ring is in use; of a ring at rest
// only the head is kept, as all else follows from the layout.
type entries struct {
	layout *Layout
	recent *ring // the one that was asked for last, and its number; nil: it is at rest, or there was none
	number int

	first  ring    // the entry of a ring in use, here so that it is where the receiver is, and its number
	holds  int     // none: first is not in use
	home   *uint64 // where the head of that ring is kept at rest; nil: not known
	others sparse.Values[ring]
	heads  sparse.Values[uint64] // of rings at rest; 0 where none is kept
}

func newEntries(l *Layout) entries {
	return entries{layout: l, holds: none, others: sparse.New[ring](len(l.rings)), heads: sparse.New[uint64](len(l.rings))}
}

// ring returns the entry of a ring, which is in use from now on. It is good until another one is asked for, or rests.
func (e *entries) ring(i int) *ring {
	if i == e.number && e.recent != nil { // one packet asks several times
		return e.recent
	}
	return e.find(i)
}

// find is ring for another one than last time.
func (e *entries) find(i int) *ring {
	g := e.inUse(i)
	if g == nil {
		g = e.wake(i)
	}
	e.recent, e.number = g, i
	return g
}

// inUse returns the entry of a ring, nil if the ring is at rest.
func (e *entries) inUse(i int) *ring {
	if i == e.holds {
		return &e.first
	}
	if g := e.others.Known(int32(i)); g != nil && g.size != 0 {
		return g
	}
	return nil
}

// wake gives the entry of a ring at rest memory.
func (e *entries) wake(i int) *ring {
	head := e.heads.Known(int32(i))
	g := &e.first
	if e.holds == none {
		e.holds, e.home = i, head
	} else {
		g = e.others.At(int32(i))
	}
	*g = e.atRest(i, head)
	return g
}

// atRest returns what the entry of a ring at rest would be, of which a head is kept, or none.
func (e *entries) atRest(i int, head *uint64) ring {
	config := &e.layout.rings[i]
	g := ring{
		base: e.layout.bases[i], size: uint32(config.Size), shared: config.Shared, perPacket: config.PerPacket,
		owner: none, oldest: none, newest: none,
	}
	if head != nil {
		g.head, g.start = *head, uint32(*head%uint64(config.Size))
	}
	return g
}

// rest takes the memory of an entry back if nothing but the head of its ring has to be kept. Where many rings are in use, entries
// lie in the order of their rings, and keep their memory.
func (e *entries) rest(i int, g *ring) {
	if !g.isIdle() {
		return
	}
	head, home := g.head, (*uint64)(nil)
	if g == &e.first {
		e.holds, home = none, e.home
	} else if !e.others.Forget(int32(i)) {
		return
	}
	if home == nil {
		home = e.heads.At(int32(i))
		e.home = nil // heads may have moved
	}
	*home, e.recent = head, nil
}

// look returns the entry of a ring, which stays at rest if it is.
func (e *entries) look(i int) ring {
	if g := e.inUse(i); g != nil {
		return *g
	}
	return e.atRest(i, e.heads.Known(int32(i)))
}
