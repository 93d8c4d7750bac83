package job

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
)

// writing is what one rank writes at once.
type writing struct {
	rank   int
	errors bool
	text   string
}

func TestOutputComesByLine(t *testing.T) {
	long := strings.Repeat("x", longestLine)
	for _, c := range []struct {
		name           string
		plain          bool
		writings       []writing
		stdout, stderr string
	}{
		{"lines", false, []writing{{0, false, "a\nb\n"}, {1, true, "c\n"}}, "rank 0: a\nrank 0: b\n", "rank 1: c\n"},
		{"parts of lines", false, []writing{{0, false, "a"}, {1, false, "b"}, {0, false, "c\n"}, {1, false, "d\n"}}, "rank 0: ac\nrank 1: bd\n", ""},
		{"two outputs of a rank", false, []writing{{0, false, "a"}, {0, true, "b"}, {0, false, "c\n"}}, "rank 0: ac\n", "rank 0: b\n"},
		{"lines without an end", false, []writing{{0, false, "a"}, {1, false, "\nb"}}, "rank 1: \nrank 0: a\nrank 1: b\n", ""},
		{"too long a line", false, []writing{{0, false, long}, {0, false, "y\n"}}, "rank 0: " + long + "\nrank 0: y\n", ""},
		{"unlabelled", true, []writing{{0, false, "a\r\n"}, {1, false, "b"}, {0, false, long}, {0, false, "y"}}, "a\r\n" + long + "yb", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			l := &labelled{stdout: &stdout, stderr: &stderr, plain: c.plain}
			var writers [2][2]io.Writer
			for rank := range writers {
				writers[rank][0], writers[rank][1] = l.of(rank)
			}
			for _, w := range c.writings {
				to := writers[w.rank][0]
				if w.errors {
					to = writers[w.rank][1]
				}
				if n, err := io.WriteString(to, w.text); n != len(w.text) || err != nil {
					t.Errorf("%q was written to %d bytes, %v", w.text, n, err)
				}
			}
			l.flush()
			if stdout.String() != c.stdout || stderr.String() != c.stderr {
				t.Errorf("got %q and %q; want %q and %q", stdout.String(), stderr.String(), c.stdout, c.stderr)
			}
		})
	}
}

// Ranks write in small pieces, all at once.
func TestLinesStayWhole(t *testing.T) {
	const ranks, lines = 8, 200
	var out bytes.Buffer
	l := &labelled{stdout: &out, stderr: &out}
	var all sync.WaitGroup
	for rank := range ranks {
		stdout, _ := l.of(rank)
		all.Go(func() {
			for i := range lines {
				fmt.Fprintf(stdout, "line %d", i)
				fmt.Fprintf(stdout, " of %d\n", rank)
			}
		})
	}
	all.Wait()
	next := [ranks]int{}
	for line := range strings.Lines(out.String()) {
		var rank, number, writer int
		if n, _ := fmt.Sscanf(line, "rank %d: line %d of %d\n", &rank, &number, &writer); n != 3 || rank != writer || number != next[rank] {
			t.Fatalf("%q is not the next line of a rank", line)
		}
		next[rank]++
	}
	for rank, n := range next {
		if n != lines {
			t.Errorf("rank %d has written %d lines; want %d", rank, n, lines)
		}
	}
}
