// Package ordered writes JSON whose fields keep the order in which they were given, so that
// equal results are equal bytes.
package ordered

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"regexp"
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
	_, err := w.Write(token.ReplaceAllFunc(b.Bytes(), roundNumber))
	return err
}

const (
	significant = 12 // digits of numbers in JSON
	decimals    = 6  // that they have at least
)

// token matches texts, to skip whatever looks like a number in them, and numbers with decimals.
var token = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|-?[0-9]+\.[0-9]+(?:e[-+]?[0-9]+)?`)

// roundNumber removes the last digits of a number that has many: they are rounding errors of sums
// and quotients.
func roundNumber(text []byte) []byte {
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil || v == 0 { // a text, or nothing to round
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
