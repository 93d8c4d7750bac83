package abi

import (
	"slices"

	"musubi/mpi/abi/handle"
	"musubi/mpi/abi/standard"
)

// keyvals are the attribute keys of the program.
type keyvals struct {
	next int
	keys map[int]*keyval
}

// keyval is what happens to an attribute when its object is copied or freed.
type keyval struct {
	of           handle.Kind
	copy, delete int64 // functions; 0: nothing, 1 of copy: the value is copied
	extra        int64
}

// attributes are the attributes of an object, in the order in which they were set.
type attributes struct {
	keys   []int
	values []int64
}

func (a *attributes) get(key int) (int64, bool) {
	if i := slices.Index(a.keys, key); i >= 0 {
		return a.values[i], true
	}
	return 0, false
}

func (a *attributes) set(key int, value int64) (isNew bool) {
	if i := slices.Index(a.keys, key); i >= 0 {
		a.values[i] = value
		return false
	}
	a.keys, a.values = append(a.keys, key), append(a.values, value)
	return true
}

func (a *attributes) remove(key int) {
	if i := slices.Index(a.keys, key); i >= 0 {
		a.keys, a.values = slices.Delete(a.keys, i, i+1), slices.Delete(a.values, i, i+1)
	}
}

func init() {
	for _, k := range []struct {
		name string
		of   handle.Kind
	}{{"Comm", handle.Comm}, {"Type", handle.Datatype}, {"Win", handle.Win}} {
		add(map[string]func(c *call) error{
			"MPI_" + k.name + "_create_keyval": func(c *call) error { return c.createKeyval(k.of) },
			"MPI_" + k.name + "_free_keyval":   func(c *call) error { return c.freeKeyval(k.of) },
			"MPI_" + k.name + "_set_attr":      func(c *call) error { return c.setAttribute(k.of) },
			"MPI_" + k.name + "_get_attr":      func(c *call) error { return c.getAttribute(k.of) },
			"MPI_" + k.name + "_delete_attr":   func(c *call) error { return c.deleteAttribute(k.of) },
		})
	}
	add(map[string]func(c *call) error{
		"MPI_Keyval_create": func(c *call) error { return c.createKeyval(handle.Comm) },
		"MPI_Keyval_free":   func(c *call) error { return c.freeKeyval(handle.Comm) },
		"MPI_Attr_put":      func(c *call) error { return c.setAttribute(handle.Comm) },
		"MPI_Attr_get":      func(c *call) error { return c.getAttribute(handle.Comm) },
		"MPI_Attr_delete":   func(c *call) error { return c.deleteAttribute(handle.Comm) },
	})
}

func (c *call) createKeyval(of handle.Kind) error {
	if c.keyvals.keys == nil {
		c.keyvals.keys = map[int]*keyval{}
	}
	key := c.keyvals.next
	c.keyvals.next++
	c.keyvals.keys[key] = &keyval{of: of, copy: c.a[0], delete: c.a[1], extra: c.a[3]}
	c.putInt(c.a[2], key)
	return nil
}

func (c *call) freeKeyval(of handle.Kind) error {
	if _, err := c.keyval(c.int(c.a[0]), of); err != nil {
		return err
	}
	c.putInt(c.a[0], standard.KeyvalInvalid)
	return nil
}

func (c *call) keyval(key int, of handle.Kind) (*keyval, error) {
	k := c.keyvals.keys[key]
	if k == nil || k.of != of { // one that has been freed lives on in the attributes that there are
		c.on = nil // a key belongs to no object
		return nil, wrong(standard.ErrKeyval, "%d is no attribute key of such objects", key)
	}
	return k, nil
}

// attributesOf returns the attributes and the handle of what word 0 names.
func (c *call) attributesOf(of handle.Kind) (*attributes, int64, error) {
	switch of {
	case handle.Comm:
		m, err := c.comm(0)
		if err != nil {
			return nil, 0, err
		}
		return &m.attributes, m.handle, nil
	case handle.Datatype:
		t, err := c.datatype(0)
		if err != nil {
			return nil, 0, err
		}
		return &t.attributes, t.handle, nil
	}
	w, err := c.win(0)
	if err != nil {
		return nil, 0, err
	}
	return &w.attributes, w.handle, nil
}

func (c *call) setAttribute(of handle.Kind) error {
	list, handle, err := c.attributesOf(of)
	if err != nil {
		return err
	}
	key := c.at(1)
	k, err := c.keyval(key, of)
	if err != nil {
		return err
	}
	if old, has := list.get(key); has {
		if err := c.callDelete(k, handle, key, old); err != nil {
			return err
		}
	}
	list.set(key, c.a[2])
	return nil
}

func (c *call) deleteAttribute(of handle.Kind) error {
	list, handle, err := c.attributesOf(of)
	if err != nil {
		return err
	}
	key := c.at(1)
	k, err := c.keyval(key, of)
	if err != nil {
		return err
	}
	old, has := list.get(key)
	if !has {
		return nil
	}
	if err := c.callDelete(k, handle, key, old); err != nil {
		return err
	}
	list.remove(key)
	return nil
}

func (c *call) callDelete(k *keyval, handle int64, key int, value int64) error {
	if k.delete == 0 {
		return nil
	}
	code, _ := c.ask(DeleteAttribute, k.delete, handle, int64(key), value, k.extra)
	if int32(code) != standard.Success {
		return &failure{int(int32(code)), "the function that deletes an attribute has failed"}
	}
	return nil
}

// deleteAttributes calls the delete functions, of the last attribute first.
func (c *call) deleteAttributes(list *attributes, handle int64) error {
	for len(list.keys) > 0 {
		last := len(list.keys) - 1
		key, value := list.keys[last], list.values[last]
		if err := c.callDelete(c.keyvals.keys[key], handle, key, value); err != nil {
			return err
		}
		list.remove(key)
	}
	return nil
}

func (c *call) copyAttributes(from, to *attributes, handle int64) error {
	for i := 0; i < len(from.keys); i++ {
		key, value := from.keys[i], from.values[i]
		k := c.keyvals.keys[key]
		switch k.copy {
		case 0:
		case 1:
			to.set(key, value)
		default:
			code, a := c.ask(CopyAttribute, k.copy, handle, int64(key), k.extra, value)
			if int32(code) != standard.Success {
				return &failure{int(int32(code)), "the function that copies an attribute has failed"}
			}
			if a[1] != 0 {
				to.set(key, a[0])
			}
		}
	}
	return nil
}

func (c *call) getAttribute(of handle.Kind) error {
	list, _, err := c.attributesOf(of)
	if err != nil {
		return err
	}
	key := c.at(1)
	if value, found := c.standardAttribute(of, key); found {
		c.putWord(c.a[2], value)
		c.putInt(c.a[3], 1)
		return nil
	}
	if key <= standard.WinModel && key >= standard.TagUb {
		c.putInt(c.a[3], 0)
		return nil
	}
	if _, err := c.keyval(key, of); err != nil {
		return err
	}
	value, has := list.get(key)
	if has {
		c.putWord(c.a[2], value)
	}
	c.putBool(c.a[3], has)
	return nil
}

// largestTag is the largest tag of a program. This library uses others above it.
const largestTag = 1<<30 - 1

// standardAttribute returns the address of the value of an attribute that the standard names.
func (c *call) standardAttribute(of handle.Kind, key int) (int64, bool) {
	if of == handle.Win {
		return c.winAttribute(key)
	}
	values := []int{largestTag, standard.AnySource, standard.ProcNull, 1, 0, c.errors.next - 1, c.engine.Size}
	i := key - standard.TagUb
	if of != handle.Comm || i < 0 || i >= len(values) || key == standard.Appnum {
		return 0, false
	}
	if !c.host.Simulated() && key == standard.WtimeIsGlobal {
		values[i] = 0
	}
	at := c.constants() + int64(4*i)
	c.putInt(at, values[i])
	return at, true
}

// constants returns the address of memory of the program for values of standard attributes.
func (p *Process) constants() int64 {
	if p.buffers.constants == 0 {
		p.buffers.constants, _ = p.ask(Allocate, 256)
	}
	return p.buffers.constants
}
