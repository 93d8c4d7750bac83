// Package abitest runs functions of MPI for tests: a [Program] has a little memory and no process of its own.
package abitest

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"musubi/mpi/abi"
	"musubi/mpi/abi/standard"
	"musubi/rma"
)

// Begin is the address of the first byte of a program's memory. Those before it are null and values of the standard.
const Begin = 64

// Program is an abi.Host: a program with a little memory.
type Program struct {
	Memory  [1024]byte  // from address Begin on
	Process rma.Process // that it joins; nil if it does not
}

// View returns the memory itself.
func (p *Program) View(at uintptr, bytes int) []byte { return p.Memory[at-Begin:][:bytes] }

// Read copies memory.
func (p *Program) Read(at uintptr, into []byte) { copy(into, p.View(at, len(into))) }

// Store writes to memory.
func (p *Program) Store(at uintptr, data []byte) { copy(p.Memory[at-Begin:], data) }

// Join returns the process of the program and a function that does nothing.
func (p *Program) Join() (rma.Process, func() error, error) {
	if p.Process == nil {
		return nil, nil, errors.ErrUnsupported
	}
	return p.Process, func() error { return nil }, nil
}

// Look reports that memory cannot be looked at from elsewhere.
func (*Program) Look([]uintptr, [][]byte) bool { return false }

// Direct is true.
func (*Program) Direct() bool { return true }

// Simulated is true.
func (*Program) Simulated() bool { return true }

// Thread returns the number of the only thread.
func (*Program) Thread() int64 { return 1 }

// OwnsProcessor is false.
func (*Program) OwnsProcessor() bool { return false }

// Yield does nothing.
func (*Program) Yield() {}

// Request does nothing.
func (*Program) Request(abi.Demand, *[8]int64) int64 { return 0 }

// Share fails.
func (*Program) Share(int) (int, error) { return 0, errors.ErrUnsupported }

// Unshare does nothing.
func (*Program) Unshare(int) {}

// Map fails.
func (*Program) Map(int, int) ([]byte, int64, error) { return nil, 0, errors.ErrUnsupported }

// Unmap does nothing.
func (*Program) Unmap([]byte, int64) {}

// Tell does nothing.
func (*Program) Tell(string) {}

// Path returns the name.
func (*Program) Path(name string) string { return name }

// Name is a name.
func (*Program) Name() string { return "here" }

// Word reads a word.
func (p *Program) Word(at int64) int64 {
	return int64(binary.NativeEndian.Uint64(p.View(uintptr(at), 8)))
}

// Int reads an int.
func (p *Program) Int(at int64) int32 {
	return int32(binary.NativeEndian.Uint32(p.View(uintptr(at), 4)))
}

// PutWord writes a word.
func (p *Program) PutWord(at, v int64) {
	binary.NativeEndian.PutUint64(p.View(uintptr(at), 8), uint64(v))
}

// PutInt writes an int.
func (p *Program) PutInt(at int64, v int32) {
	binary.NativeEndian.PutUint32(p.View(uintptr(at), 4), uint32(v))
}

// Caller returns a function that makes calls of the program by their names, and returns their codes. A call allocates nothing here.
func (p *Program) Caller(t *testing.T) func(name string, words ...int64) int64 {
	process, all := abi.New(p), make([]int64, abi.MostWords)
	return func(name string, words ...int64) int64 {
		t.Helper()
		number := slices.Index(standard.Functions[:], name)
		if number < 0 {
			t.Fatalf("there is no function %s", name)
		}
		clear(all)
		copy(all, words)
		return process.Call(number, all)
	}
}
