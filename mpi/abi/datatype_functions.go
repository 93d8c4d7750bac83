package abi

import "slices"

// putType gives a new type a handle and writes it.
func (c *call) putType(at int64, t *datatype) {
	t.handle = c.types.add(t)
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
				c.putType(c.a[2], compose([]block{{0, n, t}}, c.made(cCombinerContiguous, []int{n}, nil, t.handle)))
			}
			return err
		},
		"MPI_Type_vector":  func(c *call) error { return c.vectorType(cCombinerVector) },
		"MPI_Type_hvector": func(c *call) error { return c.vectorType(cCombinerHvector) },
		"MPI_Type_create_hvector": func(c *call) error {
			return c.vectorType(cCombinerHvector)
		},
		"MPI_Type_indexed":               func(c *call) error { return c.indexedType(cCombinerIndexed) },
		"MPI_Type_create_hindexed":       func(c *call) error { return c.indexedType(cCombinerHindexed) },
		"MPI_Type_hindexed":              func(c *call) error { return c.indexedType(cCombinerHindexed) },
		"MPI_Type_create_indexed_block":  func(c *call) error { return c.blocksType(cCombinerIndexedBlock) },
		"MPI_Type_create_hindexed_block": func(c *call) error { return c.blocksType(cCombinerHindexedBlock) },
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
				t.name = t.name[:min(len(t.name), cMaxObjectName-1)]
			}
			return err
		},
		"MPI_Type_get_name": func(c *call) error {
			name := "MPI_DATATYPE_NULL"
			if c.a[0] != cDatatypeNull {
				t, err := c.datatype(0)
				if err != nil {
					return err
				}
				name = t.name
			}
			c.putInt(c.a[2], c.putText(c.a[1], name, cMaxObjectName))
			return nil
		},
		"MPI_Type_match_size":         (*call).matchSize,
		"MPI_Type_get_value_index":    (*call).valueIndex,
		"MPI_Type_create_f90_integer": func(c *call) error { return c.fortranInteger() },
		"MPI_Type_create_f90_real":    func(c *call) error { return c.fortranReal(cReal, cDoublePrecision, cCombinerF90Real) },
		"MPI_Type_create_f90_complex": func(c *call) error { return c.fortranReal(cComplex, cDoubleComplex, cCombinerF90Complex) },
		"MPI_Pack":                    (*call).pack,
		"MPI_Unpack":                  (*call).unpack,
		"MPI_Pack_size":               (*call).packSize,
		"MPI_Pack_external":           func(c *call) error { return c.packExternal(false) },
		"MPI_Unpack_external":         func(c *call) error { return c.packExternal(true) },
		"MPI_Pack_external_size":      (*call).packExternalSize,
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
	if combiner == cCombinerVector {
		e = c.made(combiner, []int{n, length, stride}, nil, t.handle)
		stride *= t.extent()
	}
	blocks := make([]block, n)
	for i := range blocks {
		blocks[i] = block{i * stride, length, t}
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
	places := c.ints(c.a[2], n, c.large || combiner == cCombinerHindexed)
	e := c.made(combiner, slices.Concat([]int{n}, lengths), places, t.handle)
	unit := 1
	if combiner == cCombinerIndexed {
		e = c.made(combiner, slices.Concat([]int{n}, lengths, places), nil, t.handle)
		unit = t.extent()
	}
	blocks, err := blocksOf(lengths, places, unit, t)
	if err == nil {
		c.putType(c.a[4], compose(blocks, e))
	}
	return err
}

func blocksOf(lengths, places []int, unit int, t *datatype) ([]block, error) {
	blocks := make([]block, len(places))
	for i := range blocks {
		if lengths[i] < 0 {
			return nil, wrong(cErrArg, "a block of %d elements", lengths[i])
		}
		blocks[i] = block{places[i] * unit, lengths[i], t}
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
	places := c.ints(c.a[2], n, c.large || combiner == cCombinerHindexedBlock)
	e := c.made(combiner, []int{n, length}, places, t.handle)
	unit := 1
	if combiner == cCombinerIndexedBlock {
		e = c.made(combiner, slices.Concat([]int{n, length}, places), nil, t.handle)
		unit = t.extent()
	}
	blocks := make([]block, n)
	for i := range blocks {
		blocks[i] = block{places[i] * unit, length, t}
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
	blocks, types := make([]block, n), make([]int64, n)
	align := 1
	for i, h := range handles {
		t := c.typeAt(int64(h))
		if t == nil {
			return wrong(cErrType, "%#x is no datatype", h)
		}
		if lengths[i] < 0 {
			return wrong(cErrArg, "a block of %d elements", lengths[i])
		}
		blocks[i], types[i] = block{places[i], lengths[i], t}, int64(h)
		align = max(align, t.alignment())
	}
	made := compose(blocks, c.made(cCombinerStruct, slices.Concat([]int{n}, lengths), places, types...))
	if rest := made.extent() % align; rest != 0 && made.extent() > 0 { // as a compiler pads a struct
		made.upper += align - rest
		made.setSimple()
	}
	c.putType(c.a[4], made)
	return nil
}

// alignment is that of the largest basic element.
func (t *datatype) alignment() int {
	most := 1
	for _, p := range t.parts {
		most = max(most, min(p.bytes, 16))
	}
	if t.element.kind >= kindOf(15) && t.element.bytes > 0 && (t.element.bytes == 16 || t.element.bytes == 8) && isComplex(t) {
		most = t.element.bytes / 2
	}
	return most
}

func isComplex(t *datatype) bool {
	switch t.element.basic {
	case cComplex, cDoubleComplex, cCFloatComplex, cCDoubleComplex, cCxxFloatComplex, cCxxDoubleComplex, cComplex8, cComplex16:
		return true
	}
	return false
}

func (c *call) resizedType() error {
	t, err := c.datatype(0)
	if err != nil {
		return err
	}
	n := t.clone(c.made(cCombinerResized, nil, []int{c.at(1), c.at(2)}, t.handle))
	n.lower, n.upper = c.at(1), c.at(1)+c.at(2)
	n.setSimple()
	c.putType(c.a[3], n)
	return nil
}

func (c *call) dupType() error {
	t, err := c.datatype(0)
	if err != nil {
		return err
	}
	n := t.clone(envelope{combiner: cCombinerDup, types: []int64{t.handle}})
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
		return wrong(cErrType, "%#x is no datatype", h)
	}
	t.committed = true
	return nil
}

func (c *call) freeType() error {
	h := c.word(c.a[0])
	t := c.typeAt(h)
	if t == nil || t.predefined {
		return wrong(cErrType, "%#x is no datatype that the program has made", h)
	}
	if err := c.deleteAttributes(&t.attributes, h); err != nil {
		return err
	}
	c.types.remove(h)
	c.putWord(c.a[0], cDatatypeNull)
	return nil
}

func (c *call) typeSize(words bool) error {
	t, err := c.datatype(0)
	if err != nil {
		return err
	}
	switch {
	case words:
		c.putWord(c.a[1], int64(t.size))
	case t.size > 1<<31-1:
		c.putInt(c.a[1], cUndefined)
	default:
		c.putInt(c.a[1], t.size)
	}
	return nil
}

func (c *call) typeExtent() error {
	t, err := c.datatype(0)
	if err == nil {
		c.putWord(c.a[1], int64(t.lower))
		c.putWord(c.a[2], int64(t.extent()))
	}
	return err
}

func (c *call) typeTrueExtent() error {
	t, err := c.datatype(0)
	if err == nil {
		c.putWord(c.a[1], int64(t.trueLow))
		c.putWord(c.a[2], int64(t.trueUp-t.trueLow))
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
		return wrong(cErrType, "a datatype made with large counts; expected MPI_Type_get_envelope_c")
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
	if e.combiner == cCombinerNamed {
		return wrong(cErrType, "a datatype of the standard, which has no contents")
	}
	out, types := 4, 3
	if c.large {
		out, types = 5, 4
	}
	if c.at(1) < len(e.ints) || c.at(2) < len(e.addresses) || c.at(types) < len(e.types) || c.large && c.at(3) < len(e.counts) {
		return wrong(cErrArg, "arrays that are shorter than the contents")
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
	n.handle = c.types.add(n)
	return n
}

func (c *call) matchSize() error {
	types := map[[2]int]int64{
		{cTypeclassInteger, 1}: cInteger1, {cTypeclassInteger, 2}: cInteger2, {cTypeclassInteger, 4}: cInteger4, {cTypeclassInteger, 8}: cInteger8,
		{cTypeclassReal, 4}: cReal4, {cTypeclassReal, 8}: cReal8, {cTypeclassComplex, 8}: cComplex8, {cTypeclassComplex, 16}: cComplex16,
	}
	h, known := types[[2]int{c.at(0), c.at(1)}]
	if !known {
		return wrong(cErrArg, "no datatype of class %d and %d bytes", c.at(0), c.at(1))
	}
	c.putWord(c.a[2], h)
	return nil
}

func (c *call) valueIndex() error {
	pairs := map[[2]int64]int64{
		{cFloat, cInt}: cFloatInt, {cDouble, cInt}: cDoubleInt, {cLong, cInt}: cLongInt, {cInt, cInt}: c2int, {cShort, cInt}: cShortInt, {cLongDouble, cInt}: cLongDoubleInt,
		{cReal, cReal}: c2real, {cDoublePrecision, cDoublePrecision}: c2doublePrecision, {cInteger, cInteger}: c2integer,
	}
	h, known := pairs[[2]int64{c.a[0], c.a[1]}]
	if !known {
		h = cDatatypeNull
	}
	c.putWord(c.a[2], h)
	return nil
}

// fortran makes a type like one of the standard, or finds the one that has been made.
func (c *call) fortran(at int64, like int64, combiner int, ints ...int) error {
	for i, t := range c.types.objects {
		if t != nil && t.predefined && t.made.combiner == combiner && slices.Equal(t.made.ints, ints) {
			_ = i
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
	like := int64(cInteger8)
	switch {
	case r <= 2:
		like = cInteger1
	case r <= 4:
		like = cInteger2
	case r <= 9:
		like = cInteger4
	case r > 18:
		return wrong(cErrArg, "no integer of %d digits", r)
	}
	return c.fortran(c.a[1], like, cCombinerF90Integer, r)
}

func (c *call) fortranReal(short, long int64, combiner int) error {
	p, r := c.at(0), c.at(1)
	like := short
	switch {
	case p != cUndefined && p > 15 || r != cUndefined && r > 307:
		return wrong(cErrArg, "no real of %d digits and an exponent of %d", p, r)
	case p != cUndefined && p > 6 || r != cUndefined && r > 37:
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
		return wrong(cErrTruncate, "%d bytes from %d on into a buffer of %d", len(data), at, c.at(4))
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
	at, bytes := c.position(2), count*t.size
	if at < 0 || at+bytes > c.at(1) {
		return wrong(cErrTruncate, "%d bytes from %d on of a buffer of %d", bytes, at, c.at(1))
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
	if n := count * t.size; c.large {
		c.putWord(c.a[3], int64(n))
	} else {
		c.putInt(c.a[3], n)
	}
	return nil
}

// external fails unless the representation is external32, the only one.
func (c *call) external(i int) error {
	if name := c.text(c.a[i]); name != "external32" {
		return wrong(cErrArg, "data representation %q; expected external32", name)
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
	bytes := count * t.size
	if unpack {
		at := int(c.word(c.a[3]))
		if at+bytes > c.at(2) {
			return wrong(cErrTruncate, "%d bytes from %d on of a buffer of %d", bytes, at, c.at(2))
		}
		if bytes > 0 {
			data := slices.Clone(c.host.View(uintptr(c.a[1]+int64(at)), bytes))
			t.swap(data)
			c.scatter(c.a[4], data, count, t)
		}
		c.putWord(c.a[3], int64(at+bytes))
		return nil
	}
	at := int(c.word(c.a[6]))
	if at+bytes > c.at(5) {
		return wrong(cErrTruncate, "%d bytes from %d on into a buffer of %d", bytes, at, c.at(5))
	}
	data := slices.Clone(c.outgoing(c.a[1], count, t))
	t.swap(data)
	c.store(c.a[4]+int64(at), data)
	c.putWord(c.a[6], int64(at+bytes))
	return nil
}

// swap turns the bytes of each basic element around. Complex numbers have two.
func (t *datatype) swap(data []byte) {
	for len(data) > 0 {
		for _, p := range t.parts {
			n := p.bytes
			if isComplex(t) {
				n /= 2
			}
			for range p.count * p.bytes / n {
				slices.Reverse(data[:n])
				data = data[n:]
			}
		}
	}
}

func (c *call) packExternalSize() error {
	if err := c.external(0); err != nil {
		return err
	}
	count, t, err := c.counted(1)
	if err == nil {
		c.putWord(c.a[3], int64(count*t.size))
	}
	return err
}

// Reductions.

func init() {
	add(map[string]func(c *call) error{
		"MPI_Op_create": func(c *call) error {
			c.putWord(c.a[2], c.ops.add(&operation{c.a[0], c.at(1) != 0, c.large}))
			return nil
		},
		"MPI_Op_free": func(c *call) error {
			h := c.word(c.a[0])
			if c.ops.get(h) == nil {
				return wrong(cErrOp, "%#x is no operation that the program has made", h)
			}
			c.ops.remove(h)
			c.putWord(c.a[0], cOpNull)
			return nil
		},
		"MPI_Op_commutative": func(c *call) error {
			if own := c.ops.get(c.a[0]); own != nil {
				c.putBool(c.a[1], own.commutative)
			} else {
				c.putBool(c.a[1], c.a[0] != cReplace && c.a[0] != cNoOp)
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
