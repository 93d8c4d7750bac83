package job

import (
	"bytes"
	"fmt"
	"io"
	"sync"
)

// outputs is where ranks of a group write to.
type outputs interface {
	// of returns the writers for standard output and standard error of a rank. They never
	// fail, so that ranks do not if nobody reads what they say.
	of(rank int) (stdout, stderr io.Writer)
}

// labelled writes whole lines of several ranks, each with its rank before it.
type labelled struct {
	stdout, stderr io.Writer
	plain          bool // without the rank

	mu    sync.Mutex
	lines []*lines
}

// lines is what one rank writes to one of its outputs.
type lines struct {
	all  *labelled
	to   io.Writer
	rank int
	rest []byte // of a line that has no end yet
}

// longestLine is from which length on a line without an end is written.
const longestLine = 64 << 10

// of returns the writers of a rank. Where both outputs go to the same place they are one, so that
// what a rank writes to them keeps its order.
func (l *labelled) of(rank int) (stdout, stderr io.Writer) {
	out := l.add(rank, l.stdout)
	if l.stderr == l.stdout {
		return out, out
	}
	return out, l.add(rank, l.stderr)
}

func (l *labelled) add(rank int, to io.Writer) *lines {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := &lines{all: l, to: to, rank: rank}
	l.lines = append(l.lines, w)
	return w
}

func (w *lines) Write(p []byte) (int, error) {
	w.all.mu.Lock()
	defer w.all.mu.Unlock()
	w.rest = append(w.rest, p...)
	for {
		end := bytes.IndexByte(w.rest, '\n') + 1
		switch {
		case end > 0:
			w.write(w.rest[:end])
		case len(w.rest) >= longestLine:
			end = len(w.rest)
			w.write(w.rest)
		default:
			return len(p), nil
		}
		w.rest = w.rest[end:]
	}
}

// write writes a line, or a part of one that ends there if lines are labelled.
func (w *lines) write(line []byte) {
	if w.all.plain {
		_, _ = w.to.Write(line)
		return
	}
	_, _ = fmt.Fprintf(w.to, "rank %d: %s\n", w.rank, bytes.TrimSuffix(line, []byte{'\n'}))
}

// flush writes lines that have no end.
func (l *labelled) flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range l.lines {
		if len(w.rest) > 0 {
			w.write(w.rest)
			w.rest = nil
		}
	}
}
