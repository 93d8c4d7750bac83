package abi

import (
	"slices"

	"musubi/mpi/abi/standard"
	"musubi/mpi/abi/typemap"
)

// putType gives a new type a handle and writes it.
func (c *call) putType(at int64, t *datatype) {
	t.handle = c.types.Add(t)
	c.putWord(at, t.handle)
}

func init() {
	add(map[string]func(c *call) error{
		"MPI_Type_contiguous": func(c *call) error {
			n, err := c.count(0)
			if err != nil {
				return err
			}
			t, err := c.datatype(1)
			if err == nil {
				c.putType(c.a[2], compose([]typemap.Block{{Count: n, Of: &t.Type}}, c.made(standard.CombinerContiguous, []int{n}, nil, t.handle)))
			}
			return err
		},
		"MPI_Type_vector":  func(c *call) error { return c.vectorType(standard.CombinerVector) },
		"MPI_Type_hvector": func(c *call) error { return c.vectorType(standard.CombinerHvector) },
		"MPI_Type_create_hvector": func(c *call) error {
			return c.vectorType(standard.CombinerHvector)
		},
		"MPI_Type_indexed":               func(c *call) error { return c.indexedType(standard.CombinerIndexed) },
		"MPI_Type_create_hindexed":       func(c *call) error { return c.indexedType(standard.CombinerHindexed) },
		"MPI_Type_hindexed":              func(c *call) error { return c.indexedType(standard.CombinerHindexed) },
		"MPI_Type_create_indexed_block":  func(c *call) error { return c.blocksType(standard.CombinerIndexedBlock) },
		"MPI_Type_create_hindexed_block": func(c *call) error { return c.blocksType(standard.CombinerHindexedBlock) },
		"MPI_Type_create_struct":         (*call).structType,
		"MPI_Type_struct":                (*call).structType,
		"MPI_Type_create_resized":        (*call).resizedType,
		"MPI_Type_create_subarray":       (*call).subarrayType,
		"MPI_Type_create_darray":         (*call).darrayType,
		"MPI_Type_dup":                   (*call).dupType,
		"MPI_Type_commit":                (*call).commitType,
		"MPI_Type_free":                  (*call).freeType,
		"MPI_Type_size":                  func(c *call) error { return c.typeSize(c.large) },
		"MPI_Type_size_x":                func(c *call) error { return c.typeSize(true) },
		"MPI_Type_get_extent":            (*call).typeExtent,
		"MPI_Type_get_extent_x":          (*call).typeExtent,
		"MPI_Type_get_true_extent":       (*call).typeTrueExtent,
		"MPI_Type_get_true_extent_x":     (*call).typeTrueExtent,
		"MPI_Type_get_envelope":          (*call).typeEnvelope,
		"MPI_Type_get_contents":          (*call).typeContents,
		"MPI_Type_set_name": func(c *call) error {
			t, err := c.datatype(0)
			if err == nil {
				t.name = c.text(c.a[1])
				t.name = t.name[:min(len(t.name), standard.MaxObjectName-1)]
			}
			return err
		},
		"MPI_Type_get_name": func(c *call) error {
			name := "MPI_DATATYPE_NULL"
			if c.a[0] != standard.DatatypeNull {
				t, err := c.datatype(0)
				if err != nil {
					return err
				}
				name = t.name
			}
			c.putInt(c.a[2], c.putText(c.a[1], name, standard.MaxObjectName))
			return nil
		},
		"MPI_Type_match_size":         (*call).matchSize,
		"MPI_Type_get_value_index":    (*call).valueIndex,
		"MPI_Type_create_f90_integer": func(c *call) error { return c.fortranInteger() },
		"MPI_Type_create_f90_real": func(c *call) error {
			return c.fortranReal(standard.Real, standard.DoublePrecision, standard.CombinerF90Real)
		},
		"MPI_Type_create_f90_complex": func(c *call) error {
			return c.fortranReal(standard.Complex, standard.DoubleComplex, standard.CombinerF90Complex)
		},
		"MPI_Pack":               (*call).pack,
		"MPI_Unpack":             (*call).unpack,
		"MPI_Pack_size":          (*call).packSize,
		"MPI_Pack_external":      func(c *call) error { return c.packExternal(false) },
		"MPI_Unpack_external":    func(c *call) error { return c.packExternal(true) },
		"MPI_Pack_external_size": (*call).packExternalSize,
	})
}

// made is how a type was made. In calls for large counts all numbers are counts.
func (c *call) made(combiner int, ints, addresses []int, types ...int64) envelope {
	if c.large {
		return envelope{combiner: combiner, counts: append(slices.Clone(ints), addresses...), types: types}
	}
	return envelope{combiner: combiner, ints: ints, addresses: addresses, types: types}
}

func (c *call) vectorType(combiner int) error {
	n, err := c.count(0)
	if err != nil {
		return err
	}
	length, err := c.count(1)
	if err != nil {
		return err
	}
	t, err := c.datatype(3)
	if err != nil {
		return err
	}
	stride := c.at(2)
	e := c.made(combiner, []int{n, length}, []int{stride}, t.handle)
	if combiner == standard.CombinerVector {
		e = c.made(combiner, []int{n, length, stride}, nil, t.handle)
		stride *= t.Extent()
	}
	blocks := make([]typemap.Block, n)
	for i := range blocks {
		blocks[i] = typemap.Block{At: i * stride, Count: length, Of: &t.Type}
	}
	c.putType(c.a[4], compose(blocks, e))
	return nil
}

func (c *call) indexedType(combiner int) error {
	n, err := c.count(0)
	if err != nil {
		return err
	}
	t, err := c.datatype(3)
	if err != nil {
		return err
	}
	lengths := c.ints(c.a[1], n, c.large)
	places := c.ints(c.a[2], n, c.large || combiner == standard.CombinerHindexed)
	e := c.made(combiner, slices.Concat([]int{n}, lengths), places, t.handle)
	unit := 1
	if combiner == standard.CombinerIndexed {
		e = c.made(combiner, slices.Concat([]int{n}, lengths, places), nil, t.handle)
		unit = t.Extent()
	}
	blocks, err := blocksOf(lengths, places, unit, t)
	if err == nil {
		c.putType(c.a[4], compose(blocks, e))
	}
	return err
}

func blocksOf(lengths, places []int, unit int, t *datatype) ([]typemap.Block, error) {
	blocks := make([]typemap.Block, len(places))
	for i := range blocks {
		if lengths[i] < 0 {
			return nil, wrong(standard.ErrArg, "a block of %d elements", lengths[i])
		}
		blocks[i] = typemap.Block{At: places[i] * unit, Count: lengths[i], Of: &t.Type}
	}
	return blocks, nil
}

func (c *call) blocksType(combiner int) error {
	n, err := c.count(0)
	if err != nil {
		return err
	}
	length, err := c.count(1)
	if err != nil {
		return err
	}
	t, err := c.datatype(3)
	if err != nil {
		return err
	}
	places := c.ints(c.a[2], n, c.large || combiner == standard.CombinerHindexedBlock)
	e := c.made(combiner, []int{n, length}, places, t.handle)
	unit := 1
	if combiner == standard.CombinerIndexedBlock {
		e = c.made(combiner, slices.Concat([]int{n, length}, places), nil, t.handle)
		unit = t.Extent()
	}
	blocks := make([]typemap.Block, n)
	for i := range blocks {
		blocks[i] = typemap.Block{At: places[i] * unit, Count: length, Of: &t.Type}
	}
	c.putType(c.a[4], compose(blocks, e))
	return nil
}

func (c *call) structType() error {
	n, err := c.count(0)
	if err != nil {
		return err
	}
	lengths, places, handles := c.ints(c.a[1], n, c.large), c.ints(c.a[2], n, true), c.ints(c.a[3], n, true)
	blocks, types := make([]typemap.Block, n), make([]int64, n)
	align := 1
	for i, h := range handles {
		t := c.typeAt(int64(h))
		if t == nil {
			return wrong(standard.ErrType, "%#x is no datatype", h)
		}
		if lengths[i] < 0 {
			return wrong(standard.ErrArg, "a block of %d elements", lengths[i])
		}
		blocks[i], types[i] = typemap.Block{At: places[i], Count: lengths[i], Of: &t.Type}, int64(h)
		align = max(align, t.Alignment())
	}
	made := compose(blocks, c.made(standard.CombinerStruct, slices.Concat([]int{n}, lengths), places, types...))
	if rest := made.Extent() % align; rest != 0 && made.Extent() > 0 { // as a compiler pads a struct
		made.SetBounds(made.Lower, made.Upper+align-rest)
	}
	c.putType(c.a[4], made)
	return nil
}

func (c *call) resizedType() error {
	t, err := c.datatype(0)
	if err != nil {
		return err
	}
	n := t.clone(c.made(standard.CombinerResized, nil, []int{c.at(1), c.at(2)}, t.handle))
	n.SetBounds(c.at(1), c.at(1)+c.at(2))
	c.putType(c.a[3], n)
	return nil
}

func (c *call) dupType() error {
	t, err := c.datatype(0)
	if err != nil {
		return err
	}
	n := t.clone(envelope{combiner: standard.CombinerDup, types: []int64{t.handle}})
	n.committed = t.committed
	if err := c.copyAttributes(&t.attributes, &n.attributes, t.handle); err != nil {
		return err
	}
	c.putType(c.a[1], n)
	return nil
}

func (c *call) commitType() error {
	h := c.word(c.a[0])
	t := c.typeAt(h)
	if t == nil {
		return wrong(standard.ErrType, "%#x is no datatype", h)
	}
	t.committed = true
	return nil
}

func (c *call) freeType() error {
	h := c.word(c.a[0])
	t := c.typeAt(h)
	if t == nil || t.predefined {
		return wrong(standard.ErrType, "%#x is no datatype that the program has made", h)
	}
	if err := c.deleteAttributes(&t.attributes, h); err != nil {
		return err
	}
	c.types.Remove(h)
	c.putWord(c.a[0], standard.DatatypeNull)
	return nil
}

func (c *call) typeSize(words bool) error {
	t, err := c.datatype(0)
	if err != nil {
		return err
	}
	switch {
	case words:
		c.putWord(c.a[1], int64(t.Size))
	case t.Size > 1<<31-1:
		c.putInt(c.a[1], standard.Undefined)
	default:
		c.putInt(c.a[1], t.Size)
	}
	return nil
}

func (c *call) typeExtent() error {
	t, err := c.datatype(0)
	if err == nil {
		c.putWord(c.a[1], int64(t.Lower))
		c.putWord(c.a[2], int64(t.Extent()))
	}
	return err
}

func (c *call) typeTrueExtent() error {
	t, err := c.datatype(0)
	if err == nil {
		c.putWord(c.a[1], int64(t.TrueLow))
		c.putWord(c.a[2], int64(t.TrueUp-t.TrueLow))
	}
	return err
}

func (c *call) typeEnvelope() error {
	t, err := c.datatype(0)
	if err != nil {
		return err
	}
	e := &t.made
	if c.large {
		for i, n := range []int{len(e.ints), len(e.addresses), len(e.counts), len(e.types)} {
			c.putWord(c.a[1+i], int64(n))
		}
		c.putInt(c.a[5], e.combiner)
		return nil
	}
	if len(e.counts) > 0 {
		return wrong(standard.ErrType, "a datatype made with large counts; expected MPI_Type_get_envelope_c")
	}
	c.putInt(c.a[1], len(e.ints))
	c.putInt(c.a[2], len(e.addresses))
	c.putInt(c.a[3], len(e.types))
	c.putInt(c.a[4], e.combiner)
	return nil
}

func (c *call) typeContents() error {
	t, err := c.datatype(0)
	if err != nil {
		return err
	}
	e := &t.made
	if e.combiner == standard.CombinerNamed {
		return wrong(standard.ErrType, "a datatype of the standard, which has no contents")
	}
	out, types := 4, 3
	if c.large {
		out, types = 5, 4
	}
	if c.at(1) < len(e.ints) || c.at(2) < len(e.addresses) || c.at(types) < len(e.types) || c.large && c.at(3) < len(e.counts) {
		return wrong(standard.ErrArg, "arrays that are shorter than the contents")
	}
	c.putInts(c.a[out], e.ints, false)
	c.putInts(c.a[out+1], e.addresses, true)
	if c.large {
		c.putInts(c.a[7], e.counts, true)
		out++
	}
	handles := make([]int, len(e.types))
	for i, h := range e.types {
		if handles[i] = int(h); c.typeAt(h) == nil || !c.typeAt(h).predefined {
			if inner := e.kept(c, i); inner != nil { // a handle of its own, which the program frees
				handles[i] = int(inner.handle)
			}
		}
	}
	c.putInts(c.a[out+2], handles, true)
	return nil
}

// kept returns a copy of a type that another was made of.
func (e *envelope) kept(c *call, i int) *datatype {
	t := c.typeAt(e.types[i])
	if t == nil {
		return nil
	}
	n := t.clone(t.made)
	n.committed = t.committed
	n.handle = c.types.Add(n)
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

func (c *call) matchSize() error {
	h, known := ofSize[[2]int{c.at(0), c.at(1)}]
	if !known {
		return wrong(standard.ErrArg, "no datatype of class %d and %d bytes", c.at(0), c.at(1))
	}
	c.putWord(c.a[2], h)
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

func (c *call) valueIndex() error {
	h, known := valueAndIndex[[2]int64{c.a[0], c.a[1]}]
	if !known {
		h = standard.DatatypeNull
	}
	c.putWord(c.a[2], h)
	return nil
}

// fortran makes a type like one of the standard, or finds the one that has been made.
func (c *call) fortran(at int64, like int64, combiner int, ints ...int) error {
	for _, t := range c.types.Objects {
		if t != nil && t.predefined && t.made.combiner == combiner && slices.Equal(t.made.ints, ints) {
			c.putWord(at, t.handle)
			return nil
		}
	}
	n := c.typeAt(like).clone(envelope{combiner: combiner, ints: ints})
	n.committed, n.predefined = true, true
	c.putType(at, n)
	return nil
}

func (c *call) fortranInteger() error {
	r := c.at(0)
	like := int64(standard.Integer8)
	switch {
	case r <= 2:
		like = standard.Integer1
	case r <= 4:
		like = standard.Integer2
	case r <= 9:
		like = standard.Integer4
	case r > 18:
		return wrong(standard.ErrArg, "no integer of %d digits", r)
	}
	return c.fortran(c.a[1], like, standard.CombinerF90Integer, r)
}

func (c *call) fortranReal(short, long int64, combiner int) error {
	p, r := c.at(0), c.at(1)
	like := short
	switch {
	case p != standard.Undefined && p > 15 || r != standard.Undefined && r > 307:
		return wrong(standard.ErrArg, "no real of %d digits and an exponent of %d", p, r)
	case p != standard.Undefined && p > 6 || r != standard.Undefined && r > 37:
		like = long
	}
	return c.fortran(c.a[2], like, combiner, p, r)
}

// Pack and Unpack.

func (c *call) position(i int) int {
	if c.large {
		return int(c.word(c.a[i]))
	}
	return c.int(c.a[i])
}

func (c *call) putPosition(i, v int) {
	if c.large {
		c.putWord(c.a[i], int64(v))
	} else {
		c.putInt(c.a[i], v)
	}
}

func (c *call) pack() error {
	if _, err := c.comm(6); err != nil {
		return err
	}
	count, t, err := c.counted(1)
	if err != nil {
		return err
	}
	data, at := c.outgoing(c.a[0], count, t), c.position(5)
	if at < 0 || at+len(data) > c.at(4) {
		return wrong(standard.ErrTruncate, "%d bytes from %d on into a buffer of %d", len(data), at, c.at(4))
	}
	c.store(c.a[3]+int64(at), data)
	c.putPosition(5, at+len(data))
	return nil
}

func (c *call) unpack() error {
	if _, err := c.comm(6); err != nil {
		return err
	}
	count, t, err := c.counted(4)
	if err != nil {
		return err
	}
	at, bytes := c.position(2), count*t.Size
	if at < 0 || at+bytes > c.at(1) {
		return wrong(standard.ErrTruncate, "%d bytes from %d on of a buffer of %d", bytes, at, c.at(1))
	}
	if bytes > 0 {
		c.scatter(c.a[3], c.host.View(uintptr(c.a[0]+int64(at)), bytes), count, t)
	}
	c.putPosition(2, at+bytes)
	return nil
}

func (c *call) packSize() error {
	if _, err := c.comm(2); err != nil {
		return err
	}
	count, t, err := c.counted(0)
	if err != nil {
		return err
	}
	if n := count * t.Size; c.large {
		c.putWord(c.a[3], int64(n))
	} else {
		c.putInt(c.a[3], n)
	}
	return nil
}

// external fails unless the representation is external32, the only one.
func (c *call) external(i int) error {
	if name := c.text(c.a[i]); name != "external32" {
		return wrong(standard.ErrArg, "data representation %q; expected external32", name)
	}
	return nil
}

// packExternal packs, or unpacks, with the bytes of each basic element in the opposite order.
func (c *call) packExternal(unpack bool) error {
	if err := c.external(0); err != nil {
		return err
	}
	i := 2
	if unpack {
		i = 5
	}
	count, t, err := c.counted(i)
	if err != nil {
		return err
	}
	bytes := count * t.ExternalSize()
	if unpack {
		at := int(c.word(c.a[3]))
		if at+bytes > c.at(2) {
			return wrong(standard.ErrTruncate, "%d bytes from %d on of a buffer of %d", bytes, at, c.at(2))
		}
		if bytes > 0 {
			c.scatter(c.a[4], t.FromExternal(c.host.View(uintptr(c.a[1]+int64(at)), bytes)), count, t)
		}
		c.putWord(c.a[3], int64(at+bytes))
		return nil
	}
	at := int(c.word(c.a[6]))
	if at+bytes > c.at(5) {
		return wrong(standard.ErrTruncate, "%d bytes from %d on into a buffer of %d", bytes, at, c.at(5))
	}
	c.store(c.a[4]+int64(at), t.ToExternal(c.outgoing(c.a[1], count, t)))
	c.putWord(c.a[6], int64(at+bytes))
	return nil
}

func (c *call) packExternalSize() error {
	if err := c.external(0); err != nil {
		return err
	}
	count, t, err := c.counted(1)
	if err == nil {
		c.putWord(c.a[3], int64(count*t.ExternalSize()))
	}
	return err
}

// Reductions.

func init() {
	add(map[string]func(c *call) error{
		"MPI_Op_create": func(c *call) error {
			c.putWord(c.a[2], c.ops.Add(&operation{c.a[0], c.at(1) != 0, c.large}))
			return nil
		},
		"MPI_Op_free": func(c *call) error {
			h := c.word(c.a[0])
			if c.ops.Get(h) == nil {
				return wrong(standard.ErrOp, "%#x is no operation that the program has made", h)
			}
			c.ops.Remove(h)
			c.putWord(c.a[0], standard.OpNull)
			return nil
		},
		"MPI_Op_commutative": func(c *call) error {
			if own := c.ops.Get(c.a[0]); own != nil {
				c.putBool(c.a[1], own.commutative)
			} else {
				c.putBool(c.a[1], c.a[0] != standard.Replace && c.a[0] != standard.NoOp)
			}
			return nil
		},
		"MPI_Reduce_local": (*call).reduceLocal,
	})
}

func (c *call) reduceLocal() error {
	count, err := c.count(2)
	if err != nil {
		return err
	}
	o, err := c.operands(4, 3)
	if err != nil {
		return err
	}
	for _, at := range c.a[:2] {
		if at == standard.InPlace {
			return wrong(standard.ErrBuffer, "MPI_IN_PLACE; expected two buffers")
		}
	}
	if err := c.distinct(0, 1, count); err != nil {
		return err
	}
	n := &plan{}
	in, inout := c.operandsOut(&o, c.a[0], count), c.operandsIn(n, &o, c.a[1], count)
	copy(inout, c.operandsOut(&o, c.a[1], count))
	if len(in) > 0 {
		o.op.Apply(in, inout)
	}
	for i := range n.lands {
		n.lands[i].put(c.Process, len(n.lands[i].data))
	}
	return nil
}
