package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// stage writes files so that none of them is ever seen half-written: their
// contents go to temporary files beside them, which take their names only when
// all have been written to disk.
type stage struct{ files []stagedFile }

type stagedFile struct{ temporary, path string }

// add writes the contents of a file.
func (s *stage) add(path string, write func(io.Writer) error) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s exists and is not a regular file; expected the name of a file to write", path)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return notWritten(path, err)
	}
	s.files = append(s.files, stagedFile{f.Name(), path})
	b := bufio.NewWriter(f)
	err = cmp.Or(write(b), b.Flush(), f.Chmod(0o644), f.Sync())
	if err := cmp.Or(err, f.Close()); err != nil {
		return notWritten(path, err)
	}
	return nil
}

// notWritten says why a file was not written, without the name of the temporary one.
func notWritten(path string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return fmt.Errorf("writing %s: %w", path, err)
}

// commit gives the files their names.
func (s *stage) commit() error {
	for len(s.files) > 0 {
		f := s.files[0]
		if err := os.Rename(f.temporary, f.path); err != nil {
			return err
		}
		s.files = s.files[1:]
		if err := syncDirectory(filepath.Dir(f.path)); err != nil {
			return err
		}
	}
	return nil
}

// discard removes what has not been committed.
func (s *stage) discard() {
	for _, f := range s.files {
		os.Remove(f.temporary)
	}
}

// syncDirectory makes new names in a directory last.
func syncDirectory(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// writeFile writes one file as a stage does.
func writeFile(path string, write func(io.Writer) error) error {
	var s stage
	defer s.discard()
	if err := s.add(path, write); err != nil {
		return err
	}
	return s.commit()
}

// notOverwritten refuses to write a file that is read as well.
func notOverwritten(readFlag, read, writeFlag, written string) error {
	before, err := os.Stat(read)
	if err != nil || written == "" {
		return nil
	}
	if after, err := os.Stat(written); err == nil && os.SameFile(before, after) {
		return fmt.Errorf("%s %s would overwrite what %s reads; expected another file", writeFlag, written, readFlag)
	}
	return nil
}
