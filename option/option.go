package option

import (
	"cmp"
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Option is a field of a struct that command lines and files can set. It implements
// flag.Value and pflag.Value.
type Option struct {
	Name    string
	Short   string
	Help    string
	Values  []string // the only values; nil: any
	Suggest []string // values that shells complete
	File    bool     // the value may be the name of a file
	For     string   // where the option has a meaning; empty: everywhere
	// Many takes the values where a number is given as a list, such as 16,32 or 1..4, or any option
	// as an array of a file; nil: there can be one value only. ManySettings takes those of a setting
	// that is an array of a file.
	Many         func(values []string)
	ManySettings func(name string, values []string)

	numbers bool   // files may have the value, a text, as a whole number without quotes
	value   string // what the help calls the value
	initial string // what the zero value means, for the help
	field   any    // pointer to the field
}

// Of returns the options among the fields of a struct, to which structure points, and of
// the structs that it embeds, in their order. Setting an option sets the field.
func Of(structure any) []*Option { return optionsOf(structure, false) }

// GivenOf returns those options of Of whose fields are not zero. It takes a tenth of the time, as few are given.
func GivenOf(structure any) []*Option { return optionsOf(structure, true) }

func optionsOf(structure any, givenOnly bool) []*Option {
	var all []*Option
	s := reflect.ValueOf(structure).Elem()
	for i := range s.NumField() {
		if givenOnly && s.Field(i).IsZero() {
			continue
		}
		field := s.Type().Field(i)
		switch name := nameOf(field); {
		case field.Anonymous:
			all = append(all, optionsOf(s.Field(i).Addr().Interface(), givenOnly)...)
		case name != "":
			all = append(all, newOption(name, field.Tag, s.Field(i).Addr().Interface()))
		}
	}
	return all
}

// Named returns the options of these names, in the order of the names. It panics if there
// is none of a name.
func Named(options []*Option, names ...string) []*Option {
	some := make([]*Option, len(names))
	for i, name := range names {
		some[i] = options[slices.IndexFunc(options, func(o *Option) bool { return o.Name == name })]
	}
	return some
}

// Know lets an option suggest values that are known at run time only, and its help name them
// where it says {names}.
func (o *Option) Know(names []string) {
	o.Suggest = names
	o.Help = strings.ReplaceAll(o.Help, "{names}", strings.Join(names, ", "))
}

// nameOf returns the name of the option that a field is, empty if it is none.
func nameOf(field reflect.StructField) string {
	inJSON, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	return cmp.Or(field.Tag.Get("name"), strings.TrimPrefix(inJSON, "-"))
}

func newOption(name string, tag reflect.StructTag, field any) *Option {
	return &Option{
		Name: name, Short: tag.Get("short"), Help: tag.Get("help"), File: tag.Get("file") != "", For: tag.Get("for"),
		Values: list(tag.Get("values")), Suggest: list(cmp.Or(tag.Get("suggest"), tag.Get("values"))),
		numbers: tag.Get("numbers") != "", value: tag.Get("value"), initial: tag.Get("default"), field: field,
	}
}

func list(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}

// Given reports whether the field is not zero.
func (o *Option) Given() bool { return !reflect.ValueOf(o.field).Elem().IsZero() }

// Usage returns the help of a flag, with what the zero value means.
func (o *Option) Usage() string {
	if o.initial == "" || o.Given() {
		return o.Help
	}
	return fmt.Sprintf("%s (default %s)", o.Help, o.initial)
}

// Told returns the option with its value, as an error tells of it.
func (o *Option) Told() string {
	switch text := o.String(); {
	case o.IsBoolFlag(), text == "":
		return o.Name
	default:
		return o.Name + " " + text
	}
}

// Check fails if the option is given a value that is none of Values.
func (o *Option) Check() error {
	if !o.Given() || o.Values == nil || slices.Contains(o.Values, o.String()) {
		return nil
	}
	last := len(o.Values) - 1
	return fmt.Errorf("%s %q; expected %s or %s", o.Name, o.String(), strings.Join(o.Values[:last], ", "), o.Values[last])
}

// String returns the value as text, and none for a zero value, for settings and for lists.
func (o *Option) String() string {
	if o.field == nil || !o.Given() { // package flag asks a zero Option
		return ""
	}
	switch field := o.field.(type) {
	case *string:
		return *field
	case *int, *uint64, *bool, *time.Duration:
		return fmt.Sprint(reflect.ValueOf(field).Elem().Interface())
	case fmt.Stringer:
		return field.String()
	}
	return ""
}

// Type returns what the help calls the value. Package pflag asks for it.
func (o *Option) Type() string {
	return cmp.Or(o.value, strings.TrimPrefix(fmt.Sprintf("%T", o.field), "*"))
}

// IsBoolFlag reports whether the option needs no value on a command line.
func (o *Option) IsBoolFlag() bool {
	_, is := o.field.(*bool)
	return is
}

// Errors of Set. They stand behind the option and its value.
var (
	errInt      = errors.New("expected a whole number")
	errUint     = errors.New("expected a whole number, not negative")
	errBool     = errors.New("expected true or false")
	errDuration = errors.New("expected a number with a unit, such as 10s or 500ms")
	errSetting  = errors.New("expected name=value")
)

// Set sets the field to what a text says. It adds to settings and lists, and replaces
// other values.
func (o *Option) Set(text string) error {
	if values := o.numberList(text); len(values) > 1 {
		return o.setEach(values)
	}
	if o.Many != nil {
		o.Many(nil) // the last time counts
	}
	switch field := o.field.(type) {
	case *string:
		*field = text
	case *int:
		return parse(field, o.orSeveral(errInt), strconv.Atoi, text)
	case *uint64:
		return parse(field, o.orSeveral(errUint), func(text string) (uint64, error) { return strconv.ParseUint(text, 10, 64) }, text)
	case *bool:
		return parse(field, errBool, strconv.ParseBool, text)
	case *time.Duration:
		return parse(field, errDuration, time.ParseDuration, text)
	case *[]string:
		*field = append(*field, text)
	case *map[string]string:
		name, value, found := strings.Cut(text, "=")
		if !found {
			return errSetting
		}
		enter(field, name, value)
	case encoding.TextUnmarshaler:
		return field.UnmarshalText([]byte(text))
	default:
		return fmt.Errorf("%s cannot be set by a text", o.Name)
	}
	return nil
}

// orSeveral returns the error of an option that expects one number, or of one that takes several.
func (o *Option) orSeveral(one error) error {
	if o.Many == nil {
		return one
	}
	return fmt.Errorf("%w, or several, such as 2,4 or 2..8", one)
}

func parse[T any](field *T, wrong error, parse func(string) (T, error), text string) error {
	v, err := parse(text)
	if err != nil {
		return wrong
	}
	*field = v
	return nil
}

func enter(settings *map[string]string, name, value string) {
	if *settings == nil {
		*settings = map[string]string{}
	}
	(*settings)[name] = value
}
