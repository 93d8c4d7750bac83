//go:build unix

package networks

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The usual number of hosts is for networks that have none of their own, and a pipe is read once.
func TestOpenUsual(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("../format/testdata/two-switches.net")
	if err != nil {
		t.Fatal(err)
	}
	go os.WriteFile(pipe, data, 0o600)
	for _, c := range []struct {
		spec  string
		hosts int
	}{
		{"mesh:2x2", 12}, {"../format/testdata/two-switches.net", 3}, {pipe, 3},
	} {
		n, err := OpenWith(c.spec, Options{Usual: 3})
		if err != nil {
			t.Errorf("%s: %v", c.spec, err)
		} else if len(n.EndPoints) != c.hosts {
			t.Errorf("%s: %d end points; want %d", c.spec, len(n.EndPoints), c.hosts)
		}
	}
	if _, err := OpenWith("mesh:512x512", Options{Usual: 3}); err == nil || !strings.Contains(err.Error(), "786432 hosts; at most") {
		t.Errorf("a network too large for the usual hosts: got error %v", err)
	}
}
