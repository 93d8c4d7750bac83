package match

import "slices"

// Host is the half of the process: it numbers what it posts, and knows which posts the interface
// may have.
type Host struct {
	room   int
	last   uint32   // number of the last post
	seen   uint32   // messages from rings that the process has looked at
	sure   int      // posts that are in the table, as far as the process has heard
	unsure []uint32 // posts since the last of those messages, in their order
}

// NewHost returns the half of a process for a table of so many entries.
func NewHost(entries int) Host { return Host{room: entries} }

// HasRoom reports whether the table has room for another receive, if it accepts all posts.
func (h *Host) HasRoom() bool { return h.sure+len(h.unsure) < h.room }

// Post numbers a receive that is to go to the interface. In its context the process keeps no
// receive.
func (h *Host) Post(r Receive) Post {
	h.last++
	h.unsure = append(h.unsure, h.last)
	return Post{Receive: r, Number: h.last, Seen: h.seen}
}

// Passed notes that the process looks at a message from a ring, with the number of the last post
// accepted before it passed. It appends the numbers of the posts that have been refused; the
// process keeps their receives from now on. It must match the message before it posts again.
func (h *Host) Passed(accepted uint32, refused []uint32) []uint32 {
	h.seen++
	first, found := slices.BinarySearch(h.unsure, accepted)
	if found {
		first++
	}
	h.sure += first
	refused = append(refused, h.unsure[first:]...)
	h.unsure = h.unsure[:0]
	return refused
}

// Ended notes that a post has left the table: it has been matched or withdrawn.
func (h *Host) Ended(number uint32) {
	if i, found := slices.BinarySearch(h.unsure, number); found {
		h.unsure = slices.Delete(h.unsure, i, i+1)
		return
	}
	h.sure--
}
