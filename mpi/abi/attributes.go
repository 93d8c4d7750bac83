package abi

import (
	"musubi/mpi/abi/handle"
	"slices"
)

// keyvals are the attribute keys of the program.
type keyvals struct {
	Next int
	Keys map[int]*Keyval
}

// Keyval is what happens to an attribute when its object is copied or freed.
type Keyval struct {
	Of           handle.Kind
	Copy, Delete int64 // functions; 0: nothing, 1 of copy: the value is copied
	Extra        int64
}

// Attributes are the attributes of an object, in the order in which they were set.
type Attributes struct {
	Keys   []int
	Values []int64
}

// Get returns the value of a key, if there is one.
func (a *Attributes) Get(key int) (int64, bool) {
	if i := slices.Index(a.Keys, key); i >= 0 {
		return a.Values[i], true
	}
	return 0, false
}

// Set sets the value of a key.
func (a *Attributes) Set(key int, value int64) (isNew bool) {
	if i := slices.Index(a.Keys, key); i >= 0 {
		a.Values[i] = value
		return false
	}
	a.Keys, a.Values = append(a.Keys, key), append(a.Values, value)
	return true
}

// Remove removes a key.
func (a *Attributes) Remove(key int) {
	if i := slices.Index(a.Keys, key); i >= 0 {
		a.Keys, a.Values = slices.Delete(a.Keys, i, i+1), slices.Delete(a.Values, i, i+1)
	}
}

// KeepAttribute tells a program with lanes of an attribute that it has asked for.
func (p *Process) KeepAttribute(of handle.Kind, object int64, key int, value int64) {
	if p.Lanes != nil && of == handle.Comm {
		p.Lanes.KeepAttribute(object, int64(key), value)
	}
}

// ForgetAttribute is called when attributes have changed.
func (p *Process) ForgetAttribute() {
	if p.Lanes != nil {
		p.Lanes.ForgetAttribute()
	}
}

// LargestTag is the largest tag of a program. This library uses others above it.
const LargestTag = 1<<30 - 1
