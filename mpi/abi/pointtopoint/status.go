package pointtopoint

import (
	"musubi/mpi/abi"
	"musubi/mpi/abi/standard"
)

func init() {
	abi.Add(map[string]func(c *abi.Call) error{
		"MPI_Get_count":      func(c *abi.Call) error { return getCount(c, false) },
		"MPI_Get_elements":   func(c *abi.Call) error { return getCount(c, true) },
		"MPI_Get_elements_x": func(c *abi.Call) error { c.Large = true; return getCount(c, true) },
		"MPI_Status_set_elements": func(c *abi.Call) error {
			t, err := c.Datatype(1)
			if err == nil {
				c.PutWord(c.Words[0]+abi.StatusBytesAt, int64(t.BytesOf(c.At(2))))
			}
			return err
		},
		"MPI_Status_set_elements_x": func(c *abi.Call) error {
			t, err := c.Datatype(1)
			if err == nil {
				c.PutWord(c.Words[0]+abi.StatusBytesAt, int64(t.BytesOf(c.At(2))))
			}
			return err
		},
		"MPI_Status_set_cancelled": func(c *abi.Call) error { c.PutBool(c.Words[0]+abi.StatusCancelled, c.At(1) != 0); return nil },
		"MPI_Test_cancelled":       func(c *abi.Call) error { c.PutBool(c.Words[1], c.Int(c.Words[0]+abi.StatusCancelled) != 0); return nil },
		"MPI_Status_get_source":    func(c *abi.Call) error { c.PutInt(c.Words[1], c.Int(c.Words[0])); return nil },
		"MPI_Status_get_tag":       func(c *abi.Call) error { c.PutInt(c.Words[1], c.Int(c.Words[0]+4)); return nil },
		"MPI_Status_get_error":     func(c *abi.Call) error { c.PutInt(c.Words[1], c.Int(c.Words[0]+abi.StatusError)); return nil },
		"MPI_Status_set_source":    func(c *abi.Call) error { c.PutInt(c.Words[0], c.At(1)); return nil },
		"MPI_Status_set_tag":       func(c *abi.Call) error { c.PutInt(c.Words[0]+4, c.At(1)); return nil },
		"MPI_Status_set_error":     func(c *abi.Call) error { c.PutInt(c.Words[0]+abi.StatusError, c.At(1)); return nil },
	})
}

// getCount tells how many elements, or basic ones, a message has.
func getCount(c *abi.Call, basic bool) error {
	t, err := c.Datatype(1)
	if err != nil {
		return err
	}
	bytes := int(c.Word(c.Words[0] + abi.StatusBytesAt))
	n := standard.Undefined
	switch {
	case basic:
		if n = t.Basics(bytes); n < 0 {
			n = standard.Undefined
		}
	case t.Size == 0:
		if n = 0; bytes > 0 {
			n = standard.Undefined
		}
	case bytes%t.Size == 0:
		n = bytes / t.Size
	}
	if c.Large {
		c.PutWord(c.Words[2], int64(n))
		return nil
	}
	if n > 1<<31-1 {
		n = standard.Undefined
	}
	c.PutInt(c.Words[2], n)
	return nil
}
