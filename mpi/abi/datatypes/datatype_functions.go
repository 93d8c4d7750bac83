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
		"MPI_Type_contiguous": func(c *abi.Call) error {
			n, err := c.Count(0)
			if err != nil {
				return err
			}
			t, err := c.Datatype(1)
			if err == nil {
				putType(c, c.Words[2], abi.Compose([]typemap.Block{{Count: n, Of: &t.Type}}, made(c, standard.CombinerContiguous, []int{n}, nil, t.Handle)))
			}
			return err
		},
		"MPI_Type_vector":  func(c *abi.Call) error { return vectorType(c, standard.CombinerVector) },
		"MPI_Type_hvector": func(c *abi.Call) error { return vectorType(c, standard.CombinerHvector) },
		"MPI_Type_create_hvector": func(c *abi.Call) error {
			return vectorType(c, standard.CombinerHvector)
		},
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
		"MPI_Type_commit":                commitType,
		"MPI_Type_free":                  freeType,
		"MPI_Type_size":                  func(c *abi.Call) error { return typeSize(c, c.Large) },
		"MPI_Type_size_x":                func(c *abi.Call) error { return typeSize(c, true) },
		"MPI_Type_get_extent":            typeExtent,
		"MPI_Type_get_extent_x":          typeExtent,
		"MPI_Type_get_true_extent":       typeTrueExtent,
		"MPI_Type_get_true_extent_x":     typeTrueExtent,
		"MPI_Type_get_envelope":          typeEnvelope,
		"MPI_Type_get_contents":          typeContents,
		"MPI_Type_set_name": func(c *abi.Call) error {
			t, err := c.Datatype(0)
			if err == nil {
				t.Name = c.Text(c.Words[1])
				t.Name = t.Name[:min(len(t.Name), standard.MaxObjectName-1)]
			}
			return err
		},
		"MPI_Type_get_name": func(c *abi.Call) error {
			name := "MPI_DATATYPE_NULL"
			if c.Words[0] != standard.DatatypeNull {
				t, err := c.Datatype(0)
				if err != nil {
					return err
				}
				name = t.Name
			}
			c.PutInt(c.Words[2], c.PutText(c.Words[1], name, standard.MaxObjectName))
			return nil
		},
		"MPI_Type_match_size":         matchSize,
		"MPI_Type_get_value_index":    valueIndex,
		"MPI_Type_create_f90_integer": func(c *abi.Call) error { return fortranInteger(c) },
		"MPI_Type_create_f90_real": func(c *abi.Call) error {
			return fortranReal(c, standard.Real, standard.DoublePrecision, standard.CombinerF90Real)
		},
		"MPI_Type_create_f90_complex": func(c *abi.Call) error {
			return fortranReal(c, standard.Complex, standard.DoubleComplex, standard.CombinerF90Complex)
		},
		"MPI_Pack":               pack,
		"MPI_Unpack":             unpack,
		"MPI_Pack_size":          packSize,
		"MPI_Pack_external":      func(c *abi.Call) error { return packExternal(c, false) },
		"MPI_Unpack_external":    func(c *abi.Call) error { return packExternal(c, true) },
		"MPI_Pack_external_size": packExternalSize,
	})
}

// made is how a type was made. In calls for large counts all numbers are counts.
func made(c *abi.Call, combiner int, ints, addresses []int, types ...int64) abi.Envelope {
	if c.Large {
		return abi.Envelope{Combiner: combiner, Counts: append(slices.Clone(ints), addresses...), Types: types}
	}
	return abi.Envelope{Combiner: combiner, Ints: ints, Addresses: addresses, Types: types}
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
	e := made(c, combiner, []int{n, length}, []int{stride}, t.Handle)
	if combiner == standard.CombinerVector {
		e = made(c, combiner, []int{n, length, stride}, nil, t.Handle)
		stride *= t.Extent()
	}
	blocks := make([]typemap.Block, n)
	for i := range blocks {
		blocks[i] = typemap.Block{At: i * stride, Count: length, Of: &t.Type}
	}
	putType(c, c.Words[4], abi.Compose(blocks, e))
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
	e := made(c, combiner, slices.Concat([]int{n}, lengths), places, t.Handle)
	unit := 1
	if combiner == standard.CombinerIndexed {
		e = made(c, combiner, slices.Concat([]int{n}, lengths, places), nil, t.Handle)
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
		blocks[i] = typemap.Block{At: places[i] * unit, Count: lengths[i], Of: &t.Type}
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
	e := made(c, combiner, []int{n, length}, places, t.Handle)
	unit := 1
	if combiner == standard.CombinerIndexedBlock {
		e = made(c, combiner, slices.Concat([]int{n, length}, places), nil, t.Handle)
		unit = t.Extent()
	}
	blocks := make([]typemap.Block, n)
	for i := range blocks {
		blocks[i] = typemap.Block{At: places[i] * unit, Count: length, Of: &t.Type}
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
	blocks, types := make([]typemap.Block, n), make([]int64, n)
	align := 1
	for i, h := range handles {
		t := c.TypeAt(int64(h))
		if t == nil {
			return abi.Wrong(standard.ErrType, "%#x is no datatype", h)
		}
		if lengths[i] < 0 {
			return abi.Wrong(standard.ErrArg, "a block of %d elements", lengths[i])
		}
		blocks[i], types[i] = typemap.Block{At: places[i], Count: lengths[i], Of: &t.Type}, int64(h)
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
	n := t.Clone(made(c, standard.CombinerResized, nil, []int{c.At(1), c.At(2)}, t.Handle))
	n.SetBounds(c.At(1), c.At(1)+c.At(2))
	putType(c, c.Words[3], n)
	return nil
}

func dupType(c *abi.Call) error {
	t, err := c.Datatype(0)
	if err != nil {
		return err
	}
	n := t.Clone(abi.Envelope{Combiner: standard.CombinerDup, Types: []int64{t.Handle}})
	n.Committed = t.Committed
	if err := attribute.CopyAttributes(c, &t.Attributes, &n.Attributes, t.Handle); err != nil {
		return err
	}
	putType(c, c.Words[1], n)
	return nil
}

func commitType(c *abi.Call) error {
	h := c.Word(c.Words[0])
	t := c.TypeAt(h)
	if t == nil {
		return abi.Wrong(standard.ErrType, "%#x is no datatype", h)
	}
	t.Committed = true
	return nil
}

func freeType(c *abi.Call) error {
	h := c.Word(c.Words[0])
	t := c.TypeAt(h)
	if t == nil || t.Predefined {
		return abi.Wrong(standard.ErrType, "%#x is no datatype that the program has made", h)
	}
	if err := attribute.DeleteAttributes(c, &t.Attributes, h); err != nil {
		return err
	}
	c.Types.Remove(h)
	c.PutWord(c.Words[0], standard.DatatypeNull)
	return nil
}

func typeSize(c *abi.Call, words bool) error {
	t, err := c.Datatype(0)
	if err != nil {
		return err
	}
	switch {
	case words:
		c.PutWord(c.Words[1], int64(t.Size))
	case t.Size > 1<<31-1:
		c.PutInt(c.Words[1], standard.Undefined)
	default:
		c.PutInt(c.Words[1], t.Size)
	}
	return nil
}

func typeExtent(c *abi.Call) error {
	t, err := c.Datatype(0)
	if err == nil {
		c.PutWord(c.Words[1], int64(t.Lower))
		c.PutWord(c.Words[2], int64(t.Extent()))
	}
	return err
}

func typeTrueExtent(c *abi.Call) error {
	t, err := c.Datatype(0)
	if err == nil {
		c.PutWord(c.Words[1], int64(t.TrueLow))
		c.PutWord(c.Words[2], int64(t.TrueUp-t.TrueLow))
	}
	return err
}

func typeEnvelope(c *abi.Call) error {
	t, err := c.Datatype(0)
	if err != nil {
		return err
	}
	e := &t.Made
	if c.Large {
		for i, n := range []int{len(e.Ints), len(e.Addresses), len(e.Counts), len(e.Types)} {
			c.PutWord(c.Words[1+i], int64(n))
		}
		c.PutInt(c.Words[5], e.Combiner)
		return nil
	}
	if len(e.Counts) > 0 {
		return abi.Wrong(standard.ErrType, "a datatype made with large counts; expected MPI_Type_get_envelope_c")
	}
	c.PutInt(c.Words[1], len(e.Ints))
	c.PutInt(c.Words[2], len(e.Addresses))
	c.PutInt(c.Words[3], len(e.Types))
	c.PutInt(c.Words[4], e.Combiner)
	return nil
}

func typeContents(c *abi.Call) error {
	t, err := c.Datatype(0)
	if err != nil {
		return err
	}
	e := &t.Made
	if e.Combiner == standard.CombinerNamed {
		return abi.Wrong(standard.ErrType, "a datatype of the standard, which has no contents")
	}
	out, types := 4, 3
	if c.Large {
		out, types = 5, 4
	}
	if c.At(1) < len(e.Ints) || c.At(2) < len(e.Addresses) || c.At(types) < len(e.Types) || c.Large && c.At(3) < len(e.Counts) {
		return abi.Wrong(standard.ErrArg, "arrays that are shorter than the contents")
	}
	c.PutInts(c.Words[out], e.Ints, false)
	c.PutInts(c.Words[out+1], e.Addresses, true)
	if c.Large {
		c.PutInts(c.Words[7], e.Counts, true)
		out++
	}
	handles := make([]int, len(e.Types))
	for i, h := range e.Types {
		if handles[i] = int(h); c.TypeAt(h) == nil || !c.TypeAt(h).Predefined {
			if inner := kept(e, c, i); inner != nil { // a handle of its own, which the program frees
				handles[i] = int(inner.Handle)
			}
		}
	}
	c.PutInts(c.Words[out+2], handles, true)
	return nil
}

// kept returns a copy of a type that another was made of.
func kept(e *abi.Envelope, c *abi.Call, i int) *abi.Datatype {
	t := c.TypeAt(e.Types[i])
	if t == nil {
		return nil
	}
	n := t.Clone(t.Made)
	n.Committed = t.Committed
	n.Handle = c.Types.Add(n)
	return n
}

// ofSize are the datatypes of a class by their bytes.
var ofSize = map[[2]int]int64{
	{standard.TypeclassInteger, 1}:  standard.Integer1,
	{standard.TypeclassInteger, 2}:  standard.Integer2,
	{standard.TypeclassInteger, 4}:  standard.Integer4,
	{standard.TypeclassInteger, 8}:  standard.Integer8,
	{standard.TypeclassReal, 4}:     standard.Real4,
	{standard.TypeclassReal, 8}:     standard.Real8,
	{standard.TypeclassReal, 16}:    standard.LongDouble,
	{standard.TypeclassComplex, 8}:  standard.Complex8,
	{standard.TypeclassComplex, 16}: standard.Complex16,
	{standard.TypeclassComplex, 32}: standard.CLongDoubleComplex,
}

func matchSize(c *abi.Call) error {
	h, known := ofSize[[2]int{c.At(0), c.At(1)}]
	if !known {
		return abi.Wrong(standard.ErrArg, "no datatype of class %d and %d bytes", c.At(0), c.At(1))
	}
	c.PutWord(c.Words[2], h)
	return nil
}

// valueAndIndex are the pair types by the types of the value and of the index.
var valueAndIndex = map[[2]int64]int64{
	{standard.Float, standard.Int}:                       standard.FloatInt,
	{standard.Double, standard.Int}:                      standard.DoubleInt,
	{standard.Long, standard.Int}:                        standard.LongInt,
	{standard.Int, standard.Int}:                         standard.TwoInt,
	{standard.Short, standard.Int}:                       standard.ShortInt,
	{standard.LongDouble, standard.Int}:                  standard.LongDoubleInt,
	{standard.Real, standard.Real}:                       standard.TwoReal,
	{standard.DoublePrecision, standard.DoublePrecision}: standard.TwoDoublePrecision,
	{standard.Integer, standard.Integer}:                 standard.TwoInteger,
}

func valueIndex(c *abi.Call) error {
	h, known := valueAndIndex[[2]int64{c.Words[0], c.Words[1]}]
	if !known {
		h = standard.DatatypeNull
	}
	c.PutWord(c.Words[2], h)
	return nil
}

// fortran makes a type like one of the standard, or finds the one that has been made.
func fortran(c *abi.Call, at int64, like int64, combiner int, ints ...int) error {
	for _, t := range c.Types.Objects {
		if t != nil && t.Predefined && t.Made.Combiner == combiner && slices.Equal(t.Made.Ints, ints) {
			c.PutWord(at, t.Handle)
			return nil
		}
	}
	n := c.TypeAt(like).Clone(abi.Envelope{Combiner: combiner, Ints: ints})
	n.Committed, n.Predefined = true, true
	putType(c, at, n)
	return nil
}

func fortranInteger(c *abi.Call) error {
	r := c.At(0)
	like := int64(standard.Integer8)
	switch {
	case r <= 2:
		like = standard.Integer1
	case r <= 4:
		like = standard.Integer2
	case r <= 9:
		like = standard.Integer4
	case r > 18:
		return abi.Wrong(standard.ErrArg, "no integer of %d digits", r)
	}
	return fortran(c, c.Words[1], like, standard.CombinerF90Integer, r)
}

func fortranReal(c *abi.Call, short, long int64, combiner int) error {
	p, r := c.At(0), c.At(1)
	like := short
	switch {
	case p != standard.Undefined && p > 15 || r != standard.Undefined && r > 307:
		return abi.Wrong(standard.ErrArg, "no real of %d digits and an exponent of %d", p, r)
	case p != standard.Undefined && p > 6 || r != standard.Undefined && r > 37:
		like = long
	}
	return fortran(c, c.Words[2], like, combiner, p, r)
}

// Pack and Unpack.

func position(c *abi.Call, i int) int {
	if c.Large {
		return int(c.Word(c.Words[i]))
	}
	return c.Int(c.Words[i])
}

func putPosition(c *abi.Call, i, v int) {
	if c.Large {
		c.PutWord(c.Words[i], int64(v))
	} else {
		c.PutInt(c.Words[i], v)
	}
}

func pack(c *abi.Call) error {
	if _, err := c.Comm(6); err != nil {
		return err
	}
	count, t, err := c.Counted(1)
	if err != nil {
		return err
	}
	data, at := c.Outgoing(c.Words[0], count, t), position(c, 5)
	if at < 0 || at+len(data) > c.At(4) {
		return abi.Wrong(standard.ErrTruncate, "%d bytes from %d on into a buffer of %d", len(data), at, c.At(4))
	}
	c.Store(c.Words[3]+int64(at), data)
	putPosition(c, 5, at+len(data))
	return nil
}

func unpack(c *abi.Call) error {
	if _, err := c.Comm(6); err != nil {
		return err
	}
	count, t, err := c.Counted(4)
	if err != nil {
		return err
	}
	at, bytes := position(c, 2), count*t.Size
	if at < 0 || at+bytes > c.At(1) {
		return abi.Wrong(standard.ErrTruncate, "%d bytes from %d on of a buffer of %d", bytes, at, c.At(1))
	}
	if bytes > 0 {
		c.Scatter(c.Words[3], c.Host.View(uintptr(c.Words[0]+int64(at)), bytes), count, t)
	}
	putPosition(c, 2, at+bytes)
	return nil
}

func packSize(c *abi.Call) error {
	if _, err := c.Comm(2); err != nil {
		return err
	}
	count, t, err := c.Counted(0)
	if err != nil {
		return err
	}
	if n := count * t.Size; c.Large {
		c.PutWord(c.Words[3], int64(n))
	} else {
		c.PutInt(c.Words[3], n)
	}
	return nil
}

// external fails unless the representation is external32, the only one.
func external(c *abi.Call, i int) error {
	if name := c.Text(c.Words[i]); name != "external32" {
		return abi.Wrong(standard.ErrArg, "data representation %q; expected external32", name)
	}
	return nil
}

// packExternal packs, or unpacks, with the bytes of each basic element in the opposite order.
func packExternal(c *abi.Call, unpack bool) error {
	if err := external(c, 0); err != nil {
		return err
	}
	i := 2
	if unpack {
		i = 5
	}
	count, t, err := c.Counted(i)
	if err != nil {
		return err
	}
	bytes := count * t.ExternalSize()
	if unpack {
		at := int(c.Word(c.Words[3]))
		if at+bytes > c.At(2) {
			return abi.Wrong(standard.ErrTruncate, "%d bytes from %d on of a buffer of %d", bytes, at, c.At(2))
		}
		if bytes > 0 {
			c.Scatter(c.Words[4], t.FromExternal(c.Host.View(uintptr(c.Words[1]+int64(at)), bytes)), count, t)
		}
		c.PutWord(c.Words[3], int64(at+bytes))
		return nil
	}
	at := int(c.Word(c.Words[6]))
	if at+bytes > c.At(5) {
		return abi.Wrong(standard.ErrTruncate, "%d bytes from %d on into a buffer of %d", bytes, at, c.At(5))
	}
	c.Store(c.Words[4]+int64(at), t.ToExternal(c.Outgoing(c.Words[1], count, t)))
	c.PutWord(c.Words[6], int64(at+bytes))
	return nil
}

func packExternalSize(c *abi.Call) error {
	if err := external(c, 0); err != nil {
		return err
	}
	count, t, err := c.Counted(1)
	if err == nil {
		c.PutWord(c.Words[3], int64(count*t.ExternalSize()))
	}
	return err
}

// Reductions.

func init() {
	abi.Add(map[string]func(c *abi.Call) error{
		"MPI_Op_create": func(c *abi.Call) error {
			c.PutWord(c.Words[2], c.Ops.Add(&abi.Operation{Function: c.Words[0], Commutative: c.At(1) != 0, Large: c.Large}))
			return nil
		},
		"MPI_Op_free": func(c *abi.Call) error {
			h := c.Word(c.Words[0])
			if c.Ops.Get(h) == nil {
				return abi.Wrong(standard.ErrOp, "%#x is no operation that the program has made", h)
			}
			c.Ops.Remove(h)
			c.PutWord(c.Words[0], standard.OpNull)
			return nil
		},
		"MPI_Op_commutative": func(c *abi.Call) error {
			if own := c.Ops.Get(c.Words[0]); own != nil {
				c.PutBool(c.Words[1], own.Commutative)
			} else {
				c.PutBool(c.Words[1], c.Words[0] != standard.Replace && c.Words[0] != standard.NoOp)
			}
			return nil
		},
	})
}
