// Package files writes files so that none of them is ever seen half-written.
package files

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// Stage writes files all together: their contents go to temporary files beside them, which
// take their names only when all have been written to disk.
type Stage struct{ files []stagedFile }

type stagedFile struct{ temporary, path string }

// unfinished are the temporary files that there are.
var unfinished = struct {
	sync.Mutex
	names map[string]bool
}{names: make(map[string]bool)}

// finished notes that a temporary file has its name, or is gone.
func finished(name string) {
	unfinished.Lock()
	delete(unfinished.names, name)
	unfinished.Unlock()
}

// Abandon removes all temporary files, before a process ends that does not wait for those who write them.
func Abandon() {
	unfinished.Lock()
	defer unfinished.Unlock()
	for name := range unfinished.names {
		os.Remove(name)
	}
	clear(unfinished.names)
}

// Add writes the contents of a file.
func (s *Stage) Add(path string, write func(io.Writer) error) error {
	f, err := temporary(path)
	if err != nil {
		return err
	}
	s.files = append(s.files, stagedFile{f.Name(), path})
	b := bufio.NewWriter(f)
	err = cmp.Or(write(b), b.Flush(), f.Chmod(0o644), f.Sync())
	if err := cmp.Or(err, f.Close()); err != nil {
		return notWritten(path, err)
	}
	return nil
}

// temporary opens a temporary file beside a path.
func temporary(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s exists and is not a regular file; expected the name of a file to write", path)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return nil, notWritten(path, err)
	}
	unfinished.Lock()
	unfinished.names[f.Name()] = true
	unfinished.Unlock()
	return f, nil
}

// Check fails if a file cannot be written, so that a long run need not find that out when it is over. Empty paths name
// no file.
func Check(paths ...string) error {
	for _, path := range paths {
		if path == "" {
			continue
		}
		f, err := temporary(path)
		if err != nil {
			return err
		}
		err = errors.Join(f.Close(), os.Remove(f.Name()))
		finished(f.Name())
		if err != nil {
			return notWritten(path, err)
		}
	}
	return nil
}

// notWritten returns the error for a file that was not written, without the name of the temporary
// one.
func notWritten(path string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return fmt.Errorf("writing %s: %w", path, err)
}

// Commit gives the files their names.
func (s *Stage) Commit() error {
	for len(s.files) > 0 {
		f := s.files[0]
		if err := os.Rename(f.temporary, f.path); err != nil {
			return err
		}
		finished(f.temporary)
		s.files = s.files[1:]
		if err := syncDirectory(filepath.Dir(f.path)); err != nil {
			return err
		}
	}
	return nil
}

// Discard removes what has not been committed.
func (s *Stage) Discard() {
	for _, f := range s.files {
		os.Remove(f.temporary)
		finished(f.temporary)
	}
}

// syncDirectory writes new names in a directory to disk.
func syncDirectory(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Write writes one file.
func Write(path string, write func(io.Writer) error) error {
	var s Stage
	defer s.Discard()
	if err := s.Add(path, write); err != nil {
		return err
	}
	return s.Commit()
}

// NotOverwritten refuses to write a file that is read as well. The options that name the two
// are called readBy and writtenBy.
func NotOverwritten(readBy, read, writtenBy, written string) error {
	before, err := os.Stat(read)
	if err != nil || written == "" {
		return nil
	}
	if after, err := os.Stat(written); err == nil && os.SameFile(before, after) {
		return fmt.Errorf("%s %s would overwrite what %s reads; expected another file", writtenBy, written, readBy)
	}
	return nil
}
