package files

import (
	"io/fs"
	"os"

	"musubi/mpi/abi"
	"musubi/mpi/abi/standard"
)

func init() {
	abi.Add(map[string]func(c *abi.Call) error{
		"MPI_File_set_size":    onFile(setSize),
		"MPI_File_preallocate": onFile(preallocate),
		"MPI_File_get_size": onFile(func(c *abi.Call, f *abi.File) error {
			n, err := size(f)
			if err == nil {
				c.PutWord(c.Words[1], int64(n))
			}
			return err
		}),
		"MPI_File_get_group": onFile(func(c *abi.Call, f *abi.File) error {
			all := make([]int32, f.Comm().Size())
			for rank := range all {
				all[rank] = f.Comm().Process(rank)
			}
			c.PutWord(c.Words[1], c.NewGroup(all))
			return nil
		}),
		"MPI_File_get_amode": onFile(func(c *abi.Call, f *abi.File) error { c.PutInt(c.Words[1], f.Mode); return nil }),
		"MPI_File_set_info": onFile(func(c *abi.Call, f *abi.File) error {
			info, err := infoAt(c, 1)
			f.Info.Merge(info)
			return err
		}),
		"MPI_File_get_info": onFile(func(c *abi.Call, f *abi.File) error {
			c.PutWord(c.Words[1], c.Infos.Add(f.Info.Clone()))
			return nil
		}),
		"MPI_File_get_atomicity": onFile(func(c *abi.Call, f *abi.File) error { c.PutBool(c.Words[1], f.Atomic); return nil }),
		"MPI_File_set_atomicity": onFile(func(c *abi.Call, f *abi.File) error {
			on := c.At(1) != 0
			var err error
			if on && !lockable {
				err = abi.Wrong(standard.ErrUnsupportedOperation, "atomic mode of %s, for which this system has no locks", f.Name)
			}
			if err := agree(c, f.Comm(), err, fact{"atomicity", boolean(on)}); err != nil {
				return err
			}
			f.Atomic = on
			return nil
		}),
		"MPI_File_sync": onFile(func(c *abi.Call, f *abi.File) error {
			if err := noSplit(f); err != nil {
				return err
			}
			return agree(c, f.Comm(), failed(f.OS.Sync()))
		}),
	})
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

// onFile returns a function that is about the file of word 0.
func onFile(do func(*abi.Call, *abi.File) error) func(*abi.Call) error {
	return func(c *abi.Call) error {
		f, err := c.File(0)
		if err != nil {
			return err
		}
		return do(c, f)
	}
}

// size returns the bytes of a file.
func size(f *abi.File) (int, error) {
	s, err := f.OS.Stat()
	if err != nil {
		return 0, failed(err)
	}
	return int(s.Size()), nil
}

// notSequential fails for what only files with places have.
func notSequential(f *abi.File) error {
	if f.Mode&standard.ModeSequential != 0 {
		return abi.Wrong(standard.ErrUnsupportedOperation, "%s has been opened with MPI_MODE_SEQUENTIAL; expected a file without", f.Name)
	}
	return nil
}

// resizable fails if the size of word 1 cannot be that of a file.
func resizable(c *abi.Call, f *abi.File) error {
	switch {
	case c.At(1) < 0:
		return abi.Wrong(standard.ErrArg, "a size of %d bytes for %s; expected at least 0", c.At(1), f.Name)
	case f.Mode&standard.ModeRdonly != 0:
		return abi.Wrong(standard.ErrReadOnly, "%s has been opened with MPI_MODE_RDONLY; expected one that can be written to", f.Name)
	}
	return notSequential(f)
}

// byFirst lets rank 0 do something with a file, and returns whether it could when it is done.
func byFirst(c *abi.Call, f *abi.File, do func() error) error {
	if err := agree(c, f.Comm(), resizable(c, f), fact{"size", c.At(1)}); err != nil {
		return err
	}
	var err error
	if f.Comm().Rank() == 0 {
		err = failed(do())
	}
	return agree(c, f.Comm(), err)
}

func setSize(c *abi.Call, f *abi.File) error {
	return byFirst(c, f, func() error { return f.OS.Truncate(int64(c.At(1))) })
}

func preallocate(c *abi.Call, f *abi.File) error {
	return byFirst(c, f, func() error {
		if err := allocate(f.OS, c.At(1)); err != nil {
			return &fs.PathError{Op: "fallocate", Path: f.Name, Err: err}
		}
		return nil
	})
}

// extend makes a file as long as a size at least.
func extend(file *os.File, bytes int) error {
	s, err := file.Stat()
	if err != nil || int(s.Size()) >= bytes {
		return err
	}
	return file.Truncate(int64(bytes))
}
