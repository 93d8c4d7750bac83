package host

// slabChunk is how many values a slab makes at once.
const slabChunk = 256

// Slab is what a model keeps of operations, by their numbers, which begin at 1 and are used again. It
// grows by chunks, so values stay where they are.
type Slab[T any] struct {
	chunks []*[slabChunk]T
}

// At returns the value of an operation that New has been called for.
func (s *Slab[T]) At(id uint32) *T { return &s.chunks[id/slabChunk][id%slabChunk] }

// New returns the value of an operation that begins, which is zero.
func (s *Slab[T]) New(id uint32) *T {
	for uint32(len(s.chunks)) <= id/slabChunk {
		s.chunks = append(s.chunks, new([slabChunk]T))
	}
	var zero T
	value := s.At(id)
	*value = zero
	return value
}
