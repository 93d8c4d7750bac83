package abi

import (
	"os"

	"musubi/mpi/abi/standard"
	"musubi/mpi/abi/typemap"
	"musubi/mpi/internal/collective"
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/window"
)

// File is a file that the ranks of a communicator have opened together.
type File struct {
	Handled
	OS     *os.File
	Name   string // as this process reaches it
	Mode   int    // that of MPI_File_open
	Shared *window.Window
	Words  [16]byte // of a change of the shared pointer: the operand, and what it was
	View   FileView
	At     int // the individual pointer: bytes of data from the beginning of the view
	Atomic bool
	Info   *Info
	Split  *SplitAccess // that has begun; nil: none
	Buffer []byte       // for pieces that are read with what lies between them
	Mapped bool         // only processes of this host reach it, and may map it
	FD     uintptr      // the number of the open file, if so
}

// Comm returns the communicator of a file, which nobody else has.
func (f *File) Comm() *collective.Comm { return f.Shared.C }

// FileView says which bytes of a file a rank accesses, and how they represent data (MPI 5.0, section 14.3).
type FileView struct {
	Begin           int
	Etype, Filetype *Datatype
	Representation  string
	External        bool           // data lies there in external32
	Unit            int            // bytes of an etype in the file
	Bytes           typemap.Tiling // those that are accessed
}

// SplitAccess is a collective access to a file between its begin and its end.
type SplitAccess struct {
	Name   string // of the function, without _begin
	Status core.Status
}

// File returns the file at a word. Errors of the call are its errors.
func (c *Call) File(i int) (*File, error) {
	c.On = &c.NoFile
	f := c.Files.Get(c.Words[i])
	if f == nil {
		if c.Words[i] == standard.FileNull {
			return nil, Wrong(standard.ErrFile, "MPI_FILE_NULL; expected a file")
		}
		return nil, Wrong(standard.ErrFile, "%#x is no file", c.Words[i])
	}
	c.On = &f.Handled
	return f, nil
}
