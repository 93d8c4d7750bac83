package datatypes

import (
	"slices"

	"musubi/mpi/abi"
	"musubi/mpi/abi/standard"
)

func init() {
	abi.Add(map[string]func(c *abi.Call) error{
		"MPI_Type_create_f90_integer": fortranInteger,
		"MPI_Type_create_f90_real": func(c *abi.Call) error {
			return fortranReal(c, standard.Real, standard.DoublePrecision, standard.CombinerF90Real)
		},
		"MPI_Type_create_f90_complex": func(c *abi.Call) error {
			return fortranReal(c, standard.Complex, standard.DoubleComplex, standard.CombinerF90Complex)
		},
	})
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
