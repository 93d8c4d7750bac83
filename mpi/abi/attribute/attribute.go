package attribute

import (
	"musubi/mpi/abi"
	"musubi/mpi/abi/handle"
	"musubi/mpi/abi/standard"
)

func init() {
	for _, k := range []struct {
		name string
		of   handle.Kind
	}{{"Comm", handle.Comm}, {"Type", handle.Datatype}, {"Win", handle.Win}} {
		abi.Add(map[string]func(c *abi.Call) error{
			"MPI_" + k.name + "_create_keyval": func(c *abi.Call) error { return createKeyval(c, k.of) },
			"MPI_" + k.name + "_free_keyval":   func(c *abi.Call) error { return freeKeyval(c, k.of) },
			"MPI_" + k.name + "_set_attr":      func(c *abi.Call) error { return setAttribute(c, k.of) },
			"MPI_" + k.name + "_get_attr":      func(c *abi.Call) error { return getAttribute(c, k.of) },
			"MPI_" + k.name + "_delete_attr":   func(c *abi.Call) error { return deleteAttribute(c, k.of) },
		})
	}
	abi.Add(map[string]func(c *abi.Call) error{
		"MPI_Keyval_create": func(c *abi.Call) error { return createKeyval(c, handle.Comm) },
		"MPI_Keyval_free":   func(c *abi.Call) error { return freeKeyval(c, handle.Comm) },
		"MPI_Attr_put":      func(c *abi.Call) error { return setAttribute(c, handle.Comm) },
		"MPI_Attr_get":      func(c *abi.Call) error { return getAttribute(c, handle.Comm) },
		"MPI_Attr_delete":   func(c *abi.Call) error { return deleteAttribute(c, handle.Comm) },
	})
}

func createKeyval(c *abi.Call, of handle.Kind) error {
	if c.Keyvals.Keys == nil {
		c.Keyvals.Keys = map[int]*abi.Keyval{}
	}
	key := c.Keyvals.Next
	c.Keyvals.Next++
	c.Keyvals.Keys[key] = &abi.Keyval{Of: of, Copy: c.Words[0], Delete: c.Words[1], Extra: c.Words[3]}
	c.PutInt(c.Words[2], key)
	return nil
}

func freeKeyval(c *abi.Call, of handle.Kind) error {
	if _, err := keyval(c, c.Int(c.Words[0]), of); err != nil {
		return err
	}
	c.PutInt(c.Words[0], standard.KeyvalInvalid)
	return nil
}

func keyval(c *abi.Call, key int, of handle.Kind) (*abi.Keyval, error) {
	k := c.Keyvals.Keys[key]
	if k == nil || k.Of != of { // one that has been freed lives on in the attributes that there are
		c.On = nil // a key belongs to no object
		return nil, abi.Wrong(standard.ErrKeyval, "%d is no attribute key of such objects", key)
	}
	return k, nil
}

// attributesOf returns the attributes and the handle of what word 0 names.
func attributesOf(c *abi.Call, of handle.Kind) (*abi.Attributes, int64, error) {
	switch of {
	case handle.Comm:
		m, err := c.Comm(0)
		if err != nil {
			return nil, 0, err
		}
		return &m.Attributes, m.Handle, nil
	case handle.Datatype:
		t, err := c.Datatype(0)
		if err != nil {
			return nil, 0, err
		}
		return &t.Attributes, t.Handle, nil
	}
	w, err := c.Win(0)
	if err != nil {
		return nil, 0, err
	}
	return &w.Attributes, w.Handle, nil
}

func setAttribute(c *abi.Call, of handle.Kind) error {
	list, handle, err := attributesOf(c, of)
	if err != nil {
		return err
	}
	key := c.At(1)
	k, err := keyval(c, key, of)
	if err != nil {
		return err
	}
	if old, has := list.Get(key); has {
		if err := callDelete(c, k, handle, key, old); err != nil {
			return err
		}
	}
	list.Set(key, c.Words[2])
	c.ForgetAttribute()
	return nil
}

func deleteAttribute(c *abi.Call, of handle.Kind) error {
	list, handle, err := attributesOf(c, of)
	if err != nil {
		return err
	}
	key := c.At(1)
	k, err := keyval(c, key, of)
	if err != nil {
		return err
	}
	old, has := list.Get(key)
	if !has {
		return nil
	}
	if err := callDelete(c, k, handle, key, old); err != nil {
		return err
	}
	list.Remove(key)
	c.ForgetAttribute()
	return nil
}

func callDelete(c *abi.Call, k *abi.Keyval, handle int64, key int, value int64) error {
	if k.Delete == 0 {
		return nil
	}
	code, _ := c.Ask(abi.DeleteAttribute, k.Delete, handle, int64(key), value, k.Extra)
	if int32(code) != standard.Success {
		return &abi.Failure{Class: int(int32(code)), Text: "the function that deletes an attribute has failed"}
	}
	return nil
}

// DeleteAttributes calls the delete functions, of the last attribute first.
func DeleteAttributes(c *abi.Call, list *abi.Attributes, handle int64) error {
	for len(list.Keys) > 0 {
		last := len(list.Keys) - 1
		key, value := list.Keys[last], list.Values[last]
		if err := callDelete(c, c.Keyvals.Keys[key], handle, key, value); err != nil {
			return err
		}
		list.Remove(key)
		c.ForgetAttribute()
	}
	return nil
}

// CopyAttributes calls the copy functions for an object that has been duplicated.
func CopyAttributes(c *abi.Call, from, to *abi.Attributes, handle int64) error {
	for i := 0; i < len(from.Keys); i++ {
		key, value := from.Keys[i], from.Values[i]
		k := c.Keyvals.Keys[key]
		switch k.Copy {
		case 0:
		case 1:
			to.Set(key, value)
		default:
			code, a := c.Ask(abi.CopyAttribute, k.Copy, handle, int64(key), k.Extra, value)
			if int32(code) != standard.Success {
				return &abi.Failure{Class: int(int32(code)), Text: "the function that copies an attribute has failed"}
			}
			if a[1] != 0 {
				to.Set(key, a[0])
			}
		}
	}
	return nil
}

func getAttribute(c *abi.Call, of handle.Kind) error {
	list, object, err := attributesOf(c, of)
	if err != nil {
		return err
	}
	key := c.At(1)
	if value, found := standardAttribute(c, of, key); found {
		c.PutWord(c.Words[2], value)
		c.PutInt(c.Words[3], 1)
		return nil
	}
	if key <= standard.WinModel && key >= standard.TagUb {
		c.PutInt(c.Words[3], 0)
		return nil
	}
	if _, err := keyval(c, key, of); err != nil {
		return err
	}
	value, has := list.Get(key)
	if has {
		c.PutWord(c.Words[2], value)
		c.KeepAttribute(of, object, key, value)
	}
	c.PutBool(c.Words[3], has)
	return nil
}

// standardAttribute returns the address of the value of an attribute that the standard names.
func standardAttribute(c *abi.Call, of handle.Kind, key int) (int64, bool) {
	if of == handle.Win {
		return winAttribute(c, key)
	}
	values := []int{abi.LargestTag, standard.AnySource, standard.ProcNull, 1, 0, c.Errors.Next - 1, c.Engine.Size}
	i := key - standard.TagUb
	if of != handle.Comm || i < 0 || i >= len(values) || key == standard.Appnum {
		return 0, false
	}
	if !c.Host.Simulated() && key == standard.WtimeIsGlobal {
		values[i] = 0
	}
	at := constants(c.Process) + int64(4*i)
	c.PutInt(at, values[i])
	return at, true
}

// constants returns the address of memory of the program for values of standard attributes.
func constants(p *abi.Process) int64 {
	if p.Buffers.Constants == 0 {
		p.Buffers.Constants, _ = p.Ask(abi.Allocate, 256)
	}
	return p.Buffers.Constants
}

// winAttribute returns the value of an attribute of the standard: the base itself, else the address
// of a number.
func winAttribute(c *abi.Call, key int) (int64, bool) {
	w, err := c.Win(0)
	if err != nil {
		return 0, false
	}
	if w.Constants == 0 {
		w.Constants, _ = c.Ask(abi.Allocate, 64)
		c.PutWord(w.Constants, int64(w.Bytes))
		c.PutInts(w.Constants+8, []int{w.Unit, w.Flavor, standard.WinUnified}, false)
	}
	switch key {
	case standard.WinBase:
		return w.Base, true
	case standard.WinSize:
		return w.Constants, true
	case standard.WinDispUnit:
		return w.Constants + 8, true
	case standard.WinCreateFlavor:
		return w.Constants + 12, true
	case standard.WinModel:
		return w.Constants + 16, true
	}
	return 0, false
}
