package datatypes

import (
	"musubi/mpi/abi"
	"musubi/mpi/abi/attribute"
	"musubi/mpi/abi/standard"
)

var names = abi.Naming{
	Of: func(c *abi.Call, word int) (*string, error) {
		t, err := c.Datatype(word)
		if err != nil {
			return nil, err
		}
		return &t.Name, nil
	},
	Null: standard.DatatypeNull, NullName: "MPI_DATATYPE_NULL",
}

func init() {
	abi.Add(map[string]func(c *abi.Call) error{
		"MPI_Type_commit":            commitType,
		"MPI_Type_free":              freeType,
		"MPI_Type_size":              func(c *abi.Call) error { return typeSize(c, c.Large) },
		"MPI_Type_size_x":            func(c *abi.Call) error { return typeSize(c, true) },
		"MPI_Type_get_extent":        typeExtent,
		"MPI_Type_get_extent_x":      typeExtent,
		"MPI_Type_get_true_extent":   typeTrueExtent,
		"MPI_Type_get_true_extent_x": typeTrueExtent,
		"MPI_Type_get_envelope":      typeEnvelope,
		"MPI_Type_get_contents":      typeContents,
		"MPI_Type_set_name":          names.Set,
		"MPI_Type_get_name":          names.Get,
		"MPI_Type_match_size":        matchSize,
		"MPI_Type_get_value_index":   valueIndex,
	})
}

func commitType(c *abi.Call) error {
	h := c.Word(c.Words[0])
	t := c.TypeAt(h)
	if t == nil {
		return abi.Wrong(standard.ErrType, "%#x is no datatype", h)
	}
	c.Commit(t)
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
	c.FreeType(h)
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
	for i, inner := range e.Types {
		if !inner.Predefined {
			inner = copyOf(c, inner)
		}
		handles[i] = int(inner.Handle)
	}
	c.PutInts(c.Words[out+2], handles, true)
	return nil
}

// copyOf returns a copy of a type with a handle of its own, which the program frees.
func copyOf(c *abi.Call, t *abi.Datatype) *abi.Datatype {
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
	{standard.TypeclassInteger, 16}: standard.Integer16,
	{standard.TypeclassReal, 4}:     standard.Real4,
	{standard.TypeclassReal, 8}:     standard.Real8,
	{standard.TypeclassReal, 16}:    standard.Real16,
	{standard.TypeclassComplex, 8}:  standard.Complex8,
	{standard.TypeclassComplex, 16}: standard.Complex16,
	{standard.TypeclassComplex, 32}: standard.Complex32,
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
	for word := range 2 {
		if _, err := c.Datatype(word); err != nil {
			return err
		}
	}
	h, known := valueAndIndex[[2]int64{c.Words[0], c.Words[1]}]
	if !known {
		h = standard.DatatypeNull
	}
	c.PutWord(c.Words[2], h)
	return nil
}
