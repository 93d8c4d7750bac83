package files

import (
	"io"

	"musubi/mpi/abi"
)

// guarded does something with so many bytes of data, one from on. In atomic mode nobody else changes the bytes of the file between the
// first and the last meanwhile, nor reads them if they are written.
func guarded(f *abi.File, from, bytes int, writes bool, do func() (int, error)) (int, error) {
	if !f.Atomic {
		return do()
	}
	first, last := f.View.Bytes.Place(from), f.View.Bytes.Place(from+bytes-1)
	unlock, err := lock(f.OS, first, last+1-first, writes)
	if err != nil {
		return 0, err
	}
	defer unlock()
	return do()
}

// read reads data from one byte of it on, and returns how much there is before the end of the file.
func read(f *abi.File, from int, into []byte) (int, error) {
	return guarded(f, from, len(into), false, func() (done int, err error) {
		f.View.Bytes.Visit(from, len(into), func(at, bytes int) bool {
			var n int
			n, err = f.OS.ReadAt(into[done:][:bytes], int64(at))
			done += n
			return err == nil
		})
		if err == io.EOF {
			err = nil
		}
		return done, err
	})
}

// write writes data from one byte of it on, and returns how much has been written.
func write(f *abi.File, from int, data []byte) (int, error) {
	return guarded(f, from, len(data), true, func() (done int, err error) {
		f.View.Bytes.Visit(from, len(data), func(at, bytes int) bool {
			var n int
			n, err = f.OS.WriteAt(data[done:][:bytes], int64(at))
			done += n
			return err == nil
		})
		return done, err
	})
}
