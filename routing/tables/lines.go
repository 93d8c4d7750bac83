package tables

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// maxLineLength bounds the lines of files, so that a file that is not text does not fill the
// memory.
const maxLineLength = 1 << 20

var errLongLine = fmt.Errorf("a line of more than %d bytes", maxLineLength)

// lineReader reads a text file line by line.
type lineReader struct {
	scanner *bufio.Scanner
	file    string
	number  int
	told    bool // some line was neither empty nor a comment
}

func newLineReader(r io.Reader, file string) *lineReader {
	s := bufio.NewScanner(r)
	s.Buffer(nil, maxLineLength)
	return &lineReader{scanner: s, file: file}
}

// each calls f for every line, without the space around it, that is neither empty
// nor a comment.
func (l *lineReader) each(f func(line string) error) error {
	for l.scanner.Scan() {
		l.number++
		line := strings.TrimSpace(l.scanner.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		l.told = true
		if err := f(line); err != nil {
			return err
		}
	}
	err := l.scanner.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		err = errLongLine
	}
	if err != nil {
		return fmt.Errorf("%s:%d: %w", l.file, l.number+1, err)
	}
	return nil
}

func (l *lineReader) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", l.file, l.number, fmt.Sprintf(format, args...))
}

// hex reads a hexadecimal number that begins with 0x.
func (l *lineReader) hex(text, what string) (uint64, error) {
	digits, ok := strings.CutPrefix(text, "0x")
	v, err := strconv.ParseUint(digits, 16, 64)
	if !ok || err != nil {
		return 0, l.errorf("%s is %.80q; expected a hexadecimal number such as 0x1f", what, text)
	}
	return v, nil
}

// integer reads a number from low to high, hexadecimal if it begins with 0x.
func (l *lineReader) integer(text, what string, low, high int) (int, error) {
	base := 10
	digits, hex := strings.CutPrefix(text, "0x")
	if hex {
		base = 16
	}
	v, err := strconv.ParseUint(digits, base, 32)
	if err != nil || int(v) < low || int(v) > high {
		return 0, l.errorf("%s is %.80q; expected a number from %d to %d", what, text, low, high)
	}
	return int(v), nil
}

// cutField splits a line at the first space.
func cutField(line string) (field, rest string) {
	i := strings.IndexAny(line, " \t")
	if i < 0 {
		return line, ""
	}
	return line[:i], strings.TrimLeft(line[i:], " \t")
}

// lineLimiter passes its input on until a line is too long.
type lineLimiter struct {
	io.Reader
	length int // of the line so far
}

func (l *lineLimiter) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	if end := bytes.LastIndexByte(p[:n], '\n'); end >= 0 {
		l.length = n - end - 1
	} else {
		l.length += n
	}
	if l.length > maxLineLength {
		return 0, errLongLine
	}
	return n, err
}
