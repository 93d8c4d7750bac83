package match

// IsKept reports whether receives have been posted here, and not to an interface that matches.
func (q *Queues) IsKept() bool { return q.count > 0 }

// Offer notes the order of a receive that goes to an interface that matches, instead of Post.
func (q *Queues) Offer(r *Receive, number uint32) {
	q.orders++
	r.order = q.orders
	r.Posted, r.Offered = true, number
}

// PostBack posts a receive that comes back from an interface: before all that have been posted
// here since, which are younger.
func (q *Queues) PostBack(r *Receive) {
	q.count++
	q.counts.Posted++
	r.Offered = 0
	q.receives(r.Peer).pushFront(r)
}

// Oldest returns the posted receive that was posted first, nil if there is none.
func (q *Queues) Oldest() *Receive {
	oldest := q.anySource.first
	for _, posted := range q.posted.All() {
		if r := posted.first; r != nil && (oldest == nil || r.order < oldest.order) {
			oldest = r
		}
	}
	return oldest
}

// OfferPosted lets a posted receive, the oldest, go to an interface after all.
func (q *Queues) OfferPosted(r *Receive, number uint32) {
	q.Unpost(r)
	r.Posted, r.Offered = true, number
}

func (l *receiveList) pushFront(r *Receive) {
	r.prev, r.next = nil, l.first
	if l.first == nil {
		l.last = r
	} else {
		l.first.prev = r
	}
	l.first = r
}
