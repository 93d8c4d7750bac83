package live

// FollowingInPlace lends the next message out of the ring that the last one was lent from.
func (r *rank) FollowingInPlace() []byte {
	in := r.loan.in
	if in == nil {
		return nil
	}
	r.giveBack()
	data := r.lendInPlace(in) // a stream needs no answer
	if data == nil && !in.waits() {
		r.inform(in.from)
	}
	return data
}
