// Package scan is what readers of text share: lines, parts of lines, numbers, and faults that name
// their line.
package scan

import (
	"bytes"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"unicode"
)

// LineError is a fault in a file. Read puts the name of the file before it.
type LineError struct {
	Number    int
	text      string
	Truncated bool // it would do for a file that may be
}

func (e *LineError) Error() string { return fmt.Sprintf("%d: %s", e.Number, e.text) }

// Fault reports what was found on a line; the text should go on to say what was
// expected.
func Fault(line int, format string, args ...any) error {
	return &LineError{Number: line, text: fmt.Sprintf(format, args...)}
}

// Truncation is the fault of a dump that ends too early.
func Truncation(line int, format string, args ...any) error {
	return &LineError{line, fmt.Sprintf(format, args...), true}
}

// Lines yields the lines of a text with their numbers, from 1, without line ends
// of either kind.
func Lines(text string) iter.Seq2[int, string] {
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

// Quote prints text from a file in a message, on one line and not too long.
func Quote(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		return strconv.Quote(string(r[:most])) + "..."
	}
	return strconv.Quote(s)
}

// Printable replaces what a terminal or an XML file cannot show by spaces.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, s)
}

// IsPrintable reports whether printable would leave s alone.
func IsPrintable(s string) bool { return Printable(s) == s && strings.ToValidUTF8(s, " ") == s }

// Cursor walks along a line.
type Cursor struct{ Rest string }

// SkipSpace moves over blanks and tabulators.
func (c *Cursor) SkipSpace() { c.Rest = strings.TrimLeft(c.Rest, " \t") }

// Skip moves over a fixed text and reports whether it was there.
func (c *Cursor) Skip(text string) bool {
	rest, ok := strings.CutPrefix(c.Rest, text)
	if ok {
		c.Rest = rest
	}
	return ok
}

// Between returns what stands between open, which must come next, and the first
// end after it.
func (c *Cursor) Between(open, end string) (string, bool) {
	inner, ok := strings.CutPrefix(c.Rest, open)
	if !ok {
		return "", false
	}
	inner, rest, ok := strings.Cut(inner, end)
	if !ok {
		return "", false
	}
	c.Rest = rest
	return inner, true
}

// MaxPort is the highest port number that a file may name; InfiniBand ends at
// 254.
const MaxPort = 1<<16 - 1

// PortNumber reads the number of a port, from 1 to MaxPort.
func PortNumber(s string) (int, bool) {
	v, err := strconv.Atoi(strings.TrimSpace(s))
	return v, err == nil && v >= 1 && v <= MaxPort
}

// Hexadecimal reads a GUID or identifier with or without 0x.
func Hexadecimal(s string, bits int) (uint64, bool) {
	s = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(s), "0x"), "0X")
	v, err := strconv.ParseUint(s, 16, bits)
	return v, err == nil
}

// Decimal reads a number from 0 to most.
func Decimal(s string, most int) (int, bool) {
	v, err := strconv.Atoi(strings.TrimSpace(s))
	return v, err == nil && v >= 0 && v <= most
}

// Counted says how many there are of something.
func Counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Refuse returns an error if one of the texts of a node has a part that the
// format gives a meaning.
func Refuse(reserved string, texts ...string) error {
	for _, t := range texts {
		if strings.Contains(t, reserved) {
			return fmt.Errorf("%q cannot be written: it contains %q", t, reserved)
		}
	}
	return nil
}

// Valid returns a file as text, without a byte order mark.
func Valid(data []byte) string {
	return strings.ToValidUTF8(string(bytes.TrimPrefix(data, []byte("\ufeff"))), "\ufffd")
}
