package format

import (
	"bytes"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"unicode"
)

// lineError is a fault in a file. Read puts the name of the file before it.
type lineError struct {
	line      int
	text      string
	truncated bool // it would do for a file that may be
}

func (e *lineError) Error() string { return fmt.Sprintf("%d: %s", e.line, e.text) }

// fault reports what was found on a line; the text should go on to say what was
// expected.
func fault(line int, format string, args ...any) error {
	return &lineError{line: line, text: fmt.Sprintf(format, args...)}
}

// truncation is the fault of a dump that ends too early.
func truncation(line int, format string, args ...any) error {
	return &lineError{line, fmt.Sprintf(format, args...), true}
}

// lines yields the lines of a text with their numbers, from 1, without line ends
// of either kind.
func lines(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		number := 0
		for line := range strings.Lines(text) {
			number++
			if !yield(number, strings.TrimRight(line, "\r\n")) {
				return
			}
		}
	}
}

// quote prints text from a file in a message, on one line and not too long.
func quote(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		return strconv.Quote(string(r[:most])) + "..."
	}
	return strconv.Quote(s)
}

// printable replaces what a terminal or an XML file cannot show by spaces.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, s)
}

// isPrintable reports whether printable would leave s alone.
func isPrintable(s string) bool { return printable(s) == s && strings.ToValidUTF8(s, " ") == s }

// cursor walks along a line.
type cursor struct{ rest string }

func (c *cursor) skipSpace() { c.rest = strings.TrimLeft(c.rest, " \t") }

// skip moves over a fixed text and reports whether it was there.
func (c *cursor) skip(text string) bool {
	rest, ok := strings.CutPrefix(c.rest, text)
	if ok {
		c.rest = rest
	}
	return ok
}

// between returns what stands between open, which must come next, and the first
// end after it.
func (c *cursor) between(open, end string) (string, bool) {
	inner, ok := strings.CutPrefix(c.rest, open)
	if !ok {
		return "", false
	}
	inner, rest, ok := strings.Cut(inner, end)
	if !ok {
		return "", false
	}
	c.rest = rest
	return inner, true
}

// maxPort is the highest port number that a file may name; InfiniBand ends at
// 254.
const maxPort = 1<<16 - 1

func portNumber(s string) (int, bool) {
	v, err := strconv.Atoi(strings.TrimSpace(s))
	return v, err == nil && v >= 1 && v <= maxPort
}

// hexadecimal reads a GUID or identifier with or without 0x.
func hexadecimal(s string, bits int) (uint64, bool) {
	s = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(s), "0x"), "0X")
	v, err := strconv.ParseUint(s, 16, bits)
	return v, err == nil
}

// decimal reads a number from 0 to most.
func decimal(s string, most int) (int, bool) {
	v, err := strconv.Atoi(strings.TrimSpace(s))
	return v, err == nil && v >= 0 && v <= most
}

// counted says how many there are of something.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// refuse returns an error if one of the texts of a node has a part that the
// format gives a meaning.
func refuse(reserved string, texts ...string) error {
	for _, t := range texts {
		if strings.Contains(t, reserved) {
			return fmt.Errorf("%q cannot be written: it contains %q", t, reserved)
		}
	}
	return nil
}

// validText returns a file as text, without a byte order mark.
func validText(data []byte) string {
	return strings.ToValidUTF8(string(bytes.TrimPrefix(data, []byte("\ufeff"))), "\ufffd")
}
