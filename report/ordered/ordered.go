// Package ordered writes JSON whose fields keep the order in which they were given, so that
// equal results are equal bytes.
package ordered

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"strconv"
)

// WriteJSON writes a value as indented JSON and a newline, with <, > and & as
// they are. Numbers are rounded to 12 significant digits, but never to less than 6
// decimals, so that times in microseconds keep their picoseconds. It fails, and writes
// nothing, on what JSON cannot hold, such as an infinite number.
func WriteJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(roundNumbers(b.Bytes()))
	return err
}

const (
	significant = 12 // digits of numbers in JSON
	decimals    = 6  // that they have at least
)

// roundNumbers rounds the numbers with decimals in JSON.
func roundNumbers(text []byte) []byte {
	rounded := make([]byte, 0, len(text))
	for len(text) > 0 {
		n := 1
		switch c := text[0]; {
		case c == '"': // what looks like a number in a text is none
			n = textBytes(text)
		case c == '-' || isDigit(c):
			var decimal bool
			if n, decimal = numberBytes(text); decimal {
				rounded, text = append(rounded, roundNumber(text[:n])...), text[n:]
				continue
			}
		}
		rounded, text = append(rounded, text[:n]...), text[n:]
	}
	return rounded
}

// textBytes returns the length of the text, in quotes, with which JSON begins.
func textBytes(json []byte) int {
	n := 1
	for ; n < len(json) && json[n] != '"'; n++ {
		if json[n] == '\\' {
			n++
		}
	}
	return min(n+1, len(json))
}

// numberBytes returns the length of the number with which JSON begins, and whether it has decimals; without them it
// leaves an exponent out.
func numberBytes(json []byte) (n int, decimal bool) {
	whole := 1 + digits(json[1:])
	point := whole + 1
	if point >= len(json) || json[whole] != '.' || !isDigit(json[point]) {
		return whole, false
	}
	n = point + digits(json[point:])
	if n < len(json) && json[n] == 'e' {
		first := n + 1
		if first < len(json) && (json[first] == '-' || json[first] == '+') {
			first++
		}
		if power := digits(json[min(first, len(json)):]); power > 0 {
			n = first + power
		}
	}
	return n, true
}

// digits returns with how many digits a text begins.
func digits(text []byte) int {
	for n, c := range text {
		if !isDigit(c) {
			return n
		}
	}
	return len(text)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// roundNumber removes the last digits of a number that has many: they are rounding errors of sums
// and quotients.
func roundNumber(text []byte) []byte {
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil || v == 0 { // too large, or nothing to round
		return text
	}
	whole := int(math.Floor(math.Log10(math.Abs(v)))) + 1
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'f', max(decimals, significant-whole), 64), 64)
	if err != nil || rounded == v {
		return text
	}
	if text, err = json.Marshal(rounded); err != nil {
		panic(err) // finite, as v is
	}
	return text
}

// Object is a JSON object whose fields are only known as the program runs. They
// keep their order.
type Object []Field

// Field is one field of an Object.
type Field struct {
	Name  string
	Value any
}

// OrNull returns a text, or nil for an empty one, which JSON writes as null.
func OrNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// MarshalJSON implements json.Marshaler.
func (o Object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	b.WriteByte('{')
	for i, f := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := e.Encode(f.Name); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := e.Encode(f.Value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
