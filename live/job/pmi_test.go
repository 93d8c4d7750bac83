package job

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// mpiexec answers what a process asks, but for a barrier. It calls waiting when that comes.
func mpiexec(file *os.File, waiting func()) {
	answers := map[string]string{
		"init": "response_to_init rc=0", "get_my_kvsname": "my_kvsname kvsname=job", "put": "put_result rc=0",
	}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		cmd := parsePMI(lines.Text())["cmd"]
		if answer, ok := answers[cmd]; ok {
			fmt.Fprintf(file, "cmd=%s\n", answer)
		} else {
			waiting()
		}
	}
}

// A rank that the others do not follow gives up in time.
func TestBarriersOfMpiexecEnd(t *testing.T) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	other := os.NewFile(uintptr(pair[1]), "mpiexec")
	go mpiexec(other, cancel)
	t.Setenv("PMI_FD", fmt.Sprint(pair[0]))
	open := func([]byte, string) (string, error) { return "127.0.0.1:1", nil }
	if _, err := (external{size: 2}).bootstrapByPMI(ctx, bootstrap{}, true, open); !errors.Is(err, context.Canceled) {
		t.Errorf("the bootstrap ends with %v, want %v", err, context.Canceled)
	}
}
