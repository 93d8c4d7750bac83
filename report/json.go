package report

import (
	"bytes"
	"encoding/json"
	"io"
)

// WriteJSON writes a value as indented JSON and a newline, with <, > and & as
// they are. It fails, and writes nothing, on what JSON cannot hold, such as an
// infinite number.
func WriteJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// Object is a JSON object whose fields are only known as the program runs. They
// keep their order.
type Object []Field

// Field is one field of an Object.
type Field struct {
	Name  string
	Value any
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
