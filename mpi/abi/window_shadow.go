package abi

import (
	"slices"

	"musubi/mpi/abi/shadow"
)

// newShadow makes a copy of memory of a window that lies in another process.
func (p *Process) newShadow(at int64, bytes int) *shadow.Copy {
	s := shadow.New(p.host, at, bytes)
	p.shadows = append(p.shadows, s)
	return s
}

func (p *Process) dropShadow(s *shadow.Copy) {
	if i := slices.Index(p.shadows, s); i >= 0 {
		s.Put(true)
		p.shadows = slices.Delete(p.shadows, i, i+1)
	}
}

// takeShadows and putShadows are the beginning and the end of each call. A call within another one may
// have changed anything.
func (p *Process) takeShadows() {
	for _, s := range p.shadows {
		s.Take()
	}
	p.written = false
}

func (p *Process) putShadows() {
	for _, s := range p.shadows {
		s.Put(p.written)
	}
	p.written = true
}
