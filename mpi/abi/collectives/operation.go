package collectives

import (
	"musubi/mpi/abi"
	"musubi/mpi/abi/standard"
)

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
			} else if _, known := abi.Usual[c.Words[0]]; !known {
				return abi.Wrong(standard.ErrOp, "%#x is no operation", c.Words[0])
			} else {
				c.PutBool(c.Words[1], c.Words[0] != standard.Replace && c.Words[0] != standard.NoOp)
			}
			return nil
		},
	})
}
