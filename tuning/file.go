package tuning

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

// A file of a table has a line for each operation, number of ranks and algorithm: these, and then
// bytes=microseconds for each size that was measured, with spaces between. A line "processors N" says
// how many the host had on which processes were measured. Lines that begin with # are comments.

// processorsLine begins the line that says how many processors the host had.
const processorsLine = "processors"

// Write writes the table, with comments before it.
func (t *Table) Write(w io.Writer, comments ...string) error {
	b := bufio.NewWriter(w)
	for _, c := range append(comments, "operation ranks algorithm bytes=us ...") {
		fmt.Fprintf(b, "# %s\n", c)
	}
	if t.Processors > 0 {
		fmt.Fprintf(b, "%s %d\n", processorsLine, t.Processors)
	}
	for _, name := range slices.Sorted(maps.Keys(t.operations)) {
		o := t.operations[name]
		places := slices.Collect(maps.Keys(o.curves))
		slices.SortFunc(places, func(a, b place) int {
			return cmp.Or(cmp.Compare(a.ranks, b.ranks), cmp.Compare(a.algorithm, b.algorithm))
		})
		for _, at := range places {
			fmt.Fprintf(b, "%s %d %s", name, at.ranks, at.algorithm)
			for _, x := range o.curves[at] {
				fmt.Fprintf(b, " %d=%.4g", x.bytes, x.time)
			}
			fmt.Fprintln(b)
		}
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

// Commands returns the lines of a table's comments that begin with a command, such as those that Write puts before it.
func Commands(r io.Reader, command string) (lines []string, err error) {
	s := bufio.NewScanner(r)
	for s.Scan() {
		if line, isComment := strings.CutPrefix(s.Text(), "# "); isComment && strings.HasPrefix(line, command+" ") {
			lines = append(lines, line)
		}
	}
	return lines, s.Err()
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
		if err := t.parse(strings.Fields(text)); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", name, line, err)
		}
	}
	switch err := s.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, fmt.Errorf("%s: a line is too long; expected operation, ranks, algorithm, and bytes=microseconds, as \"musubi tune\" writes", name)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(t.operations) == 0 {
		return nil, fmt.Errorf("%s has no lines of operation, ranks, algorithm and bytes=microseconds, as \"musubi tune\" writes", name)
	}
	return t, nil
}

// parse adds the points of a line.
func (t *Table) parse(fields []string) (err error) {
	if fields[0] == processorsLine && len(fields) == 2 {
		if t.Processors, err = strconv.Atoi(fields[1]); err != nil || t.Processors < 1 {
			return fmt.Errorf("%q processors; expected a number from 1", fields[1])
		}
		return nil
	}
	if len(fields) < 4 {
		return fmt.Errorf("%d words; expected operation, ranks, algorithm, and bytes=microseconds at least once", len(fields))
	}
	p := Point{Operation: fields[0], Algorithm: fields[2]}
	if p.Ranks, err = strconv.Atoi(fields[1]); err != nil || p.Ranks < 1 {
		return fmt.Errorf("%q ranks; expected a number from 1", fields[1])
	}
	for _, f := range fields[3:] {
		bytes, time, _ := strings.Cut(f, "=")
		if p.Bytes, err = strconv.Atoi(bytes); err != nil || p.Bytes < 0 {
			return fmt.Errorf("%q bytes in %q; expected a number from 0", bytes, f)
		}
		if p.Time, err = strconv.ParseFloat(time, 64); err != nil || !(p.Time >= 0 && p.Time < 1e15) {
			return fmt.Errorf("%q microseconds in %q; expected a number from 0", time, f)
		}
		t.Add(p)
	}
	return nil
}
