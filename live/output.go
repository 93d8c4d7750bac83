package live

import (
	"bytes"
	"fmt"
	"io"
	"sync"
)

// labelled writes lines of several ranks to one writer, each with its rank.
type labelled struct {
	mu    sync.Mutex
	to    io.Writer
	ranks []*lines
}

// lines is the output of one rank.
type lines struct {
	all  *labelled
	rank int
	rest []byte // of a line that has no end yet
}

// longestLine is from which length on a line without an end is written.
const longestLine = 64 << 10

func newLabelled(to io.Writer) *labelled { return &labelled{to: to} }

func (l *labelled) of(rank int) *lines {
	w := &lines{all: l, rank: rank}
	l.ranks = append(l.ranks, w)
	return w
}

// Write never fails, so that ranks do not if nobody reads what they say.
func (w *lines) Write(p []byte) (int, error) {
	w.all.mu.Lock()
	defer w.all.mu.Unlock()
	w.rest = append(w.rest, p...)
	for {
		line, rest, found := bytes.Cut(w.rest, []byte{'\n'})
		if !found && len(line) < longestLine {
			return len(p), nil
		}
		w.write(line)
		w.rest = rest
	}
}

func (w *lines) write(line []byte) { _, _ = fmt.Fprintf(w.all.to, "rank %d: %s\n", w.rank, line) }

// flush writes lines that have no end.
func (l *labelled) flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range l.ranks {
		if len(w.rest) > 0 {
			w.write(w.rest)
			w.rest = nil
		}
	}
}
