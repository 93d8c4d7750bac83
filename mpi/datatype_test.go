package mpi_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"
	"unsafe"

	"musubi/mpi"
)

// particle has bytes between its fields, and behind them.
type particle struct {
	At     [3]float64
	Charge int8
	Mass   float32
	On     bool
}

// chargeAndMass is two fields of a particle.
func chargeAndMass(t *testing.T) mpi.Datatype {
	t.Helper()
	var p particle
	small, err1 := mpi.DatatypeOf[int8]()
	real, err2 := mpi.DatatypeOf[float32]()
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	return mpi.StructOf(mpi.Field{At: int(unsafe.Offsetof(p.Mass)), Count: 1, Type: real}, mpi.Field{At: int(unsafe.Offsetof(p.Charge)), Count: 1, Type: small}).Resized(int(unsafe.Sizeof(p)))
}

// Fields of structs are sent alone, and come where they belong, whatever the length.
func TestDatatypesOfFields(t *testing.T) {
	fields := chargeAndMass(t)
	if fields.Size() != 5 || fields.Extent() != int(unsafe.Sizeof(particle{})) {
		t.Fatalf("size %d and extent %d; expected 5 and %d", fields.Size(), fields.Extent(), unsafe.Sizeof(particle{}))
	}
	everywhere(t, 2, func(c *mpi.Comm) error {
		for _, n := range []int{0, 1, 7, 5000} {
			all := make([]particle, n)
			for i := range all {
				all[i] = particle{At: [3]float64{1, 2, float64(i)}, Charge: int8(i + c.Rank()), Mass: float32(i * 2), On: true}
			}
			memory, err := mpi.Memory(all)
			if err != nil {
				return err
			}
			if c.Rank() == 0 {
				if err := mpi.SendDatatype(c, 1, 3, memory, n, fields); err != nil {
					return err
				}
				continue
			}
			for i := range all {
				all[i].Charge, all[i].Mass = -1, -1
			}
			status, err := mpi.ReceiveDatatype(c, 0, mpi.AnyTag, memory, n, fields)
			if err != nil || status.ItemsOf(fields) != n || status.Tag != 3 {
				return fmt.Errorf("%d items with tag %d, error %v; expected %d with tag 3", status.ItemsOf(fields), status.Tag, err, n)
			}
			for i, p := range all {
				if want := (particle{[3]float64{1, 2, float64(i)}, int8(i), float32(i * 2), true}); p != want {
					return fmt.Errorf("item %d is %v; expected %v", i, p, want)
				}
			}
		}
		return nil
	})
}

// Types of types name the bytes that a naive list of places does, in its order.
func TestDatatypesAreComposed(t *testing.T) {
	word, err := mpi.DatatypeOf[[2]byte]()
	if err != nil {
		t.Fatal(err)
	}
	columns := word.Vector(3, 1, 4).Resized(2) // a column of a matrix of 3 rows of 4 words
	backwards := word.Indexed(mpi.Block{At: 2, Count: 2}, mpi.Block{At: 0, Count: 1})
	for name, x := range map[string]struct {
		t     mpi.Datatype
		count int
		want  []int
	}{
		"contiguous": {word.Contiguous(2), 2, []int{0, 1, 2, 3, 4, 5, 6, 7}},
		"columns":    {columns, 2, []int{0, 1, 8, 9, 16, 17, 2, 3, 10, 11, 18, 19}},
		"backwards":  {backwards, 2, []int{4, 5, 6, 7, 0, 1, 12, 13, 14, 15, 8, 9}},
		"nested":     {backwards.Vector(2, 1, 2), 1, []int{4, 5, 6, 7, 0, 1, 20, 21, 22, 23, 16, 17}},
		"nothing":    {mpi.Datatype{}, 1 << 40, nil},
	} {
		t.Run(name, func(t *testing.T) {
			memory := make([]byte, 24)
			want := make([]byte, len(x.want))
			for i := range memory {
				memory[i] = byte(i)
			}
			for i, at := range x.want {
				want[i] = byte(at)
			}
			everywhere(t, 1, func(c *mpi.Comm) error {
				into, back := make([]byte, len(want)), make([]byte, len(memory))
				r, err := mpi.ISendDatatype(c, 0, 1, memory, x.count, x.t)
				if err != nil {
					return err
				}
				if _, err := mpi.Receive(c, 0, 1, into); err != nil || !slices.Equal(into, want) {
					return fmt.Errorf("sent %v, error %v; expected %v", into, err, want)
				}
				s, err := mpi.IReceiveDatatype(c, 0, 2, back, x.count, x.t)
				if err != nil {
					return err
				}
				if err := mpi.Send(c, 0, 2, want); err != nil {
					return err
				}
				for i, at := range x.want {
					if back[at] != want[i] {
						return fmt.Errorf("received %v", back)
					}
				}
				return mpi.WaitAll(r, s)
			})
		})
	}
}

func TestWrongDatatypesAreRefused(t *testing.T) {
	word, err := mpi.DatatypeOf[int64]()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := mpi.DatatypeOf[string](); !errors.Is(err, mpi.ErrType) {
		t.Errorf("strings: error %v; expected ErrType", err)
	}
	if _, err := mpi.Memory([]*int{nil}); !errors.Is(err, mpi.ErrType) {
		t.Errorf("pointers: error %v; expected ErrType", err)
	}
	everywhere(t, 1, func(c *mpi.Comm) error {
		memory := bytes.Repeat([]byte{1}, 64)
		for name, x := range map[string]struct {
			t     mpi.Datatype
			count int
		}{
			"more than there is":        {word, 9},
			"a place before the memory": {word.Indexed(mpi.Block{At: -1, Count: 1}), 1},
			"a negative count":          {word, -1},
			"a negative vector":         {word.Vector(-1, 1, 1), 1},
			"a negative extent":         {word.Resized(-1), 1},
			"a huge vector":             {word.Vector(2, 1, 1<<62), 1},
			"huge items":                {word.Contiguous(1 << 62), 1},
			"more than can be listed":   {word.Vector(2, 1, 2), 1 << 40},
			"too many blocks":           {word.Vector(1<<40, 0, 0), 1},
			"a wrong type inside":       {word.Resized(-1).Contiguous(2), 1},
		} {
			_, received := mpi.ReceiveDatatype(c, 0, 0, memory, x.count, x.t)
			if sent := mpi.SendDatatype(c, 0, 0, memory, x.count, x.t); !errors.Is(sent, mpi.ErrArgument) || !errors.Is(received, mpi.ErrArgument) {
				return fmt.Errorf("%s: errors %v and %v; expected ErrArgument", name, sent, received)
			}
		}
		return nil
	})
}
