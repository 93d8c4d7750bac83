package rank

// FollowingInPlace returns the next message of the ring that the last one came by, in place.
func (r *Rank) FollowingInPlace() []byte {
	in := r.zeroCopy.in
	if in == nil {
		return nil
	}
	r.releaseMessage()
	data := r.receiveInPlace(in) // a stream needs no answer
	if data == nil && !in.ring.In.Waits() {
		in.ring.Inform()
	}
	return data
}
