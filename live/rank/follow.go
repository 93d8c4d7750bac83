package rank

// FollowingInPlace lends the next message out of the ring that the last one was lent from.
func (r *Rank) FollowingInPlace() []byte {
	in := r.zeroCopy.in
	if in == nil {
		return nil
	}
	r.giveBack()
	data := r.lendInPlace(in) // a stream needs no answer
	if data == nil && !in.ring.In.Waits() {
		r.inform(in.from)
	}
	return data
}
