// Package sparse keeps a value for each rank of a job, and allocates memory only for ranks that are
// used.
package sparse

// pageSize is how many ranks a page is for.
const pageSize = 16

// Values is a value for each rank of a job, zero at first. Memory is allocated by pages of ranks when
// one of them is used: in large jobs a rank communicates with few others.
type Values[T any] []*[pageSize]T

// New returns values for ranks from 0 on.
func New[T any](ranks int) Values[T] {
	return make(Values[T], (ranks+pageSize-1)/pageSize)
}

// At returns the value of a rank.
func (p Values[T]) At(rank int32) *T {
	page := p[uint32(rank)/pageSize]
	if page == nil {
		page = p.add(rank)
	}
	return &page[uint32(rank)%pageSize]
}

func (p Values[T]) add(rank int32) *[pageSize]T {
	page := new([pageSize]T)
	p[rank/pageSize] = page
	return page
}
