package environment

import (
	"encoding/binary"
	"strings"

	"musubi/mpi/abi"
	"musubi/mpi/abi/standard"
)

func init() {
	abi.Add(map[string]func(c *abi.Call) error{
		"MPI_Info_create":     func(c *abi.Call) error { c.PutWord(c.Words[0], c.Infos.Add(new(abi.Info))); return nil },
		"MPI_Info_create_env": func(c *abi.Call) error { c.PutWord(c.Words[2], c.Infos.Add(new(abi.Info))); return nil },
		"MPI_Abi_get_info": func(c *abi.Call) error {
			c.PutWord(c.Words[0], c.Infos.Add(&abi.Info{Keys: []string{"mpi_aint_size", "mpi_count_size", "mpi_offset_size"}, Values: []string{"8", "8", "8"}}))
			return nil
		},
		"MPI_Info_free": func(c *abi.Call) error {
			h := c.Word(c.Words[0])
			if c.Infos.Get(h) == nil {
				return abi.Wrong(standard.ErrInfo, "%#x is no info", h)
			}
			c.Infos.Remove(h)
			c.PutWord(c.Words[0], standard.InfoNull)
			return nil
		},
		"MPI_Info_dup": func(c *abi.Call) error {
			o, err := c.Info(0)
			if err == nil {
				c.PutWord(c.Words[1], c.Infos.Add(o.Clone()))
			}
			return err
		},
		"MPI_Info_set": func(c *abi.Call) error {
			o, err := c.Info(0)
			if err != nil {
				return err
			}
			key, err := c.Key(1)
			if err != nil {
				return err
			}
			value := strings.TrimSpace(c.Text(c.Words[2]))
			if len(value) >= standard.MaxInfoVal {
				return abi.Wrong(standard.ErrInfoValue, "a value of %d bytes; expected at most %d", len(value), standard.MaxInfoVal-1)
			}
			o.Set(key, value)
			return nil
		},
		"MPI_Info_delete": func(c *abi.Call) error {
			o, err := c.Info(0)
			if err != nil {
				return err
			}
			key, err := c.Key(1)
			if err == nil && !o.Remove(key) {
				return abi.Wrong(standard.ErrInfoNokey, "no key %q", key)
			}
			return err
		},
		"MPI_Info_get_nkeys": func(c *abi.Call) error {
			o, err := c.Info(0)
			if err == nil {
				c.PutInt(c.Words[1], len(o.Keys))
			}
			return err
		},
		"MPI_Info_get_nthkey": func(c *abi.Call) error {
			o, err := c.Info(0)
			if err != nil {
				return err
			}
			if n := c.At(1); n < 0 || n >= len(o.Keys) {
				return abi.Wrong(standard.ErrArg, "key %d of %d", n, len(o.Keys))
			}
			c.PutText(c.Words[2], o.Keys[c.At(1)], standard.MaxInfoKey)
			return nil
		},
		"MPI_Info_get":          infoGet,
		"MPI_Info_get_valuelen": infoGetLength,
		"MPI_Info_get_string":   infoGetString,
	})
}

func infoGet(c *abi.Call) error {
	o, err := c.Info(0)
	if err != nil {
		return err
	}
	key, err := c.Key(1)
	if err != nil {
		return err
	}
	value, found := o.Get(key)
	if found {
		c.PutText(c.Words[3], value, c.At(2)+1)
	}
	c.PutBool(c.Words[4], found)
	return nil
}

func infoGetLength(c *abi.Call) error {
	o, err := c.Info(0)
	if err != nil {
		return err
	}
	key, err := c.Key(1)
	if err != nil {
		return err
	}
	value, found := o.Get(key)
	if found {
		c.PutInt(c.Words[2], len(value))
	}
	c.PutBool(c.Words[3], found)
	return nil
}

func infoGetString(c *abi.Call) error {
	o, err := c.Info(0)
	if err != nil {
		return err
	}
	key, err := c.Key(1)
	if err != nil {
		return err
	}
	value, found := o.Get(key)
	c.PutBool(c.Words[4], found)
	if !found {
		return nil
	}
	room := int(int32(binary.NativeEndian.Uint32(c.Host.View(uintptr(c.Words[2]), 4))))
	if room > 0 {
		c.PutText(c.Words[3], value, room)
	}
	c.PutInt(c.Words[2], len(value)+1)
	return nil
}
