package option

import (
	"encoding"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
)

// Lines says on which line of a file each option stands, and each setting, as
// "set.name".
type Lines struct {
	file string
	of   map[string]int
}

// Locate puts file and line before an error about an option, if the file has set it.
func (l Lines) Locate(name string, err error) error {
	if err == nil || l.of[name] == 0 {
		return err
	}
	return fmt.Errorf("%s:%d: %w", l.file, l.of[name], err)
}

// ReadTOML sets options as a TOML document says, whose keys are their names. The options
// and settings that are given on the command line stay as they are. An error is one line that
// names the file and the line.
func ReadTOML(file string, document []byte, options []*Option, onCommandLine func(name string) bool) (Lines, error) {
	lines := Lines{file: file}
	var table map[string]any
	var syntax *toml.DecodeError
	switch err := toml.Unmarshal(document, &table); {
	case errors.As(err, &syntax):
		line, _ := syntax.Position()
		return lines, fmt.Errorf("%s:%d: %s", file, line, explain(syntax, document))
	case err != nil:
		return lines, fmt.Errorf("%s: %w", file, err)
	}
	lines.of = keyLines(document)
	for _, key := range slices.SortedFunc(maps.Keys(table), func(a, b string) int { return lines.of[a] - lines.of[b] }) {
		if err := setKey(lines, key, table[key], options, onCommandLine); err != nil {
			return lines, err
		}
	}
	return lines, nil
}

// setKey sets the option that a key names.
func setKey(lines Lines, key string, value any, options []*Option, onCommandLine func(name string) bool) error {
	i := slices.IndexFunc(options, func(o *Option) bool { return o.Name == key && o.expected() != "" })
	if i < 0 {
		return lines.Locate(key, fmt.Errorf("unknown key %q; known are %s", key, strings.Join(keys(options), ", ")))
	}
	o := options[i]
	table, isTable := value.(map[string]any)
	if settings, ok := o.field.(*map[string]string); ok && isTable {
		return o.flatten(settings, lines, "", table)
	}
	if o.expected() != aTable && onCommandLine(key) {
		delete(lines.of, key)
		return nil
	}
	if values, isArray := value.([]any); isArray && o.Many != nil {
		return lines.Locate(key, o.setArray(values))
	}
	return lines.Locate(key, o.setValue(value))
}

// setArray sets the field to each value of an array, and hands them on.
func (o *Option) setArray(values []any) error {
	var texts []string
	for _, value := range values {
		if err := o.setValue(value); err != nil {
			return err
		}
		texts = append(texts, fmt.Sprint(value))
	}
	if len(texts) == 0 {
		return fmt.Errorf("%s is an empty array; expected values", o.Name)
	}
	o.Many(texts)
	return nil
}

// keys lists what may stand in a file.
func keys(options []*Option) []string {
	var names, tables []string
	for _, o := range options {
		switch o.expected() {
		case "":
		case aTable:
			tables = append(tables, "["+o.Name+"]")
		default:
			names = append(names, o.Name)
		}
	}
	return append(names, tables...)
}

const aTable = "a table"

// expected says what values the key of an option has, empty if it is none.
func (o *Option) expected() string {
	switch o.field.(type) {
	case *int:
		return "a whole number"
	case *uint64:
		return "a whole number, not negative"
	case *bool:
		return "true or false"
	case *map[string]string:
		return aTable
	case *string, *time.Duration, encoding.TextUnmarshaler:
		return "a text"
	}
	return ""
}

// setValue sets the field to a value of TOML.
func (o *Option) setValue(value any) error {
	if !o.takes(value) {
		return fmt.Errorf("%s has a value of the wrong kind; expected %s", o.Name, o.expected())
	}
	if err := o.Set(fmt.Sprint(value)); err != nil {
		return fmt.Errorf("%s is %q; %w", o.Name, fmt.Sprint(value), err)
	}
	return nil
}

// takes reports whether the field can have a value of this type of TOML.
func (o *Option) takes(value any) bool {
	ok := false
	switch o.field.(type) {
	case *int:
		_, ok = value.(int64)
	case *uint64:
		number, isNumber := value.(int64)
		ok = isNumber && number >= 0
	case *bool:
		_, ok = value.(bool)
	case *string:
		_, ok = value.(string)
		_, isNumber := value.(int64)
		ok = ok || isNumber && o.numbers
	case *time.Duration, encoding.TextUnmarshaler:
		_, ok = value.(string)
	}
	return ok
}

// flatten enters the values of a table of settings, whose names may be written as tables
// of their own: switch.latency, or "switch.latency". Settings that are already there stay.
func (o *Option) flatten(settings *map[string]string, lines Lines, prefix string, table map[string]any) error {
	for _, key := range slices.Sorted(maps.Keys(table)) {
		name := prefix + key
		if inner, isTable := table[key].(map[string]any); isTable {
			if err := o.flatten(settings, lines, name+".", inner); err != nil {
				return err
			}
			continue
		}
		if _, given := (*settings)[name]; given {
			delete(lines.of, o.Name+"."+name)
			continue
		}
		values, isArray := table[key].([]any)
		if !isArray {
			enter(settings, name, fmt.Sprint(table[key]))
			continue
		}
		if err := o.enterArray(settings, name, values); err != nil {
			return lines.Locate(o.Name+"."+name, err)
		}
	}
	return nil
}

// enterArray hands the values of a setting on that is an array, and keeps the last one.
func (o *Option) enterArray(settings *map[string]string, name string, values []any) error {
	switch {
	case o.ManySettings == nil:
		return fmt.Errorf("%s is an array; expected a list as a text, such as \"8,16\"", name)
	case len(values) == 0:
		return fmt.Errorf("%s is an empty array; expected values", name)
	}
	var texts []string
	for _, value := range values {
		texts = append(texts, fmt.Sprint(value))
		enter(settings, name, texts[len(texts)-1])
	}
	o.ManySettings(name, texts)
	return nil
}

// bareText is in what the parser says of a value that looks like a text without quotes.
var bareText = regexp.MustCompile(`expected keyword|at start of value|must be quoted|expected digit`)

// explain says what is wrong with the syntax of a document.
func explain(err *toml.DecodeError, document []byte) string {
	problem := strings.TrimPrefix(err.Error(), "toml: ")
	if bareText.MatchString(problem) {
		lines := strings.Split(string(document), "\n")
		line, _ := err.Position()
		return fmt.Sprintf("%.80q; expected a number, true, false or a text in quotes as the value", strings.TrimSpace(lines[line-1]))
	}
	return problem
}
