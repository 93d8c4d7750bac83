package mpi

// pageSize is how many ranks a page is for.
const pageSize = 64

// pages is a value for each rank of a job, zero at first. Memory is used for those
// ranks only that have something to do with this one, and their neighbours: in large
// jobs that are few.
type pages[T any] []*[pageSize]T

// newPages returns values for ranks from 0 on.
func newPages[T any](ranks int) pages[T] {
	return make(pages[T], (ranks+pageSize-1)/pageSize)
}

// at returns the value of a rank.
func (p pages[T]) at(rank int32) *T {
	page := p[uint32(rank)/pageSize]
	if page == nil {
		page = p.add(rank)
	}
	return &page[uint32(rank)%pageSize]
}

func (p pages[T]) add(rank int32) *[pageSize]T {
	page := new([pageSize]T)
	p[rank/pageSize] = page
	return page
}
