package datatypes

import (
	"slices"

	"musubi/mpi/abi"
	"musubi/mpi/abi/attribute"
	"musubi/mpi/abi/standard"
	"musubi/mpi/abi/typemap"
)

// putType gives a new type a handle and writes it.
func putType(c *abi.Call, at int64, t *abi.Datatype) {
	t.Handle = c.Types.Add(t)
	c.PutWord(at, t.Handle)
}

func init() {
	abi.Add(map[string]func(c *abi.Call) error{
		"MPI_Type_contiguous":            contiguousType,
		"MPI_Type_vector":                func(c *abi.Call) error { return vectorType(c, standard.CombinerVector) },
		"MPI_Type_hvector":               func(c *abi.Call) error { return vectorType(c, standard.CombinerHvector) },
		"MPI_Type_create_hvector":        func(c *abi.Call) error { return vectorType(c, standard.CombinerHvector) },
		"MPI_Type_indexed":               func(c *abi.Call) error { return indexedType(c, standard.CombinerIndexed) },
		"MPI_Type_create_hindexed":       func(c *abi.Call) error { return indexedType(c, standard.CombinerHindexed) },
		"MPI_Type_hindexed":              func(c *abi.Call) error { return indexedType(c, standard.CombinerHindexed) },
		"MPI_Type_create_indexed_block":  func(c *abi.Call) error { return blocksType(c, standard.CombinerIndexedBlock) },
		"MPI_Type_create_hindexed_block": func(c *abi.Call) error { return blocksType(c, standard.CombinerHindexedBlock) },
		"MPI_Type_create_struct":         structType,
		"MPI_Type_struct":                structType,
		"MPI_Type_create_resized":        resizedType,
		"MPI_Type_create_subarray":       subarrayType,
		"MPI_Type_create_darray":         darrayType,
		"MPI_Type_dup":                   dupType,
	})
}

// made is how a type was made. In calls for large counts all numbers are counts.
func made(c *abi.Call, combiner int, ints, addresses []int, types ...*abi.Datatype) abi.Envelope {
	if c.Large {
		return abi.Envelope{Combiner: combiner, Counts: append(slices.Clone(ints), addresses...), Types: types}
	}
	return abi.Envelope{Combiner: combiner, Ints: ints, Addresses: addresses, Types: types}
}

func contiguousType(c *abi.Call) error {
	n, err := c.Count(0)
	if err != nil {
		return err
	}
	t, err := c.Datatype(1)
	if err == nil {
		putType(c, c.Words[2], abi.Compose([]typemap.Block{typemap.Row(0, n, &t.Type)}, made(c, standard.CombinerContiguous, []int{n}, nil, t)))
	}
	return err
}

func vectorType(c *abi.Call, combiner int) error {
	n, err := c.Count(0)
	if err != nil {
		return err
	}
	length, err := c.Count(1)
	if err != nil {
		return err
	}
	t, err := c.Datatype(3)
	if err != nil {
		return err
	}
	stride := c.At(2)
	e := made(c, combiner, []int{n, length}, []int{stride}, t)
	if combiner == standard.CombinerVector {
		e = made(c, combiner, []int{n, length, stride}, nil, t)
		stride *= t.Extent()
	}
	block := typemap.Compose([]typemap.Block{typemap.Row(0, length, &t.Type)})
	if length == 0 {
		n = 0 // blocks of nothing have no bounds
	}
	putType(c, c.Words[4], abi.Compose([]typemap.Block{{Count: n, Stride: stride, Of: &block}}, e))
	return nil
}

func indexedType(c *abi.Call, combiner int) error {
	n, err := c.Count(0)
	if err != nil {
		return err
	}
	t, err := c.Datatype(3)
	if err != nil {
		return err
	}
	lengths := c.Ints(c.Words[1], n, c.Large)
	places := c.Ints(c.Words[2], n, c.Large || combiner == standard.CombinerHindexed)
	e := made(c, combiner, slices.Concat([]int{n}, lengths), places, t)
	unit := 1
	if combiner == standard.CombinerIndexed {
		e = made(c, combiner, slices.Concat([]int{n}, lengths, places), nil, t)
		unit = t.Extent()
	}
	blocks, err := blocksOf(lengths, places, unit, t)
	if err == nil {
		putType(c, c.Words[4], abi.Compose(blocks, e))
	}
	return err
}

func blocksOf(lengths, places []int, unit int, t *abi.Datatype) ([]typemap.Block, error) {
	blocks := make([]typemap.Block, len(places))
	for i := range blocks {
		if lengths[i] < 0 {
			return nil, abi.Wrong(standard.ErrArg, "a block of %d elements", lengths[i])
		}
		blocks[i] = typemap.Row(places[i]*unit, lengths[i], &t.Type)
	}
	return blocks, nil
}

func blocksType(c *abi.Call, combiner int) error {
	n, err := c.Count(0)
	if err != nil {
		return err
	}
	length, err := c.Count(1)
	if err != nil {
		return err
	}
	t, err := c.Datatype(3)
	if err != nil {
		return err
	}
	places := c.Ints(c.Words[2], n, c.Large || combiner == standard.CombinerHindexedBlock)
	e := made(c, combiner, []int{n, length}, places, t)
	unit := 1
	if combiner == standard.CombinerIndexedBlock {
		e = made(c, combiner, slices.Concat([]int{n, length}, places), nil, t)
		unit = t.Extent()
	}
	blocks := make([]typemap.Block, n)
	for i := range blocks {
		blocks[i] = typemap.Row(places[i]*unit, length, &t.Type)
	}
	putType(c, c.Words[4], abi.Compose(blocks, e))
	return nil
}

func structType(c *abi.Call) error {
	n, err := c.Count(0)
	if err != nil {
		return err
	}
	lengths, places, handles := c.Ints(c.Words[1], n, c.Large), c.Ints(c.Words[2], n, true), c.Ints(c.Words[3], n, true)
	blocks, types := make([]typemap.Block, n), make([]*abi.Datatype, n)
	align := 1
	for i, h := range handles {
		t := c.TypeAt(int64(h))
		if t == nil {
			return abi.Wrong(standard.ErrType, "%#x is no datatype", h)
		}
		if lengths[i] < 0 {
			return abi.Wrong(standard.ErrArg, "a block of %d elements", lengths[i])
		}
		blocks[i], types[i] = typemap.Row(places[i], lengths[i], &t.Type), t
		align = max(align, t.Alignment())
	}
	made := abi.Compose(blocks, made(c, standard.CombinerStruct, slices.Concat([]int{n}, lengths), places, types...))
	if rest := made.Extent() % align; rest != 0 && made.Extent() > 0 { // as a compiler pads a struct
		made.SetBounds(made.Lower, made.Upper+align-rest)
	}
	putType(c, c.Words[4], made)
	return nil
}

func resizedType(c *abi.Call) error {
	t, err := c.Datatype(0)
	if err != nil {
		return err
	}
	n := t.Clone(made(c, standard.CombinerResized, nil, []int{c.At(1), c.At(2)}, t))
	n.SetBounds(c.At(1), c.At(1)+c.At(2))
	putType(c, c.Words[3], n)
	return nil
}

func dupType(c *abi.Call) error {
	t, err := c.Datatype(0)
	if err != nil {
		return err
	}
	n := t.Clone(abi.Envelope{Combiner: standard.CombinerDup, Types: []*abi.Datatype{t}})
	if err := attribute.CopyAttributes(c, &t.Attributes, &n.Attributes, t.Handle); err != nil {
		return err
	}
	putType(c, c.Words[1], n)
	if t.Committed {
		c.Commit(n)
	}
	return nil
}
