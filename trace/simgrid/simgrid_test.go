package simgrid

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"musubi/internal/check"
	"musubi/trace/goal/loggops"
	"musubi/trace/schedule"
)

// write writes files, and returns the path of the first.
func write(t *testing.T, texts ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i, text := range texts {
		check.Must(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("trace%d.txt", i)), []byte(text), 0o600))
	}
	return filepath.Join(dir, "trace0.txt")
}

// The example of SimGrid's replay: two ranks with a file each.
const (
	zero = "0 init\n0 send 1 0 1e6\n0 recv 1 1 1e6\n0 send 1 2 1e6\n0 finalize\n"
	one  = "1 init\n1 recv 0 0 1e6\n# a comment\n\n1 compute 1e9\n1 isend 0 1 1e6\n1 irecv 0 2 1e6\n1 wait 0 1 2\n1 finalize\n"
)

// ends tells when the ranks of a schedule end, in seconds, if a message takes a second on the way.
func ends(t *testing.T, s *schedule.Schedule) string {
	t.Helper()
	messages, err := s.Expanded()
	check.Must(t, err)
	r, err := loggops.Run(context.Background(), messages, loggops.Parameters{L: 1e12, Eager: 1 << 40}, loggops.LogGOPSim)
	check.Must(t, err)
	var list []string
	for _, end := range r.Ends {
		list = append(list, fmt.Sprint(end.Seconds()))
	}
	return strings.Join(list, " ")
}

// A file for all ranks and one for each are the same: a message, a second of work, one back, and a third one.
func TestOneFileOrSeveral(t *testing.T) {
	for _, path := range []string{write(t, zero+one), write(t, "trace1.txt\ntrace2.txt\n", zero, one)} {
		if !Is(path) {
			t.Errorf("%s is no trace", path)
		}
		s, err := Open(path)
		check.Must(t, err)
		// 0 to 1, computation, 1 to 0, and 0 to 1 again.
		if got, want := ends(t, s), "3 4"; got != want {
			t.Errorf("%s: ranks end at %s s; expected %s", path, got, want)
		}
		messages, bytes := s.Sent()
		if messages != 3 || bytes != 3e6 {
			t.Errorf("%s: %d messages of %g bytes; expected 3 of 3e6", path, messages, bytes)
		}
	}
	if Is(write(t, "num_ranks 2\n")) || Is(write(t, "absent.txt\n")) || Is(write(t, "")) {
		t.Error("what is no trace is taken for one")
	}
}

// Every action of all ranks can be carried out, and sends as many bytes as its arguments say.
func TestActionsOfAllRanks(t *testing.T) {
	for _, test := range []struct {
		action string // of each rank; R stands for it
		bytes  float64
	}{
		{"bcast 10", 2 * 10}, {"bcast 10 2 0", 2 * 80}, {"reduce 5 1e3 1 1", 2 * 20}, {"allreduce 6 7 0", 4 * 48}, {"barrier", 0},
		{"alltoall 4 4 1 1", 6 * 16}, {"gather 3 3 2 0 0", 2 * 24}, {"scatter 3 3 1 0 0", 2 * 24}, {"allgather 2 2 0 0", 6 * 16},
		{"alltoallv 6 1 2 3 6 S S S", 12}, {"gatherv 4 4 4 4 1 0 0", 2 * 32}, {"allgatherv 4 4 4 4 0 0", 6 * 32},
		{"scatterv 4 5 6 S 1 1 1", (4 + 6) * 4}, {"reducescatter 1 2 3 100 0", 2 * 48}, {"sendRecv 7 NEXT 7 LAST", 21},
	} {
		var b strings.Builder
		for r := range 3 {
			size := fmt.Sprint(r + 1) // of what each sends to this rank
			if strings.HasPrefix(test.action, "scatterv") {
				size = fmt.Sprint(r + 4)
			}
			line := strings.NewReplacer("S", size, "NEXT", fmt.Sprint((r+1)%3), "LAST", fmt.Sprint((r+2)%3)).Replace(strings.Replace(test.action, "sendRecv", "@", 1))
			fmt.Fprintf(&b, "%d init\n%d compute 1e3\n%d %s\n%d finalize\n", r, r, r, strings.Replace(line, "@", "sendRecv", 1), r)
		}
		s, err := Open(write(t, b.String()))
		if err != nil {
			t.Errorf("%s: %v", test.action, err)
			continue
		}
		ends(t, s)
		if _, bytes := s.Sent(); bytes != test.bytes {
			t.Errorf("%s: %g bytes are sent; expected %g", test.action, bytes, test.bytes)
		}
	}
}

// Old traces, whose init has an argument, count doubles.
func TestOldTracesCountDoubles(t *testing.T) {
	s, err := Open(write(t, "0 init 1\n0 send 1 0 10\n1 init 1\n1 recv 0 0 10\n"))
	check.Must(t, err)
	if _, bytes := s.Sent(); bytes != 80 {
		t.Errorf("%g bytes; expected 80", bytes)
	}
}

func TestMistakesNameRankAndLine(t *testing.T) {
	for text, want := range map[string]string{
		"0 init\n0 dance 1\n":         `line 2: rank 0: dance: unknown action`,
		"0 init\n0 send 1 0\n":        `line 2: rank 0: send: 2 arguments; expected at least 3`,
		"0 init\n0 send 5 0 1\n":      `line 2: rank 0: send: rank 5; expected 0 to 0`,
		"0 init\n0 isend 0 0 1 99\n":  `line 2: rank 0: isend: type 99; expected 0 to 7`,
		"0 init\n0 isend 0 0 x\n":     `line 2: rank 0: isend: "x"; expected a whole number`,
		"0 init\n0 isend 0 -4 1\n":    `line 2: rank 0: isend: tag -4; expected 0 to 2147483647`,
		"0 init\n0 isend 0 0 1e18\n":  `line 2: rank 0: isend: 1000000000000000000 elements; expected 0 to`,
		"0 init\n0 wait 0 0 3\n":      `line 2: rank 0: wait: no message from 0 to 0 with tag 3 is under way`,
		"0 init\n0 compute -1\n":      `line 2: rank 0: compute: -1; expected a number from 0 on`,
		"0 init\n0 bcast 1 7\n":       `line 2: rank 0: bcast: root 7; expected 0 to 0`,
		"0 init\nx send 1 0 1\n":      `line 2: "x send 1 0"; expected a rank and an action`,
		"0 init\n9999999 compute 1\n": `line 2: "9999999 compute 1"; expected a rank and an action`,
	} {
		if _, err := Open(write(t, text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v; expected %s", text, err, want)
		}
	}
}

// Whatever a file has, it is read or refused.
func FuzzOpen(f *testing.F) {
	f.Add(zero + one)
	f.Add("0 init\n0 alltoallv 6 1 1 6 1\n1 waitall\n")
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := Open(write(t, text)); err == nil && s == nil {
			t.Error("neither a schedule nor an error")
		}
	})
}

// The trace in testdata is what "smpirun -trace-ti" of SimGrid has written of a C program on four ranks, which calls most operations. Its bytes
// were added up from the program.
func TestTraceOfSMPI(t *testing.T) {
	s, err := Open("testdata/smpi.txt")
	check.Must(t, err)
	ends(t, s)
	ring, send, sendrecv := 4*8000, 10, 4*72
	operations := 3*400 + 3*800 + 2*3*40 + 12*5 + 12*56 + 3*28 + 3*28 // bcast, reduce, allreduce, alltoall, allgather, gather, scatter
	vectors := (10+30+40)*8 + (20+30+40)*8 + 3*100*8 + 3*100*8        // gatherv, scatterv, allgatherv, reduce_scatter
	if _, bytes := s.Sent(); bytes != float64(ring+send+sendrecv+operations+vectors) {
		t.Errorf("%g bytes are sent; expected %d", bytes, ring+send+sendrecv+operations+vectors)
	}
}
