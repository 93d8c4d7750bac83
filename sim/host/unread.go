package host

// unread is memory of zeros that all ranks have, by the number of the call that asked for it.
type unread [][]byte

// Unread implements rma.Sharer. A rank that asks for more than those before it gets new memory.
func (r *Process) Unread(bytes int) []byte {
	all := &r.c.unread
	if r.unreads == len(*all) {
		*all = append(*all, nil)
	}
	memory := &(*all)[r.unreads]
	r.unreads++
	if len(*memory) < bytes {
		*memory = make([]byte, bytes)
	}
	return (*memory)[:bytes:bytes]
}
