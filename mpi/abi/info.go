package abi

import (
	"encoding/binary"
	"strings"

	"musubi/mpi/abi/standard"
)

// info is keys with values, in the order in which they were set.
type info struct{ keys, values []string }

func (o *info) get(key string) (string, bool) {
	if o != nil {
		for i, k := range o.keys {
			if k == key {
				return o.values[i], true
			}
		}
	}
	return "", false
}

func (o *info) set(key, value string) {
	for i, k := range o.keys {
		if k == key {
			o.values[i] = value
			return
		}
	}
	o.keys, o.values = append(o.keys, key), append(o.values, value)
}

func (o *info) remove(key string) bool {
	for i, k := range o.keys {
		if k == key {
			o.keys, o.values = append(o.keys[:i:i], o.keys[i+1:]...), append(o.values[:i:i], o.values[i+1:]...)
			return true
		}
	}
	return false
}

func (o *info) clone() *info {
	n := new(info)
	n.merge(o)
	return n
}

func (o *info) merge(from *info) {
	if from != nil {
		for i, k := range from.keys {
			o.set(k, from.values[i])
		}
	}
}

func (c *call) info(i int) (*info, error) {
	if c.a[i] == standard.InfoEnv {
		return new(info), nil
	}
	if o := c.infos.Get(c.a[i]); o != nil {
		return o, nil
	}
	return nil, wrong(standard.ErrInfo, "%#x is no info", c.a[i])
}

// key reads the key of an info.
func (c *call) key(i int) (string, error) {
	key := strings.TrimSpace(c.text(c.a[i]))
	if key == "" || len(key) >= standard.MaxInfoKey {
		return "", wrong(standard.ErrInfoKey, "a key of %d bytes; expected 1 to %d", len(key), standard.MaxInfoKey-1)
	}
	return key, nil
}

func init() {
	add(map[string]func(c *call) error{
		"MPI_Info_create":     func(c *call) error { c.putWord(c.a[0], c.infos.Add(new(info))); return nil },
		"MPI_Info_create_env": func(c *call) error { c.putWord(c.a[2], c.infos.Add(new(info))); return nil },
		"MPI_Abi_get_info": func(c *call) error {
			c.putWord(c.a[0], c.infos.Add(&info{[]string{"mpi_aint_size", "mpi_count_size", "mpi_offset_size"}, []string{"8", "8", "8"}}))
			return nil
		},
		"MPI_Info_free": func(c *call) error {
			h := c.word(c.a[0])
			if c.infos.Get(h) == nil {
				return wrong(standard.ErrInfo, "%#x is no info", h)
			}
			c.infos.Remove(h)
			c.putWord(c.a[0], standard.InfoNull)
			return nil
		},
		"MPI_Info_dup": func(c *call) error {
			o, err := c.info(0)
			if err == nil {
				c.putWord(c.a[1], c.infos.Add(o.clone()))
			}
			return err
		},
		"MPI_Info_set": func(c *call) error {
			o, err := c.info(0)
			if err != nil {
				return err
			}
			key, err := c.key(1)
			if err != nil {
				return err
			}
			value := strings.TrimSpace(c.text(c.a[2]))
			if len(value) >= standard.MaxInfoVal {
				return wrong(standard.ErrInfoValue, "a value of %d bytes; expected at most %d", len(value), standard.MaxInfoVal-1)
			}
			o.set(key, value)
			return nil
		},
		"MPI_Info_delete": func(c *call) error {
			o, err := c.info(0)
			if err != nil {
				return err
			}
			key, err := c.key(1)
			if err == nil && !o.remove(key) {
				return wrong(standard.ErrInfoNokey, "no key %q", key)
			}
			return err
		},
		"MPI_Info_get_nkeys": func(c *call) error {
			o, err := c.info(0)
			if err == nil {
				c.putInt(c.a[1], len(o.keys))
			}
			return err
		},
		"MPI_Info_get_nthkey": func(c *call) error {
			o, err := c.info(0)
			if err != nil {
				return err
			}
			if n := c.at(1); n < 0 || n >= len(o.keys) {
				return wrong(standard.ErrArg, "key %d of %d", n, len(o.keys))
			}
			c.putText(c.a[2], o.keys[c.at(1)], standard.MaxInfoKey)
			return nil
		},
		"MPI_Info_get":          (*call).infoGet,
		"MPI_Info_get_valuelen": (*call).infoGetLength,
		"MPI_Info_get_string":   (*call).infoGetString,
	})
}

func (c *call) infoGet() error {
	o, err := c.info(0)
	if err != nil {
		return err
	}
	key, err := c.key(1)
	if err != nil {
		return err
	}
	value, found := o.get(key)
	if found {
		c.putText(c.a[3], value, c.at(2)+1)
	}
	c.putBool(c.a[4], found)
	return nil
}

func (c *call) infoGetLength() error {
	o, err := c.info(0)
	if err != nil {
		return err
	}
	key, err := c.key(1)
	if err != nil {
		return err
	}
	value, found := o.get(key)
	if found {
		c.putInt(c.a[2], len(value))
	}
	c.putBool(c.a[3], found)
	return nil
}

func (c *call) infoGetString() error {
	o, err := c.info(0)
	if err != nil {
		return err
	}
	key, err := c.key(1)
	if err != nil {
		return err
	}
	value, found := o.get(key)
	c.putBool(c.a[4], found)
	if !found {
		return nil
	}
	room := int(int32(binary.NativeEndian.Uint32(c.host.View(uintptr(c.a[2]), 4))))
	if room > 0 {
		c.putText(c.a[3], value, room)
	}
	c.putInt(c.a[2], len(value)+1)
	return nil
}
