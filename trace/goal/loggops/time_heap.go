package loggops

// timeHeap is the queue of the program in ATLAHS, std::priority_queue of GNU's C++ library, and compares
// times only. Which event comes first at equal times follows from the way of that library, and the times of
// some schedules follow from that.
type timeHeap []event

func (h *timeHeap) push(e event) {
	*h = append(*h, e)
	(*h).rise(len(*h)-1, e)
}

// rise puts an event at place i, or nearer to the top.
func (h timeHeap) rise(i int, e event) {
	for i > 0 {
		parent := (i - 1) / 2
		if h[parent].at <= e.at {
			break
		}
		h[i] = h[parent]
		i = parent
	}
	h[i] = e
}

// pop moves the place of the first event down to a leaf, and lets the last event rise from there.
func (h *timeHeap) pop() (ev event, ok bool) {
	all := *h
	if len(all) == 0 {
		return event{}, false
	}
	top, last := all[0], all[len(all)-1]
	all = all[:len(all)-1]
	if *h = all; len(all) == 0 {
		return top, true
	}
	i := 0
	for 2*i+1 < len(all) {
		child := 2*i + 2 // the right one wins at equal times
		if child == len(all) || all[child].at > all[child-1].at {
			child--
		}
		all[i] = all[child]
		i = child
	}
	all.rise(i, last)
	return top, true
}
