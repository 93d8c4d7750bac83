package files

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func TestStageReplacesAllFilesOrNone(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	if err := Write(a, text("old")); err != nil {
		t.Fatal(err)
	}

	var failing Stage
	broken := errors.New("no more table")
	if err := failing.Add(a, text("new")); err != nil {
		t.Fatal(err)
	}
	err := failing.Add(b, func(w io.Writer) error { return errors.Join(text("half")(w), broken) })
	if !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
	failing.Discard()
	expectFiles(t, dir, map[string]string{"a": "old"})

	var fine Stage
	for path, s := range map[string]string{a: "new a", b: "new b"} {
		if err := fine.Add(path, text(s)); err != nil {
			t.Fatal(err)
		}
	}
	if err := fine.Commit(); err != nil {
		t.Fatal(err)
	}
	fine.Discard()
	expectFiles(t, dir, map[string]string{"a": "new a", "b": "new b"})
}

// TestStageNamesTheFile fails where a directory is missing and where a disk is full.
// The user knows nothing of the temporary file that these errors name.
func TestStageNamesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing", "a")
	expectError(t, Write(path, text("new")), "writing "+path+": no such file or directory")

	path = filepath.Join(t.TempDir(), "a")
	full := &fs.PathError{Op: "write", Path: path + ".123", Err: errors.New("no space left on device")}
	err := Write(path, func(io.Writer) error { return full })
	expectError(t, err, "writing "+path+": no space left on device")
	expectFiles(t, filepath.Dir(path), nil)
}

func expectError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || err.Error() != want {
		t.Errorf("got error %v, want %q", err, want)
	}
}

// expectFiles checks that a directory holds these files with this text, and
// nothing else.
func expectFiles(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(want) {
		t.Errorf("got %d files %v, want %d", len(entries), entries, len(want))
	}
	for name, text := range want {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || string(got) != text {
			t.Errorf("%s holds %q (%v), want %q", name, got, err, text)
		}
	}
}

// What is being written when a process is interrupted is not left behind.
func TestAbandonRemovesWhatIsUnfinished(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	if err := Write(a, text("old")); err != nil {
		t.Fatal(err)
	}
	err := Write(b, func(w io.Writer) error {
		expectFileCount(t, dir, 2)
		Abandon()
		return nil
	})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that was abandoned: %v; expected that it does not exist", err)
	}
	expectFiles(t, dir, map[string]string{"a": "old"})
}

func expectFileCount(t *testing.T, dir string, want int) {
	t.Helper()
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != want {
		t.Errorf("%d files (%v); expected %d", len(entries), err, want)
	}
}

// TestCheckFindsWhatWriteWould refuses, and leaves nothing behind.
func TestCheckFindsWhatWriteWould(t *testing.T) {
	dir := t.TempDir()
	if err := Write(filepath.Join(dir, "a"), text("old")); err != nil {
		t.Fatal(err)
	}
	if err := Check("", filepath.Join(dir, "a"), filepath.Join(dir, "b")); err != nil {
		t.Error(err)
	}
	expectError(t, Check("", dir), dir+" exists and is not a regular file; expected the name of a file to write")
	missing := filepath.Join(dir, "missing", "a")
	expectError(t, Check(missing), "writing "+missing+": no such file or directory")
	expectFiles(t, dir, map[string]string{"a": "old"})
}
