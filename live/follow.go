package live

// Follow lends the next message out of the ring that the last one was lent from.
func (r *rank) Follow() []byte {
	l := &r.loan
	in := l.in
	if in == nil {
		return nil
	}
	r.giveBack()
	k, body := in.next()
	if k == 0 {
		r.inform(l.from)
		return nil
	}
	if k != kindMessage || r.refuse(l.from, uint64(len(body))).code != 0 {
		return nil
	}
	r.out[l.from].acknowledge(in.ack)
	l.in, l.bytes = in, len(body)
	return body
}
