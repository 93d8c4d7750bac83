package abi

import "musubi/mpi/abi/shadow"

// NewShadow makes a copy of memory of a window that lies in another process.
func (p *Process) NewShadow(at int64, bytes int) *shadow.Copy {
	s := shadow.New(p.Host, at, bytes)
	p.shadows.Add(s)
	return s
}

// DropShadow ends that memory is copied.
func (p *Process) DropShadow(s *shadow.Copy) { p.shadows.Drop(s) }

// takeShadows and putShadows are the beginning and the end of each call. A call within another one may
// have changed anything.
func (p *Process) takeShadows() {
	p.shadows.Take()
	p.written = false
}

func (p *Process) putShadows() {
	p.shadows.Put(p.written)
	p.written = true
}
