//go:build unix

package format

import (
	"path/filepath"
	"syscall"
	"testing"

	"musubi/internal/check"
)

// A named pipe, which could be read once only, is refused without being opened.
func TestPipesAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	want := path + " is no regular file; expected a schedule in GOAL, or a trace of Chakra or SimGrid"
	_, err := Open(path)
	check.Error(t, err, want)
	_, err = Stamp(path)
	check.Error(t, err, want)
}
