package environment

import (
	"encoding/binary"
	"strconv"
	"strings"

	"musubi/mpi/abi"
	"musubi/mpi/abi/standard"
)

func init() {
	abi.Add(map[string]func(c *abi.Call) error{
		"MPI_Info_create":       func(c *abi.Call) error { return putInfo(c, 0, new(abi.Info)) },
		"MPI_Info_create_env":   func(c *abi.Call) error { return putInfo(c, 2, new(abi.Info)) },
		"MPI_Info_dup":          infoDup,
		"MPI_Info_free":         infoFree,
		"MPI_Info_set":          infoSet,
		"MPI_Info_delete":       infoDelete,
		"MPI_Info_get":          infoGet,
		"MPI_Info_get_valuelen": infoGetLength,
		"MPI_Info_get_string":   infoGetString,
		"MPI_Info_get_nkeys":    infoCount,
		"MPI_Info_get_nthkey":   infoKey,

		"MPI_Abi_get_info": func(c *abi.Call) error {
			return putInfo(c, 0, &abi.Info{Keys: []string{"mpi_aint_size", "mpi_count_size", "mpi_offset_size"}, Values: []string{"8", "8", "8"}})
		},
		"MPI_Abi_get_fortran_info": fortranInfo,
		"MPI_Abi_set_fortran_info": func(*abi.Call) error {
			return abi.Wrong(standard.ErrAbi, "the sizes of Fortran's types; expected those that MPI_Abi_get_fortran_info gives, which do not change")
		},
		"MPI_Get_hw_resource_info": func(c *abi.Call) error {
			return putInfo(c, 0, &abi.Info{Keys: []string{abi.MemoryOfHost}, Values: []string{"true"}})
		},
	})
}

// putInfo hands out an info, whose handle goes where a word points to.
func putInfo(c *abi.Call, word int, o *abi.Info) error {
	c.PutWord(c.Words[word], c.Infos.Add(o))
	return nil
}

// infoAndKey returns the first two arguments of functions that look at one key of an info.
func infoAndKey(c *abi.Call) (o *abi.Info, key string, err error) {
	if o, err = c.Info(0); err == nil {
		key, err = c.Key(1)
	}
	return o, key, err
}

func infoDup(c *abi.Call) error {
	o, err := c.Info(0)
	if err != nil {
		return err
	}
	return putInfo(c, 1, o.Clone())
}

func infoFree(c *abi.Call) error {
	h := c.Word(c.Words[0])
	if c.Infos.Get(h) == nil {
		return abi.Wrong(standard.ErrInfo, "%#x is no info", h)
	}
	c.Infos.Remove(h)
	c.PutWord(c.Words[0], standard.InfoNull)
	return nil
}

func infoSet(c *abi.Call) error {
	o, key, err := infoAndKey(c)
	if err != nil {
		return err
	}
	value := strings.TrimSpace(c.Text(c.Words[2]))
	if len(value) >= standard.MaxInfoVal {
		return abi.Wrong(standard.ErrInfoValue, "a value of %d bytes; expected at most %d", len(value), standard.MaxInfoVal-1)
	}
	o.Set(key, value)
	return nil
}

func infoDelete(c *abi.Call) error {
	o, key, err := infoAndKey(c)
	if err == nil && !o.Remove(key) {
		return abi.Wrong(standard.ErrInfoNokey, "no key %q", key)
	}
	return err
}

func infoCount(c *abi.Call) error {
	o, err := c.Info(0)
	if err == nil {
		c.PutInt(c.Words[1], len(o.Keys))
	}
	return err
}

func infoKey(c *abi.Call) error {
	o, err := c.Info(0)
	if err != nil {
		return err
	}
	n := c.At(1)
	if n < 0 || n >= len(o.Keys) {
		return abi.Wrong(standard.ErrArg, "key %d of %d", n, len(o.Keys))
	}
	c.PutText(c.Words[2], o.Keys[n], standard.MaxInfoKey)
	return nil
}

func infoGet(c *abi.Call) error {
	o, key, err := infoAndKey(c)
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
	o, key, err := infoAndKey(c)
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
	o, key, err := infoAndKey(c)
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

// fortranType is a type of Fortran, as keys of infos name it.
type fortranType struct {
	name   string
	handle int64
}

// sized are the types whose size a compiler may choose, and optional those that it may not have (MPI 5.0, section 20.3).
var (
	sized = []fortranType{
		{"logical", standard.Logical}, {"integer", standard.Integer}, {"real", standard.Real}, {"double_precision", standard.DoublePrecision},
	}
	optional = []fortranType{
		{"logical1", standard.Logical1}, {"logical2", standard.Logical2}, {"logical4", standard.Logical4}, {"logical8", standard.Logical8}, {"logical16", standard.Logical16},
		{"integer1", standard.Integer1}, {"integer2", standard.Integer2}, {"integer4", standard.Integer4}, {"integer8", standard.Integer8}, {"integer16", standard.Integer16},
		{"real2", standard.Real2}, {"real4", standard.Real4}, {"real8", standard.Real8}, {"real16", standard.Real16},
		{"complex4", standard.Complex4}, {"complex8", standard.Complex8}, {"complex16", standard.Complex16}, {"complex32", standard.Complex32},
		{"double_complex", standard.DoubleComplex},
	}
)

// fortranInfo tells of Fortran's types: the sizes of those of its compiler by default, and which there are.
func fortranInfo(c *abi.Call) error {
	o := new(abi.Info)
	for _, t := range sized {
		o.Set("mpi_"+t.name+"_size", strconv.Itoa(c.TypeAt(t.handle).Size))
	}
	for _, t := range optional {
		o.Set("mpi_"+t.name+"_supported", strconv.FormatBool(c.TypeAt(t.handle) != nil))
	}
	return putInfo(c, 0, o)
}
