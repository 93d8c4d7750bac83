package files

import (
	"errors"
	"math/bits"
	"os"
	"reflect"
	"syscall"

	"musubi/mpi/abi"
	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/window"
)

func init() {
	abi.Add(map[string]func(c *abi.Call) error{
		"MPI_File_open":   open,
		"MPI_File_close":  closeFile,
		"MPI_File_delete": deleteFile,
	})
}

// checkMode fails for modes that contradict themselves.
func checkMode(mode int) error {
	const reads, writes, both = standard.ModeRdonly, standard.ModeWronly, standard.ModeRdwr
	const all = reads | writes | both | standard.ModeCreate | standard.ModeExcl | standard.ModeDeleteOnClose | standard.ModeUniqueOpen | standard.ModeSequential | standard.ModeAppend
	switch {
	case mode&^all != 0:
		return abi.Wrong(standard.ErrAmode, "mode %#x; expected a sum of MPI_MODE_*, which is %#x at most", mode, all)
	case bits.OnesCount(uint(mode&(reads|writes|both))) != 1:
		return abi.Wrong(standard.ErrAmode, "mode %#x; expected one of MPI_MODE_RDONLY, MPI_MODE_RDWR and MPI_MODE_WRONLY", mode)
	case mode&reads != 0 && mode&(standard.ModeCreate|standard.ModeExcl) != 0:
		return abi.Wrong(standard.ErrAmode, "mode %#x: MPI_MODE_RDONLY with MPI_MODE_CREATE or MPI_MODE_EXCL; expected a file that can be written to", mode)
	case mode&both != 0 && mode&standard.ModeSequential != 0:
		return abi.Wrong(standard.ErrAmode, "mode %#x: MPI_MODE_RDWR with MPI_MODE_SEQUENTIAL; expected MPI_MODE_RDONLY or MPI_MODE_WRONLY", mode)
	}
	return nil
}

// flags returns a mode as the operating system has it.
func flags(mode int) (flags int) {
	switch {
	case mode&standard.ModeRdwr != 0:
		flags = os.O_RDWR
	case mode&standard.ModeWronly != 0:
		flags = os.O_WRONLY
	}
	if mode&standard.ModeCreate != 0 {
		flags |= os.O_CREATE
	}
	if mode&standard.ModeExcl != 0 {
		flags |= os.O_EXCL
	}
	return flags
}

// open opens a file. Rank 0 creates it, if it is to be created, before the others open it.
func open(c *abi.Call) error {
	m, err := c.Intra(0)
	c.On = &c.NoFile
	if err != nil {
		return err
	}
	mode := c.At(2)
	f := &abi.File{Name: c.Host.Path(c.Text(c.Words[1])), Mode: mode, Info: new(abi.Info), Shared: new(window.Window)}
	info, err := infoAt(c, 3)
	if err == nil {
		f.Info.Merge(info)
		err = checkMode(mode)
	}
	first := m.Inner.Rank() == 0
	if err == nil && first {
		f.OS, err = openOne(f.Name, flags(mode))
	}
	err = agree(c, m.Inner, err, fact{"mode", mode})
	if err == nil && !first {
		f.OS, err = openOne(f.Name, flags(mode)&^(os.O_CREATE|os.O_EXCL))
	}
	if m.Inner.Size() > 1 {
		err = agree(c, m.Inner, err)
	}
	if err != nil {
		if f.OS != nil {
			f.OS.Close() // nothing has been written
		}
		return err
	}
	if err := f.Shared.SetUp(m.Inner, c.Function.Name, 8, abi.KindOf(reflect.Int64), "int64"); err != nil {
		return err
	}
	begin := 0
	if mode&standard.ModeAppend != 0 {
		if begin, err = size(f); err != nil {
			return err
		}
	}
	if err := makePointers(c, f, begin); err != nil {
		return err
	}
	f.View, f.Mapped, f.FD = viewOfBytes(c.Process), mayMap(f.OS), f.OS.Fd()
	f.Errhandler = c.NoFile.Errhandler
	c.UseErrhandler(f.Errhandler)
	f.Handle = c.Files.Add(f)
	c.PutWord(c.Words[4], f.Handle)
	return nil
}

// openOne opens a file at this rank. One to write to may be mapped only if it can be read, too.
func openOne(name string, flags int) (*os.File, error) {
	both := flags
	if flags&os.O_WRONLY != 0 {
		both = flags&^os.O_WRONLY | os.O_RDWR
	}
	file, err := os.OpenFile(name, both, 0o666)
	if both != flags && errors.Is(err, syscall.EACCES) {
		file, err = os.OpenFile(name, flags, 0o666)
	}
	if err != nil {
		return nil, failed(err)
	}
	if s, err := file.Stat(); err == nil && s.IsDir() {
		file.Close()
		return nil, failed(&os.PathError{Op: "open", Path: name, Err: syscall.EISDIR})
	}
	return file, nil
}

func closeFile(c *abi.Call) error {
	h := c.Word(c.Words[0])
	c.On = &c.NoFile
	f := c.Files.Get(h)
	if f == nil {
		return abi.Wrong(standard.ErrFile, "%#x is no file", h)
	}
	c.On = &f.Handled
	if err := noSplit(f); err != nil {
		return err
	}
	failure := agree(c, f.Comm(), failed(f.OS.Close()))
	if f.Mode&standard.ModeDeleteOnClose != 0 && f.Comm().Rank() == 0 {
		if err := os.Remove(f.Name); failure == nil {
			failure = failed(err)
		}
	}
	if err := dropPointers(c, f); err != nil { // all wait until it has been deleted
		return err
	}
	c.UnuseErrhandler(f.Errhandler)
	c.Files.Remove(h)
	c.PutWord(c.Words[0], standard.FileNull)
	return failure
}

func deleteFile(c *abi.Call) error {
	c.On = &c.NoFile
	name := c.Host.Path(c.Text(c.Words[0]))
	if s, err := os.Lstat(name); err == nil && s.IsDir() {
		return failed(&os.PathError{Op: "remove", Path: name, Err: syscall.EISDIR})
	}
	return failed(os.Remove(name))
}

// infoAt returns the info at a word, nil for MPI_INFO_NULL.
func infoAt(c *abi.Call, i int) (*abi.Info, error) {
	if c.Words[i] == standard.InfoNull {
		return nil, nil
	}
	return c.Info(i)
}
