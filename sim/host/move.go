package host

import (
	"musubi/onesided"
)

// Locate returns the memory of the target that a PUSH or PULL accesses.
func (c *Env) Locate(q *Request, far *onesided.Layout) ([]byte, error) {
	memory, _, err := c.Ranks[q.Target].Reach(q.Address, far, q.Bytes())
	return memory, err
}

// Move copies n bytes of what is read in one memory to where it is written in
// another. In the packed form of both they begin at an offset.
func (c *Env) Move(to []byte, scatter *onesided.Layout, from []byte, gather *onesided.Layout, offset, n int) {
	if gather.IsContiguous() {
		scatter.Scatter(to, from[offset:offset+n], offset)
		return
	}
	if cap(c.packed) < n {
		c.packed = make([]byte, n)
	}
	packed := c.packed[:n]
	gather.Gather(packed, from, offset)
	scatter.Scatter(to, packed, offset)
}
