// Package param reads the parameters of jobs into structs. A field is told once, by its tags:
//
//	type Incast struct {
//		Servers int         `name:"servers" default:"16" least:"1" most:"65536" help:"servers that answer"`
//		Block   units.Bytes `name:"block" default:"256KiB" help:"what each answers with"`
//	}
//
// Fields are whole numbers, with their bounds; numbers from 0 on; texts, with their values; and times, sizes and rates, not
// negative. Structs may embed others.
package param

import (
	"encoding"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Param is a parameter.
type Param struct {
	Name    string
	Default string // may be empty; Help then says what that means
	Help    string // one line
}

// Error says what is wrong with a parameter.
type Error struct {
	Name    string
	Problem string // what was expected
}

func (e *Error) Error() string { return e.Name + ": " + e.Problem }

// With returns the error with the value that was given, if one was.
func (e *Error) With(settings map[string]string) error {
	if value, given := settings[e.Name]; given {
		return fmt.Errorf("%s=%s: %s", e.Name, value, e.Problem)
	}
	return e
}

// Wrong returns an Error.
func Wrong(name, format string, args ...any) error {
	return &Error{name, fmt.Sprintf(format, args...)}
}

// field is a parameter with the place where its value goes.
type field struct {
	Param
	tag   reflect.StructTag
	value reflect.Value
}

// fields returns the parameters of a struct, to which a points, in their order.
func fields(a any) []field {
	s := reflect.ValueOf(a).Elem()
	var all []field
	for i := range s.NumField() {
		f := s.Type().Field(i)
		if f.Anonymous {
			all = append(all, fields(s.Field(i).Addr().Interface())...)
		} else if name := f.Tag.Get("name"); name != "" {
			all = append(all, field{Param{name, f.Tag.Get("default"), f.Tag.Get("help")}, f.Tag, s.Field(i)})
		}
	}
	return all
}

// Of lists the parameters of a struct, to which a points.
func Of(a any) []Param {
	var all []Param
	for _, f := range fields(a) {
		all = append(all, f.Param)
	}
	return all
}

// Read sets the fields of a struct, to which a points, to settings or else to their defaults. It fails with an *Error.
// Without either they are zero.
func Read(a any, settings map[string]string) error {
	known := fields(a)
	for name := range settings {
		if !slices.ContainsFunc(known, func(f field) bool { return f.Name == name }) {
			var names []string
			for _, f := range known {
				names = append(names, f.Name)
			}
			return Wrong(name, "no such parameter; known: %s", strings.Join(names, ", "))
		}
	}
	for _, f := range known {
		text, given := settings[f.Name]
		if !given {
			if text = f.Default; text == "" {
				f.value.SetZero()
				continue
			}
		}
		if err := f.set(strings.TrimSpace(text)); err != nil {
			return err
		}
	}
	return nil
}

// set sets a field to what a text says.
func (f *field) set(text string) error {
	switch v := f.value.Addr().Interface().(type) {
	case *int:
		return f.setInt(v, text)
	case *float64:
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || !(x >= 0 && x <= math.MaxFloat64) {
			return Wrong(f.Name, "expected a number from 0 on, such as 0.5 or 4e14")
		}
		*v = x
	case *string:
		if values := strings.Split(f.tag.Get("values"), ","); values[0] != "" && !slices.Contains(values, text) {
			return Wrong(f.Name, "expected one of %s", strings.Join(values, ", "))
		}
		*v = text
	case encoding.TextUnmarshaler:
		if err := v.UnmarshalText([]byte(text)); err != nil || f.value.Int() < 0 {
			return Wrong(f.Name, "expected a quantity such as %s", f.Default)
		}
	default:
		panic(fmt.Sprintf("param: field %s has a type that cannot be read", f.Name))
	}
	return nil
}

func (f *field) setInt(v *int, text string) error {
	low, high := f.bound("least", 1), f.bound("most", 1<<20)
	n, err := strconv.Atoi(text)
	if err != nil || n < low || n > high {
		return Wrong(f.Name, "expected a whole number from %d to %d", low, high)
	}
	*v = n
	return nil
}

// bound returns the number that a tag has.
func (f *field) bound(tag string, otherwise int) int {
	n, err := strconv.Atoi(f.tag.Get(tag))
	if err != nil {
		return otherwise
	}
	return n
}
