package abi

import (
	"musubi/mpi/abi/standard"
	"strings"
)

// MemoryOfHost is how MPI names that which ranks of a host share, among the resources of hardware.
const MemoryOfHost = "mpi_shared_memory"

// Info is keys with values, in the order in which they were set.
type Info struct{ Keys, Values []string }

// Get returns the value of a key, if there is one.
func (o *Info) Get(key string) (string, bool) {
	if o != nil {
		for i, k := range o.Keys {
			if k == key {
				return o.Values[i], true
			}
		}
	}
	return "", false
}

// Set sets the value of a key.
func (o *Info) Set(key, value string) {
	for i, k := range o.Keys {
		if k == key {
			o.Values[i] = value
			return
		}
	}
	o.Keys, o.Values = append(o.Keys, key), append(o.Values, value)
}

// Remove removes a key, and reports whether there was one.
func (o *Info) Remove(key string) bool {
	for i, k := range o.Keys {
		if k == key {
			o.Keys, o.Values = append(o.Keys[:i:i], o.Keys[i+1:]...), append(o.Values[:i:i], o.Values[i+1:]...)
			return true
		}
	}
	return false
}

// Clone returns a copy.
func (o *Info) Clone() *Info {
	n := new(Info)
	n.Merge(o)
	return n
}

// Merge sets the values of another one.
func (o *Info) Merge(from *Info) {
	if from != nil {
		for i, k := range from.Keys {
			o.Set(k, from.Values[i])
		}
	}
}

// Info returns the info object at a word, nil for MPI_INFO_NULL.
func (c *Call) Info(i int) (*Info, error) {
	if c.Words[i] == standard.InfoEnv {
		return new(Info), nil
	}
	if o := c.Infos.Get(c.Words[i]); o != nil {
		return o, nil
	}
	return nil, Wrong(standard.ErrInfo, "%#x is no info", c.Words[i])
}

// Key reads the key of an info.
func (c *Call) Key(i int) (string, error) {
	key := strings.TrimSpace(c.Text(c.Words[i]))
	if key == "" || len(key) >= standard.MaxInfoKey {
		return "", Wrong(standard.ErrInfoKey, "a key of %d bytes; expected 1 to %d", len(key), standard.MaxInfoKey-1)
	}
	return key, nil
}
