package report

import (
	"math"
	"strconv"
	"strings"
)

// Cell is one entry of a Table.
type Cell struct {
	Text string
	tone tone
}

// tone is the style of a cell on a terminal.
type tone uint8

const (
	plain tone = iota
	good
	bad
	faint
)

// Text is a cell with words.
func Text(s string) Cell { return Cell{Text: s} }

// None is the cell of a value that does not exist.
func None() Cell { return Cell{Text: "-", tone: faint} }

// Count is a whole number with thousands separators.
func Count[T ~int | ~int32 | ~int64 | ~uint64](n T) Cell {
	return Cell{Text: group(strconv.FormatInt(int64(n), 10))}
}

// Fixed is a number with that many decimal places.
func Fixed(v float64, places int) Cell { return Cell{Text: fixed(v, places)} }

// Significant is a number with at least that many significant digits; whole
// parts are not rounded.
func Significant(v float64, digits int) Cell {
	places := digits - 1
	if v != 0 && !math.IsInf(v, 0) && !math.IsNaN(v) {
		places -= int(math.Floor(math.Log10(math.Abs(v))))
	}
	return Cell{Text: fixed(v, max(places, 0))}
}

// Percent is a fraction of one in percent, with one decimal place. Only a whole is shown as 100.0:
// a smaller value that would round to it is shown as 99.9.
func Percent(fraction float64) Cell {
	percent := 100 * fraction
	if percent < 100 {
		percent = min(percent, 99.9)
	}
	return Cell{Text: fixed(percent, 1)}
}

// Good marks a cell as a good result.
func (c Cell) Good() Cell { c.tone = good; return c }

// Bad marks a cell as a result that needs attention.
func (c Cell) Bad() Cell { c.tone = bad; return c }

// Faint makes a cell less prominent.
func (c Cell) Faint() Cell { c.tone = faint; return c }

func fixed(v float64, places int) string {
	text := strconv.FormatFloat(v, 'f', places, 64)
	if strings.Trim(text, "-0.") == "" { // a negative value that rounds to zero
		text = strings.TrimPrefix(text, "-")
	}
	return group(text)
}

// group separates the thousands of a decimal number with commas.
func group(number string) string {
	whole, fraction, found := strings.Cut(number, ".")
	digits := strings.TrimPrefix(whole, "-")
	if _, err := strconv.ParseUint(digits, 10, 64); err != nil {
		return number // infinite or not a number
	}
	var b strings.Builder
	b.WriteString(whole[:len(whole)-len(digits)])
	for i, r := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(r)
	}
	if found {
		b.WriteString("." + fraction)
	}
	return b.String()
}
