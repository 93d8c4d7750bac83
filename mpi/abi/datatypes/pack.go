package datatypes

import (
	"musubi/mpi/abi"
	"musubi/mpi/abi/standard"
)

func init() {
	abi.Add(map[string]func(c *abi.Call) error{
		"MPI_Pack":               pack,
		"MPI_Unpack":             unpack,
		"MPI_Pack_size":          packSize,
		"MPI_Pack_external":      func(c *abi.Call) error { return packExternal(c, false) },
		"MPI_Unpack_external":    func(c *abi.Call) error { return packExternal(c, true) },
		"MPI_Pack_external_size": packExternalSize,
	})
}

// position reads a place in a buffer: a count in calls for large counts, else an int.
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
