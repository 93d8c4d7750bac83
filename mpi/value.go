package mpi

// The functions here are collective operations on one element of each rank, as values. Reductions
// take a function that makes the operation, such as Sum, whose type follows from the element:
//
//	total, err := mpi.AllReduceValue(c, x, mpi.Sum)

// AllReduceValue combines an element of each rank, and returns the result at each of them.
func AllReduceValue[T any](c *Comm, x T, op func() Op[T]) (T, error) {
	in, out := []T{x}, make([]T, 1)
	err := AllReduce(c, in, out, op())
	return out[0], err
}

// ReduceValue combines an element of each rank, and returns the result at the root; at the other
// ranks it returns zero.
func ReduceValue[T any](c *Comm, root int, x T, op func() Op[T]) (T, error) {
	in, out := []T{x}, make([]T, 1)
	err := Reduce(c, root, in, out, op())
	return out[0], err
}

// ScanValue combines the elements of the ranks up to this one, its own included.
func ScanValue[T any](c *Comm, x T, op func() Op[T]) (T, error) {
	in, out := []T{x}, make([]T, 1)
	err := Scan(c, in, out, op())
	return out[0], err
}

// BroadcastValue returns the root's element at all ranks. What the others give does not matter.
func BroadcastValue[T any](c *Comm, root int, x T) (T, error) {
	data := []T{x}
	err := Broadcast(c, root, data)
	return data[0], err
}

// GatherValue returns an element of each rank at the root, in the order of the ranks; at the other
// ranks it returns nil.
func GatherValue[T any](c *Comm, root int, x T) ([]T, error) {
	var out []T
	if c != nil && c.Rank() == root {
		out = make([]T, c.Size())
	}
	err := Gather(c, root, []T{x}, out)
	return out, err
}

// AllGatherValue returns an element of each rank at each of them, in the order of the ranks.
func AllGatherValue[T any](c *Comm, x T) ([]T, error) {
	var out []T
	if c != nil {
		out = make([]T, c.Size())
	}
	err := AllGather(c, []T{x}, out)
	return out, err
}
