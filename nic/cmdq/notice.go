package cmdq

// Notice tells the owner of a command queue of a put that has been written.
type Notice struct {
	From int    // whose put it was
	Word uint64 // what came with it
}

// noticeRing is the MRQ of a command queue. Its positions count notices since it was
// opened; positions of commands count in the same way.
type noticeRing struct {
	slots    []Notice
	admitted uint64 // puts before it have a place
	told     uint64 // notices before it can be seen
	taken    uint64
}

func (r *noticeRing) hasRoom() bool { return int(r.admitted-r.taken) < len(r.slots) }

func (r *noticeRing) admit() bool {
	if !r.hasRoom() {
		return false
	}
	r.admitted++
	return true
}

// tell writes a notice into the oldest place that was kept. Without one it does nothing.
func (r *noticeRing) tell(n Notice) {
	if r.told < r.admitted {
		r.slots[r.told%uint64(len(r.slots))] = n
		r.told++
	}
}

func (r *noticeRing) count() int { return int(r.told - r.taken) }

func (r *noticeRing) take() (Notice, bool) {
	if r.count() == 0 {
		return Notice{}, false
	}
	n := r.slots[r.taken%uint64(len(r.slots))]
	r.taken++
	return n, true
}
