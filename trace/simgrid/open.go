package simgrid

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"musubi/trace/schedule"
)

// longestLine is how long a line may be, in bytes: those of vectors have a number for each rank.
const longestLine = 64 << 20

// line is one with its number.
type line struct {
	number uint32
	fields []string
}

// each calls what is to be done for each line that is neither empty nor a comment.
func each(r io.Reader, do func(l line) error) error {
	s := bufio.NewScanner(r)
	s.Buffer(nil, longestLine)
	for n := uint32(1); s.Scan(); n++ {
		fields := strings.Fields(s.Text())
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if err := do(line{n, fields}); err != nil {
			return err
		}
	}
	return s.Err()
}

var errEnough = errors.New("enough has been read")

// first returns the first line of a file; false if there is none that is a text.
func first(path string) (l line, ok bool) {
	f, err := os.Open(path)
	if err != nil {
		return line{}, false
	}
	defer f.Close()
	_ = each(io.LimitReader(f, 1<<16), func(one line) error {
		l, ok = one, true
		return errEnough
	})
	return l, ok
}

// Is reports whether a file is such a trace, by its first line: an action of a rank, or the name of a file with one.
func Is(path string) bool {
	l, ok := first(path)
	if ok && len(l.fields) == 1 {
		l, ok = first(beside(path, l.fields[0]))
	}
	return ok && len(l.fields) > 1 && isAction(l.fields[1])
}

// beside returns the path of a file that another one names.
func beside(path, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(path), name)
}

// Files lists the files that a trace consists of.
func Files(path string) ([]string, error) {
	l, ok := first(path)
	if !ok || len(l.fields) != 1 {
		return []string{path}, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var list []string
	err = each(f, func(l line) error {
		if len(l.fields) != 1 {
			return fmt.Errorf("%s: line %d: expected the name of a file", path, l.number)
		}
		list = append(list, beside(path, l.fields[0]))
		return nil
	})
	return list, err
}

// mostRanks is the largest number of ranks.
const mostRanks = 1 << 20

// Open reads a trace. Errors name file, line and rank.
func Open(path string) (*schedule.Schedule, error) {
	list, err := Files(path)
	if err != nil {
		return nil, err
	}
	ranks, err := countRanks(list)
	if err != nil {
		return nil, err
	}
	t := newTrace(ranks)
	for _, file := range list {
		if err := eachOf(file, func(rank int, l line) error { return t.ranks[rank].do(l) }); err != nil {
			return nil, err
		}
	}
	return t.schedule()
}

// countRanks returns how many ranks some files have.
func countRanks(list []string) (ranks int, err error) {
	for _, file := range list {
		if err := eachOf(file, func(rank int, _ line) error {
			ranks = max(ranks, rank+1)
			return nil
		}); err != nil {
			return 0, err
		}
	}
	return ranks, nil
}

// eachOf calls what is to be done for each action in a file.
func eachOf(file string, do func(rank int, l line) error) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	return each(f, func(l line) error {
		rank, err := whole(l.fields[0])
		if err != nil || rank < 0 || rank >= mostRanks || len(l.fields) < 2 {
			return fmt.Errorf("%s: line %d: %q; expected a rank and an action", file, l.number, strings.Join(l.fields[:min(4, len(l.fields))], " "))
		}
		l.fields = l.fields[1:]
		if err := do(int(rank), l); err != nil {
			return fmt.Errorf("%s: line %d: rank %d: %s: %w", file, l.number, rank, l.fields[0], err)
		}
		return nil
	})
}
