// Package fence counts the accesses that a memory barrier (fence) has to wait for.
package fence

// Counter is the memory barrier of a process: it knows when all accesses that have
// been issued before a barrier are acknowledged, in whatever order their acknowledgements
// come. Nothing waits for it: accesses that are issued after a barrier go their way.
//
// Accesses between two barriers are an epoch, and an access is counted in its epoch until
// it is acknowledged. A barrier is passed when its epoch and all before are empty. Numbers
// of epochs and tickets go round; no more than half of them may be open. The zero value is
// ready to be used.
type Counter struct {
	few     [4]uint32 // accesses under way of the open epochs, a ring; here, so that it is where the counter is
	more    []uint32  // takes its place when more epochs are open
	oldest  uint32    // epoch that is not empty, or current
	current uint32
}

// Issued counts an access that asks for an acknowledgement, and returns its epoch.
func (f *Counter) Issued() (epoch uint32) {
	*f.count(f.current)++
	return f.current
}

func (f *Counter) count(epoch uint32) *uint32 {
	counts := f.counts()
	return &counts[epoch&uint32(len(counts)-1)]
}

// counts returns the ring.
func (f *Counter) counts() []uint32 {
	if f.more != nil {
		return f.more
	}
	return f.few[:]
}

// Acked says that an access of an epoch is acknowledged. It reports whether one of that
// epoch was under way; if not, it changes nothing.
func (f *Counter) Acked(epoch uint32) bool {
	if epoch-f.oldest > f.current-f.oldest || *f.count(epoch) == 0 {
		return false
	}
	*f.count(epoch)--
	for f.oldest != f.current && *f.count(f.oldest) == 0 {
		f.oldest++
	}
	return true
}

// Barrier returns the ticket of a barrier behind all accesses that have been issued. Tickets
// of later barriers are the same or higher.
func (f *Counter) Barrier() (ticket uint32) {
	if *f.count(f.current) == 0 {
		return f.current - 1
	}
	ticket = f.current
	f.current++
	if open := f.current - f.oldest + 1; int(open) > len(f.counts()) {
		f.grow()
	}
	return ticket
}

// grow doubles the room for open epochs; all places are taken but for that of the current.
func (f *Counter) grow() {
	counts := make([]uint32, 2*len(f.counts()))
	for epoch := f.oldest; epoch != f.current; epoch++ {
		counts[epoch&uint32(len(counts)-1)] = *f.count(epoch)
	}
	f.more = counts
}

// Passed reports whether all accesses that were issued before a barrier are acknowledged.
func (f *Counter) Passed(ticket uint32) bool { return int32(f.oldest-1-ticket) >= 0 }

// Outstanding returns how many accesses are under way.
func (f *Counter) Outstanding() int {
	n := 0
	for _, count := range f.counts() {
		n += int(count)
	}
	return n
}
