package machine

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// WriteTOML writes the machine as a file that Load reads and a user can edit.
// The file name is the name of the machine, so the file does not state it.
func (m *Machine) WriteTOML(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "title = %s\nsummary = %s\n", quote(m.Title), quote(m.Summary))
	table := ""
	for _, p := range m.parameters {
		t, name := splitKey(p.Key)
		if t != table {
			table = t
			fmt.Fprintf(&b, "\n[%s]\n", table)
		}
		fmt.Fprintf(&b, "%s = { %s }\n", name, p.toml())
	}
	_, err := w.Write(b.Bytes())
	return err
}

// toml returns the inside of the inline table that states the parameter.
func (p *Parameter) toml() string {
	value := p.Value
	if fields[position(p.Key)].syntax() == unstable.String {
		value = quote(value)
	}
	text := fmt.Sprintf("value = %s, kind = %s", value, quote(string(p.Kind)))
	if p.Source != "" {
		text += ", source = " + quote(p.Source)
	}
	if p.Note != "" {
		text += ", note = " + quote(p.Note)
	}
	return text
}

// quote writes a TOML basic string on one line.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
