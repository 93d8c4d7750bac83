package tuning

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// A file of a table has a line for each point: operation, ranks, bytes, algorithm and microseconds,
// with spaces between. Lines that begin with # are comments.

// Write writes the table, with comments before it.
func (t *Table) Write(w io.Writer, comments ...string) error {
	b := bufio.NewWriter(w)
	for _, c := range append(comments, "operation ranks bytes algorithm us") {
		fmt.Fprintf(b, "# %s\n", c)
	}
	for _, p := range t.Points() {
		fmt.Fprintf(b, "%s %d %d %s %.4g\n", p.Operation, p.Ranks, p.Bytes, p.Algorithm, p.Time)
	}
	return b.Flush()
}

// Open reads the table of a file.
func Open(name string) (*Table, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f, name)
}

// Read reads a table. Errors name the file and the line.
func Read(r io.Reader, name string) (*Table, error) {
	t := &Table{}
	s := bufio.NewScanner(r)
	for line := 1; s.Scan(); line++ {
		text := strings.TrimSpace(s.Text())
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		p, err := parse(strings.Fields(text))
		if err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", name, line, err)
		}
		t.Add(p)
	}
	if err := s.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(t.operations) == 0 {
		return nil, fmt.Errorf("%s has no lines of operation, ranks, bytes, algorithm and microseconds, as \"musubi tune\" writes", name)
	}
	return t, nil
}

// parse reads a point.
func parse(fields []string) (p Point, err error) {
	if len(fields) != 5 {
		return p, fmt.Errorf("%d words; expected operation, ranks, bytes, algorithm and microseconds", len(fields))
	}
	p.Operation, p.Algorithm = fields[0], fields[3]
	if p.Ranks, err = strconv.Atoi(fields[1]); err != nil || p.Ranks < 1 {
		return p, fmt.Errorf("%q ranks; expected a number from 1", fields[1])
	}
	if p.Bytes, err = strconv.Atoi(fields[2]); err != nil || p.Bytes < 0 {
		return p, fmt.Errorf("%q bytes; expected a number from 0", fields[2])
	}
	if p.Time, err = strconv.ParseFloat(fields[4], 64); err != nil || !(p.Time >= 0 && p.Time < 1e15) {
		return p, fmt.Errorf("%q microseconds; expected a number from 0", fields[4])
	}
	return p, nil
}
